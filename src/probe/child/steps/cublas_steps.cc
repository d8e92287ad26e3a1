// A matrix product with cuBLAS and with cuBLASLt, compared with the CPU.
#include "probe/child/device_memory.h"
#include "probe/child/on_host.h"
#include "probe/child/pattern.h"
#include "probe/child/step.h"
#include "probe/cuda/cublas.h"

namespace culprit::prober {
namespace {

constexpr size_t kSize = 64;
constexpr double kTolerance = 1e-3;  // room for TF32, should the environment ask for it

// The matrices, on both sides.
struct Product {
  std::vector<float> a = FloatPattern(kSize * kSize, 11), b = FloatPattern(kSize * kSize, 12),
                     c = std::vector<float>(kSize * kSize);
  DeviceMemory on_device_a, on_device_b, on_device_c;

  explicit Product(const cuda::Driver& driver)
      : on_device_a(driver), on_device_b(driver), on_device_c(driver) {}

  std::optional<Failure> Send() {
    if (auto failure = on_device_a.AllocateAndFill(a)) return failure;
    if (auto failure = on_device_b.AllocateAndFill(b)) return failure;
    return on_device_c.AllocateAndFill(c);
  }
  Outcome Judge(Session& session, const char* call) {
    if (auto failure = on_device_c.Read(c.data(), c.size() * sizeof(float))) return std::unexpected(*failure);
    const double error = RelativeError(MatrixProduct(a, b, kSize), c);
    session.teller().Figure("relative_error", Short(error));
    const std::string detail = "relative error " + Short(error);
    if (!(error <= kTolerance)) return std::unexpected(Failure{OwnStatus::kWrongResult, call, detail});
    return detail;
  }
};

// What was made last goes first. `destroy` may be missing; then the end of the process does it.
struct Made {
  const cuda::Function<int(void*)>& destroy;
  void* handle = nullptr;
  ~Made() {
    if (handle != nullptr && destroy) destroy(handle);
  }
};

}  // namespace

Outcome CublasStep(Session& session) {
  const cuda::Cublas cublas = cuda::OpenCublas(session.arguments().cublas);
  session.teller().TellNewLibraries();
  if (!cublas.library.opened()) return std::unexpected(cuda::NotOpened(cublas.library));
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  Made handle{cublas.cublasDestroy};
  if (auto failure = Try(cublas, cublas.cublasCreate, &handle.handle)) return std::unexpected(*failure);
  if (int version = 0; !Try(cublas, cublas.cublasGetVersion, handle.handle, &version)) {
    session.teller().Figure("cublas_version", std::to_string(version));
  }
  Product product(session.driver());
  if (auto failure = product.Send()) return std::unexpected(*failure);
  constexpr int kPlain = 0, kEdge = kSize;  // not transposed
  const float one = 1, zero = 0;
  if (auto failure = Try(cublas, cublas.cublasSgemm, handle.handle, kPlain, kPlain, kEdge, kEdge, kEdge, &one,
                         static_cast<const float*>(product.on_device_a.pointer()), kEdge,
                         static_cast<const float*>(product.on_device_b.pointer()), kEdge, &zero,
                         static_cast<float*>(product.on_device_c.pointer()), kEdge)) {
    return std::unexpected(*failure);
  }
  return product.Judge(session, cublas.cublasSgemm.name());
}

Outcome CublasLtStep(Session& session) {
  const cuda::CublasLt cublas = cuda::OpenCublasLt(session.arguments().cublaslt);
  session.teller().TellNewLibraries();
  if (!cublas.library.opened()) return std::unexpected(cuda::NotOpened(cublas.library));
  const size_t version = cublas.cublasLtGetVersion ? cublas.cublasLtGetVersion() : 0;
  if (version != 0) session.teller().Figure("cublaslt_version", std::to_string(version));
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  Made handle{cublas.cublasLtDestroy}, how{cublas.cublasLtMatmulDescDestroy},
      layout{cublas.cublasLtMatrixLayoutDestroy};
  if (auto failure = Try(cublas, cublas.cublasLtCreate, &handle.handle)) return std::unexpected(*failure);
  const bool old = version != 0 && version < 11000;
  if (auto failure =
          Try(cublas, cublas.cublasLtMatmulDescCreate, &how.handle,
              old ? cuda::CublasLt::kFloat : cuda::CublasLt::kComputeInFloat, cuda::CublasLt::kFloat)) {
    return std::unexpected(*failure);
  }
  if (auto failure = Try(cublas, cublas.cublasLtMatrixLayoutCreate, &layout.handle, cuda::CublasLt::kFloat,
                         uint64_t{kSize}, uint64_t{kSize}, int64_t{kSize})) {
    return std::unexpected(*failure);
  }
  Product product(session.driver());
  if (auto failure = product.Send()) return std::unexpected(*failure);
  const float one = 1, zero = 0;
  void* c = product.on_device_c.pointer();
  if (auto failure =
          Try(cublas, cublas.cublasLtMatmul, handle.handle, how.handle, &one, product.on_device_a.pointer(),
              layout.handle, product.on_device_b.pointer(), layout.handle, &zero, c, layout.handle, c,
              layout.handle, nullptr, nullptr, size_t{0}, nullptr)) {
    return std::unexpected(*failure);
  }
  return product.Judge(session, cublas.cublasLtMatmul.name());
}

}  // namespace culprit::prober
