#include "probe/cuda/cublas.h"

namespace culprit::cuda {
namespace {

constexpr KnownStatus kCublasStatuses[] = {
    {1, "CUBLAS_STATUS_NOT_INITIALIZED"}, {3, "CUBLAS_STATUS_ALLOC_FAILED"},
    {7, "CUBLAS_STATUS_INVALID_VALUE"},   {8, "CUBLAS_STATUS_ARCH_MISMATCH"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR"},  {13, "CUBLAS_STATUS_EXECUTION_FAILED"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR"}, {15, "CUBLAS_STATUS_NOT_SUPPORTED"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR"},
};

std::string NameBy(const Function<const char*(int)>& function, int status) {
  const std::string name = function ? Text(function(status)) : "";
  return name.starts_with("CUBLAS_STATUS_") ? name : NameAmong(kCublasStatuses, status, "CUBLAS_STATUS_");
}

}  // namespace

std::string Cublas::StatusName(int status) const { return NameBy(cublasGetStatusName, status); }
std::string CublasLt::StatusName(int status) const { return NameBy(cublasLtGetStatusName, status); }

Cublas OpenCublas(const std::string& name) {
  Cublas cublas;
  const Library library = cublas.library = Library::Open(name);
  cublas.cublasGetStatusName.Bind(library, "cublasGetStatusName");
  cublas.cublasCreate.Bind(library, "cublasCreate_v2");
  cublas.cublasDestroy.Bind(library, "cublasDestroy_v2");
  cublas.cublasGetVersion.Bind(library, "cublasGetVersion_v2");
  cublas.cublasSgemm.Bind(library, "cublasSgemm_v2");
  return cublas;
}

CublasLt OpenCublasLt(const std::string& name) {
  CublasLt cublas;
  const Library library = cublas.library = Library::Open(name);
  cublas.cublasLtGetStatusName.Bind(library, "cublasLtGetStatusName");
  cublas.cublasLtGetVersion.Bind(library, "cublasLtGetVersion");
  cublas.cublasLtCreate.Bind(library, "cublasLtCreate");
  cublas.cublasLtDestroy.Bind(library, "cublasLtDestroy");
  cublas.cublasLtMatmulDescCreate.Bind(library, "cublasLtMatmulDescCreate");
  cublas.cublasLtMatmulDescDestroy.Bind(library, "cublasLtMatmulDescDestroy");
  cublas.cublasLtMatrixLayoutCreate.Bind(library, "cublasLtMatrixLayoutCreate");
  cublas.cublasLtMatrixLayoutDestroy.Bind(library, "cublasLtMatrixLayoutDestroy");
  cublas.cublasLtMatmul.Bind(library, "cublasLtMatmul");
  return cublas;
}

}  // namespace culprit::cuda
