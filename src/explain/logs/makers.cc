// Whose GPU a text or a line is about. A list of makers ("NVIDIA, AMD, Intel") and the names that PyTorch and
// llama.cpp use on every GPU (torch.cuda, ggml_cuda) tell nothing of it.
#include <re2/re2.h>

#include <string>

#include "explain/logs/mention.h"
#include "explain/logs/re2_piece.h"

namespace culprit::logs {
namespace {

// Whether a word of NVIDIA's is left without the names that every GPU has.
bool NamesNvidia(std::string_view text, const LazyRE2& words) {
  static const LazyRE2 kOfAll(
      R"((?i)\b(?:nvidia|amd|intel|apple)(?:\s*(?:,|/|&|\bor\b|\band\b)\s*(?:(?:or|and) )?(?:nvidia|amd|intel|apple)\b)+|torch[./\\]cuda\b[\w./\\]*|\b_cuda_\w+|\bcuda:\d|\.cuda\(\)|\bggml_cuda\w*|GGML_CUDA\w*|\bsome cuda functions\b|\bTHCudaCheck\b|['"]cuda['"])");
  if (!Has(text, words)) return false;
  std::string rest(text);
  RE2::GlobalReplace(&rest, *kOfAll, " ");
  return Has(rest, words);
}

// JAX asks for each backend that it knows, whatever GPU is there.
std::string WithoutBackends(std::string_view text) {
  static const LazyRE2 kAsked(R"((?i)unable to initialize backend ['"]\w+['"][^\n]*)");
  std::string rest(text);
  RE2::GlobalReplace(&rest, *kAsked, " ");
  return rest;
}

}  // namespace

bool IsOfOtherMakers(std::string_view line) {
  static const LazyRE2 kNvidia(R"((?i)cuda|cudnn|nvidia|geforce|quadro|\b[rg]tx\b|nvcc|nccl)");
  static const LazyRE2 kOthers(
      R"((?i)\bamd(?:gpu)?\b|radeon|rocm|\bhip(?:blas|error|runtime)?\b|miopen|directml|'(?:dml|xpu|npu|mlu|musa|hpu|mps)'|sycl|level[_ -]?zero|\bi915\b|\bintel arc\b|\bmps (?:backend|device)|\bggml_metal|\bgpu_(?:init|process_host|data_manager\w*)\.cc|\bgpu process\b|--disable-gpu\b|\bANGLE\b|wgpu|\bbevy)");
  return Has(line, kOthers) && !NamesNvidia(line, kNvidia);
}

bool IsOnOtherGpu(std::string_view text) {
  static const LazyRE2 kNvidia(
      R"((?i)cuda|cudnn|nvidia|nvcc|nvml|nccl|geforce|quadro|tesla|tegra|jetson|\b[rg]tx\b|\bsm_\d|\bptx|\bxid\b)");
  static const LazyRE2 kOthers(
      R"((?i)\bradeon|\bamdgpu\b|\bgfx(?:9|1\d)\d\w{1,2}\b|\brocm|\bhip(?:error|blas|\b)|\bmali\b|\badreno\b|\bpowervr\b|\bintel (?:arc|iris|u?hd graphics)\b|\b(?:arc|a)[ -]?[ab][357]\d0\b|level[_ -]?zero|\bsycl\b|\bmps backend\b|\bapple m\d|\bggml_metal|\bxpu\b)");
  return Has(text, kOthers) && Has(WithoutBackends(text), kOthers) && !NamesNvidia(text, kNvidia);
}

}  // namespace culprit::logs
