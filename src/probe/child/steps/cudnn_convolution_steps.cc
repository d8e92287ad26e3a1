// A convolution with cuDNN, compared with the CPU; with --deep, every algorithm that cuDNN offers for it in
// all three directions.
#include <algorithm>

#include "probe/child/convolution.h"
#include "probe/child/step.h"

namespace culprit::prober {
namespace {

struct Tally {
  size_t algorithms = 0;
  double worst = 0;
  std::optional<Failure> first;
};

void TryAll(Convolution& convolution, const Convolution::Direction& direction, Tally& tally) {
  const auto note = [&tally](Failure failure) {
    if (!tally.first) {
      tally.first = std::move(failure);
    } else {
      tally.first->detail += "; " + failure.call + ": " + failure.status.text();
    }
  };
  std::vector<cuda::CudnnPerformance> algorithms;
  if (auto failure = convolution.Find(direction, algorithms)) return note(*failure);
  if (algorithms.empty()) {
    return note({OwnStatus::kNoAlgorithm, direction.find->name(), "cuDNN offers no algorithm that works"});
  }
  for (const cuda::CudnnPerformance& told : algorithms) {
    double error = 0;
    const std::string which = "algorithm " + std::to_string(told.algorithm);
    if (auto failure = convolution.Run(direction, told.algorithm, told.math_type, error)) {
      failure->detail = which + (failure->detail.empty() ? "" : ": " + failure->detail);
      note(*failure);
    } else if (!(error <= convolution.Tolerance(told.math_type))) {
      note({OwnStatus::kWrongResult, direction.convolve->name(), which + ": relative error " + Short(error)});
    } else {
      ++tally.algorithms;
      tally.worst = std::max(tally.worst, error);
    }
  }
}

}  // namespace

Outcome CudnnConvolutionStep(Session& session) {
  if (auto failure = session.CreateCudnn()) return std::unexpected(*failure);
  Convolution convolution(session);
  if (auto failure = convolution.Prepare()) return std::unexpected(*failure);
  const Convolution::Direction forward = convolution.Forward();
  double error = 0;
  int algorithm = cuda::Cudnn::kImplicitPrecompGemm;
  auto failure = convolution.Run(forward, algorithm, std::nullopt, error);
  if (failure && failure->status.text().starts_with("CUDNN_STATUS_NOT_SUPPORTED") &&
      failure->status.text().find("SUBLIBRARY") == std::string::npos) {
    algorithm = cuda::Cudnn::kImplicitGemm;
    failure = convolution.Run(forward, algorithm, std::nullopt, error);
  }
  if (failure) return std::unexpected(*failure);
  session.teller().Figure("algorithm", std::to_string(algorithm));
  session.teller().Figure("relative_error", Short(error));
  const std::string detail = "relative error " + Short(error);
  if (!(error <= convolution.Tolerance(std::nullopt))) {
    return std::unexpected(Failure{OwnStatus::kWrongResult, forward.convolve->name(), detail});
  }
  return detail;
}

Outcome CudnnAlgorithmsStep(Session& session) {
  if (auto failure = session.CreateCudnn()) return std::unexpected(*failure);
  Convolution convolution(session);
  if (auto failure = convolution.Prepare()) return std::unexpected(*failure);
  Tally tally;
  for (const Convolution::Direction& direction :
       {convolution.Forward(), convolution.ToImage(), convolution.ToFilter()}) {
    const size_t before = tally.algorithms;
    TryAll(convolution, direction, tally);
    session.teller().Figure(std::string(direction.name) + "_algorithms",
                            std::to_string(tally.algorithms - before));
  }
  session.teller().Figure("relative_error", Short(tally.worst));
  if (tally.first) return std::unexpected(*tally.first);
  return std::to_string(tally.algorithms) + " algorithms, relative error " + Short(tally.worst);
}

}  // namespace culprit::prober
