#include "explain/logs/library_name.h"

#include <gtest/gtest.h>

namespace culprit::logs {
namespace {

struct Case {
  std::string name, family, major, release;
};

class LibraryNames : public testing::TestWithParam<Case> {};

TEST_P(LibraryNames, TellFamilyAndGeneration) {
  const LibraryName name = ReadLibraryName(GetParam().name);
  EXPECT_EQ(name.family, GetParam().family);
  EXPECT_EQ(name.major, GetParam().major);
  EXPECT_EQ(name.release, GetParam().release);
}

INSTANTIATE_TEST_SUITE_P(
    All, LibraryNames,
    testing::Values(
        Case{"libcudnn.so.8", "cudnn", "8", ""}, Case{"cudnn64_9.dll", "cudnn", "9", ""},
        Case{"libcudnn_ops_infer.so.8", "cudnn-part", "8", ""},
        Case{"cudnn_cnn_infer64_8.dll", "cudnn-part", "8", ""},
        Case{"cudnn_ops_infer.dll", "cudnn-part", "8", ""},  // only 8 was split like this
        Case{"/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.1.0", "cudnn-part", "9", ""},
        Case{"libcudart.so.11.0", "cuda", "11", "11"}, Case{"libcudart.so.12", "cuda", "12", ""},
        Case{"cudart64_110.dll", "cuda", "11", "11"}, Case{"cudart64_100.dll", "cuda", "10", "10.0"},
        Case{"cublas64_12.dll", "cuda", "12", ""}, Case{"cublas64_92.dll", "cuda", "9", "9.2"},
        Case{"libcufft.so.11", "cuda", "12", ""},   // its number is ahead of CUDA's
        Case{"libcusolver.so.11", "cuda", "", ""},  // of CUDA 11 and 12
        Case{"libcuda.so.1", "driver", "1", ""}, Case{"C:\\Windows\\System32\\nvcuda.dll", "driver", "", ""},
        Case{"libnvidia-ml.so.1", "nvml", "1", ""}, Case{"libnvshmem_host.so.3", "cuda-extra", "3", ""},
        Case{"koboldcpp_cublas.dll", "framework", "", ""}, Case{"zlibwapi.dll", "zlib", "", ""},
        Case{"VCRUNTIME140_1.dll", "msvc", "1", ""}, Case{"libfoo.so.3", "other", "3", ""},
        Case{"", "other", "", ""}));

}  // namespace
}  // namespace culprit::logs
