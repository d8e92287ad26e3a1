#include "probe/child/kernel.h"

#include <chrono>

#include "probe/child/device_memory.h"
#include "probe/child/pattern.h"

namespace culprit::prober {

const char* const kKernelPtx = R"(.version 6.0
.target sm_50
.address_size 64

.visible .entry culprit_mix(
  .param .u64 words, .param .u32 count, .param .u32 factor, .param .u32 addend)
{
  .reg .pred %outside;
  .reg .b32 %i, %block, %width, %thread, %count, %factor, %addend, %word;
  .reg .b64 %words, %offset, %address;

  ld.param.u64 %words, [words];
  ld.param.u32 %count, [count];
  ld.param.u32 %factor, [factor];
  ld.param.u32 %addend, [addend];
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %i, %block, %width, %thread;
  setp.ge.u32 %outside, %i, %count;
  @%outside bra done;
  cvta.to.global.u64 %words, %words;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %address, %words, %offset;
  ld.global.u32 %word, [%address];
  mad.lo.u32 %word, %word, %factor, %addend;
  add.u32 %word, %word, %i;
  st.global.u32 [%address], %word;
done:
  ret;
}
)";

const char* const kKernelCuda = R"(
extern "C" __global__ void culprit_mix(unsigned* words, unsigned count, unsigned factor, unsigned addend) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = words[i] * factor + addend + i;
}
)";

namespace {

struct Module {
  const cuda::Driver& driver;
  void* handle = nullptr;
  ~Module() {
    if (handle != nullptr && driver.cuModuleUnload) driver.cuModuleUnload(handle);
  }
};

std::optional<Failure> Load(const cuda::Driver& driver, const void* image, void*& module) {
  static char log[4096];  // the driver may write to it as long as the module is being loaded
  log[0] = '\0';
  int options[] = {cuda::Driver::kErrorLogBuffer, cuda::Driver::kErrorLogBufferSize};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log) - 1)};
  auto failure = Try(driver, driver.cuModuleLoadDataEx, &module, image, 2U, options, values);
  if (!failure) return failure;
  log[sizeof(log) - 1] = '\0';
  if (log[0] != '\0') failure->detail += std::string(failure->detail.empty() ? "" : "; ") + log;
  return failure;
}

}  // namespace

std::optional<Failure> RunKernel(Session& session, const void* image, double& load_ms) {
  const cuda::Driver& driver = session.driver();
  Module module{driver};
  const auto start = std::chrono::steady_clock::now();
  if (auto failure = Load(driver, image, module.handle)) return failure;
  load_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  void* function = nullptr;
  if (auto failure = Try(driver, driver.cuModuleGetFunction, &function, module.handle, kKernelName)) {
    return failure;
  }
  constexpr unsigned kCount = 100'003;  // no multiple of a block
  std::vector<uint32_t> words = Pattern(kCount, 2);
  DeviceMemory memory(driver);
  if (auto failure = memory.AllocateAndFill(words)) return failure;
  cuda::DevicePointer address = memory.address();
  unsigned count = kCount, factor = 2'654'435'761U, addend = 97;
  void* parameters[] = {&address, &count, &factor, &addend};
  constexpr unsigned kBlock = 256;
  if (auto failure = Try(driver, driver.cuLaunchKernel, function, (kCount + kBlock - 1) / kBlock, 1U, 1U,
                         kBlock, 1U, 1U, 0U, nullptr, parameters, nullptr)) {
    return failure;
  }
  std::vector<uint32_t> result(kCount);
  if (auto failure = memory.Read(result.data(), result.size() * sizeof(uint32_t))) return failure;
  for (uint32_t i = 0; i < kCount; ++i) words[i] = words[i] * factor + addend + i;
  if (const std::string difference = Difference(words, result); !difference.empty()) {
    return Failure{OwnStatus::kWrongResult, "cuLaunchKernel", difference};
  }
  return std::nullopt;
}

}  // namespace culprit::prober
