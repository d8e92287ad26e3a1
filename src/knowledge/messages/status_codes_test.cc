#include "knowledge/messages/status_codes.h"

#include <gtest/gtest.h>

namespace culprit::knowledge {
namespace {

TEST(StatusCodes, CudaByNumberAndByBothNames) {
  EXPECT_EQ(FindCudaStatus(100)->runtime_name, "cudaErrorNoDevice");
  EXPECT_EQ(FindCudaStatus("CUDA_ERROR_NO_DEVICE")->code, 100);
  EXPECT_EQ(FindCudaStatus("cudaErrorNoDevice")->code, 100);
  EXPECT_EQ(FindCudaStatus(222)->driver_name, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
  EXPECT_EQ(FindCudaStatus(-1), nullptr);
  EXPECT_EQ(FindCudaStatus(""), nullptr);
}

TEST(StatusCodes, CudnnNumbersDependOnTheMajor) {
  EXPECT_EQ(FindCudnnStatus(1, 8)->name, "CUDNN_STATUS_NOT_INITIALIZED");
  EXPECT_EQ(FindCudnnStatus(1001, 9)->name, "CUDNN_STATUS_NOT_INITIALIZED");
  EXPECT_EQ(FindCudnnStatus(1002, 9)->name, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH");
  EXPECT_EQ(FindCudnnStatus(0, 9)->name, "CUDNN_STATUS_SUCCESS");
  EXPECT_EQ(FindCudnnStatus(4003, 9)->name, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED")
      << "no alias";
  EXPECT_EQ(FindCudnnStatus(1001, 8), nullptr);
  EXPECT_EQ(FindCudnnStatus("CUDNN_STATUS_ALLOC_FAILED")->v7, 2);
}

TEST(StatusTables, AnAliasHasTheNumberOfWhatItStandsFor) {
  for (const CudnnStatus& row : CudnnStatuses()) {
    if (row.alias_in_v9.empty()) continue;
    const CudnnStatus* other = FindCudnnStatus(row.alias_in_v9);
    ASSERT_NE(other, nullptr) << row.name;
    EXPECT_EQ(other->v9, row.v9) << row.name;
  }
}

TEST(CudaStatuses, AreFoundByTheNumbersOfEveryAge) {
  EXPECT_EQ(FindCudaStatusOfAnyAge(803)->runtime_name, "cudaErrorSystemDriverMismatch");
  EXPECT_EQ(FindCudaStatusOfAnyAge(38)->runtime_name, "cudaErrorNoDevice");            // before CUDA 10.1
  EXPECT_EQ(FindCudaStatusOfAnyAge(47)->runtime_name, "cudaErrorInvalidKernelImage");  // before CUDA 10.1
  EXPECT_EQ(NameOf(*FindCudaStatusOfAnyAge(916)), "CUDA_ERROR_KEY_ROTATION");          // of the driver alone
  EXPECT_EQ(FindCudaStatusOfAnyAge(8)->runtime_name,
            "cudaErrorInvalidDeviceFunction");  // its new owner is retired
  EXPECT_EQ(FindCudaStatusOfAnyAge(-1), nullptr);
  EXPECT_EQ(FindCudaStatusOfAnyAge(99999), nullptr);
}

TEST(CudaStatuses, AreFoundByTheirTexts) {
  EXPECT_EQ(FindCudaStatusByText("NO CUDA-capable device is detected")->runtime_name, "cudaErrorNoDevice");
  EXPECT_EQ(FindCudaStatusByText("no such text"), nullptr);
}

}  // namespace
}  // namespace culprit::knowledge
