// Tests the fakes themselves where culprit-probe would not notice that they are too lenient: a driver that
// accepts anything proves nothing.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace culprit {
namespace {

class FakeDriver : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("FAKE_CUDA");
    unsetenv("CUDA_VISIBLE_DEVICES");
    library_ = dlopen(CULPRIT_FAKES "/driver/libcuda.so.1", RTLD_NOW);
    ASSERT_NE(library_, nullptr) << dlerror();
    ASSERT_EQ(Call("cuInit", 0U), 0);
    ASSERT_EQ(Call("cuDevicePrimaryCtxRetain", &context_, 0), 0);
    ASSERT_EQ(Call("cuCtxSetCurrent", context_), 0);
  }
  void TearDown() override {
    Unload();
    Call("cuDevicePrimaryCtxRelease_v2", 0);
    dlclose(library_);  // others look for a driver under this name
  }
  void Unload() {
    if (module_ != nullptr) Call("cuModuleUnload", module_);
    module_ = nullptr;
  }

  template <typename... Arguments>
  int Call(const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    return function == nullptr ? -1 : function(arguments...);
  }
  int Load(const std::string& body) {
    Unload();
    const std::string text =
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n" + body + "}\n";
    return Call("cuModuleLoadDataEx", &module_, static_cast<const void*>(text.c_str()), 0U,
                static_cast<int*>(nullptr), static_cast<void**>(nullptr));
  }
  int Launch(uint64_t address) {
    void* function = nullptr;
    if (const int status = Call("cuModuleGetFunction", &function, module_, "k")) return status;
    void* parameters[] = {&address};
    return Call("cuLaunchKernel", function, 1U, 1U, 1U, 32U, 1U, 1U, 0U, static_cast<void*>(nullptr),
                static_cast<void**>(parameters), static_cast<void**>(nullptr));
  }

  void* library_ = nullptr;
  void* context_ = nullptr;
  void* module_ = nullptr;
};

constexpr const char* kStoreThread =
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;"
    " st.global.u32 [%rd3+4], %r1; ret;";

TEST_F(FakeDriver, AKernelWritesWhereItSays) {
  uint64_t memory = 0;
  uint32_t words[33] = {};
  ASSERT_EQ(Call("cuMemAlloc_v2", &memory, sizeof words), 0);
  ASSERT_EQ(Load(kStoreThread), 0);
  ASSERT_EQ(Launch(memory), 0);
  ASSERT_EQ(Call("cuMemcpyDtoH_v2", static_cast<void*>(words), memory, sizeof words), 0);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words[i + 1], i);
  EXPECT_EQ(words[0], 0xa5a5a5a5);  // device memory is never clean
  EXPECT_EQ(Launch(memory + 4), 700) << "the last thread writes behind the end";
  EXPECT_EQ(Call("cuMemcpyDtoH_v2", static_cast<void*>(words), memory + 4, sizeof words), 1);
  EXPECT_EQ(Call("cuMemFree_v2", memory), 0);
  EXPECT_EQ(Call("cuMemFree_v2", memory), 1) << "twice";
  EXPECT_EQ(Launch(memory), 700) << "after it was freed";
}

TEST_F(FakeDriver, PtxThatItDoesNotUnderstandIsRefused) {
  EXPECT_EQ(Load("frobnicate.u32 %r1, %r2; ret;"), 218);
  EXPECT_EQ(Load("bra nowhere; ret;"), 218);
  EXPECT_EQ(Load("mad.lo.u32 %r1, %r2, %r3, %r4, %r5; ret;"), 218);
  EXPECT_EQ(Load("again: bra again;"), 0);
  EXPECT_EQ(Launch(0), 700) << "a kernel without an end";
  EXPECT_EQ(Call("cuModuleLoadDataEx", &module_,
                 static_cast<const void*>("\x7f"
                                          "ELF"),
                 0U, static_cast<int*>(nullptr), static_cast<void**>(nullptr)),
            200);
}

TEST_F(FakeDriver, MemoryRunsOut) {
  setenv("FAKE_CUDA_FREE", "400000000", 1);
  uint64_t first = 0, second = 0;
  size_t left = 0, total = 0;
  EXPECT_EQ(Call("cuMemAlloc_v2", &first, size_t{50'000'000}), 0);
  EXPECT_EQ(Call("cuMemAlloc_v2", &second, size_t{50'000'000}), 2) << "the context takes 300 MiB";
  EXPECT_EQ(Call("cuMemGetInfo_v2", &left, &total), 0);
  EXPECT_EQ(left, 400'000'000U - 50'000'000U - (300U << 20));
  EXPECT_EQ(Call("cuMemFree_v2", first), 0);
  unsetenv("FAKE_CUDA_FREE");
}

TEST_F(FakeDriver, CudaVisibleDevicesCountsAsWithTheRealOne) {
  setenv("FAKE_CUDA_DEVICES", "3", 1);
  const struct {
    const char* list;
    int status, count;
  } cases[] = {{"0,2", 0, 2},   {"1,-1,2", 0, 1},   {"7", 100, 0},  {"", 100, 0},
               {"2,2", 100, 0}, {"GPU-2223", 0, 1}, {"0,x,1", 0, 1}};
  for (const auto& one : cases) {
    setenv("CUDA_VISIBLE_DEVICES", one.list, 1);
    int count = 0;
    EXPECT_EQ(Call("cuInit", 0U), one.status) << one.list;
    Call("cuDeviceGetCount", &count);
    EXPECT_EQ(count, one.count) << one.list;
  }
  unsetenv("FAKE_CUDA_DEVICES");
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(Call("cuInit", 0U), 0);
}

}  // namespace
}  // namespace culprit
