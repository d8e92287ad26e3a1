#include "knowledge/packages/images.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/frameworks.h"

namespace culprit::knowledge {
namespace {

bool IsVersion(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         base::Version::Parse(text);
}

ImageFlavour FlavourOf(std::string_view word) {
  if (word == "base") return ImageFlavour::kBase;
  if (word == "runtime") return ImageFlavour::kRuntime;
  return word == "devel" ? ImageFlavour::kDevel : ImageFlavour::kUnknown;
}

// From CUDA 12.4.1 on, "cudnn" alone is cuDNN 9.
std::string CudnnOf(std::string_view word) {
  if (!word.starts_with("cudnn")) return "";
  return word.size() > 5 ? std::string(word.substr(5)) : "9";
}

void ReadWords(std::string_view tag, ImageFacts& facts) {
  for (const std::string& word : base::Split(tag, '-')) {
    if (const ImageFlavour flavour = FlavourOf(word); flavour != ImageFlavour::kUnknown)
      facts.flavour = flavour;
    if (std::string cudnn = CudnnOf(word); !cudnn.empty()) facts.cudnn = std::move(cudnn);
  }
}

void ReadCuda(std::string_view tag, ImageFacts& facts) {
  facts.of_nvidia_cuda = true;
  facts.has = ImageHas::kGpu;
  const std::string_view first = tag.substr(0, tag.find('-'));
  if (!IsVersion(first)) return;
  facts.has = ImageHas::kCuda;
  facts.cuda = first;
  ReadWords(tag, facts);
  const auto row = std::ranges::find(ImageRequirements(), first, &ImageRequirement::cuda);
  if (row != ImageRequirements().end()) facts.requirement = &*row;
}

// "12.4" of "2.4.0-cuda12.4-cudnn9-devel"; "" if the tag has no such word.
std::string CudaWord(std::string_view tag) {
  for (const std::string& word : base::Split(tag, '-')) {
    if (word.starts_with("cuda") && IsVersion(word.substr(4))) return word.substr(4);
  }
  return "";
}

void ReadPytorch(std::string_view tag, ImageFacts& facts) {
  const std::string_view version = tag.substr(0, tag.find('-'));
  if (!IsVersion(version)) {  // "latest"
    facts.has = ImageHas::kGpu;
    return;
  }
  facts.framework_version = version;
  facts.cuda = CudaWord(tag);
  if (!facts.cuda.empty()) facts.has = ImageHas::kCuda;  // a release without the word may be for the CPU
  ReadWords(tag, facts);
}

void ReadTensorflow(std::string_view tag, ImageFacts& facts) {
  const auto words = base::Split(tag, '-');
  const bool gpu = std::ranges::find(words, "gpu") != words.end();
  facts.has = gpu ? ImageHas::kGpu : tag.empty() ? ImageHas::kUnknown : ImageHas::kNothing;
  if (!IsVersion(words.front())) return;
  facts.framework_version = words.front();
  const auto rows = FindFramework("tensorflow", *base::Version::Parse(words.front()));
  if (!gpu || rows.empty() || rows.front()->cuda.empty()) return;
  facts.has = ImageHas::kCuda;
  facts.cuda = rows.front()->cuda;
}

void ReadMonth(std::string_view tag, ImageFacts& facts) {
  if (base::Contains(tag, "igpu")) return;  // for Jetson
  const std::string_view month = tag.substr(0, tag.find('-'));
  if (!IsVersion(month)) return;
  facts.has = ImageHas::kGpu;
  // With TensorRT-LLM inside they are built on the image of an earlier month.
  if (base::Contains(tag, "llm")) return;
  ReadWords(tag, facts);
  if (std::string cuda = CudaWord(tag); !cuda.empty()) {
    facts.has = ImageHas::kCuda;
    facts.cuda = std::move(cuda);
    return;
  }
  const auto row = std::ranges::find(ImageMonths(), month, &ImageMonth::release);
  if (row == ImageMonths().end()) return;
  facts.has = ImageHas::kCuda;
  facts.cuda = row->cuda;
  facts.cudnn = row->cudnn;
  facts.source = row->source;
}

// "3.3.5-rocm", "v0.5.5-rocm700-mi30x", "main-cann8.5.0-a3": for other hardware than NVIDIA's.
bool IsForOthers(std::string_view tag) {
  return std::ranges::any_of(base::Split(tag, '-'), [](const std::string& word) {
    return word == "intel" || word == "xpu" || word == "cpu" || word == "xeon" || word == "neuron" ||
           word == "gaudi" || word.starts_with("rocm") || word.starts_with("cann");
  });
}

}  // namespace

std::string RequirementText(const ImageRequirement& row) {
  const auto version = base::Version::Parse(row.cuda);
  std::string text =
      version ? "cuda>=" + std::to_string(version->part(0)) + "." + std::to_string(version->part(1)) : "";
  for (const std::string_view branch : row.branches) {
    const auto number = base::Version::Parse(branch);
    if (!number) continue;
    const std::string range =
        "driver>=" + std::string(branch) + ",driver<" + std::to_string(number->part(0) + 1);
    for (const std::string_view brand : row.brands) text += " brand=" + std::string(brand) + "," + range;
  }
  return text;
}

ImageName ParseImageName(std::string_view text) {
  ImageName name;
  if (const size_t digest = text.find('@'); digest != std::string_view::npos) {
    name.digest = true;
    text = text.substr(0, digest);
  }
  for (const std::string_view prefix :
       {"docker://", "docker.io/", "index.docker.io/", "registry-1.docker.io/", "library/"}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  const size_t colon = text.rfind(':');
  const bool tagged = colon != std::string_view::npos && text.find('/', colon) == std::string_view::npos;
  name.repository = text.substr(0, tagged ? colon : text.size());
  if (tagged) name.tag = text.substr(colon + 1);
  return name;
}

ImageFacts FactsOfImage(std::string_view text) {
  const ImageName name = ParseImageName(text);
  ImageFacts facts;
  const auto row = std::ranges::find(ImageRepositories(), name.repository, &ImageRepository::name);
  if (row == ImageRepositories().end()) {
    for (const OfficialImages& list : OfficialImageLists()) {
      if (std::ranges::find(list.names, name.repository) == list.names.end()) continue;
      facts.has = ImageHas::kNothing;
      facts.source = list.source;
    }
    if (name.repository == "scratch") facts.has = ImageHas::kNothing;
    return facts;
  }
  facts.source = row->source;
  facts.framework = row->framework;
  facts.compat = row->compat;
  if (row->devel) facts.flavour = ImageFlavour::kDevel;
  switch (row->tags) {
    case ImageTags::kCuda:
      ReadCuda(name.tag, facts);
      break;
    case ImageTags::kPytorch:
      ReadPytorch(name.tag, facts);
      break;
    case ImageTags::kTensorflow:
      ReadTensorflow(name.tag, facts);
      break;
    case ImageTags::kMonth:
      ReadMonth(name.tag, facts);
      break;
    case ImageTags::kGpu:
      if (!IsForOthers(name.tag)) facts.has = ImageHas::kGpu;
      break;
  }
  return facts;
}

}  // namespace culprit::knowledge
