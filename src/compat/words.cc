#include "compat/words.h"

#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {

using base::Version;
using knowledge::Answer;
using knowledge::Verdict;
using report::Compatible;

Compatible InReport(Verdict verdict) {
  switch (verdict) {
    case Verdict::kYes:
      return Compatible::kYes;
    case Verdict::kNo:
      return Compatible::kNo;
    case Verdict::kUnknown:
      break;
  }
  return Compatible::kUnknown;
}

std::string DriverWords(const CompatQuestion& question) {
  return (question.driver->parts.size() > 1 ? "driver " : "driver branch ") +
         knowledge::DriverText(*question.driver);
}
std::string CudaWords(const CompatQuestion& question) { return "CUDA " + question.cuda->ToString(); }
std::string CudnnWords(const CompatQuestion& question) { return "cuDNN " + question.cudnn->ToString(); }
std::string CudaCompatWords(const CompatQuestion& question) {
  return "cuda-compat " + question.cuda_compat->ToString();
}
std::string GpuWords(const CompatQuestion& question) {
  if (!question.cc) return question.gpu_name;
  const std::string cc = "compute capability " + question.cc->ToString();
  return question.gpu_name.empty() ? "GPU of " + cc : question.gpu_name + " (" + cc + ")";
}

namespace {

Answer OfBranch(const CompatQuestion& question, const std::function<Answer(const Version&)>& ask) {
  const Version& driver = *question.driver;
  if (driver.parts.size() > 1 || question.DriverPlatform() == knowledge::Platform::kWindows)
    return ask(driver);
  const auto range = knowledge::DriversOfBranch(driver.part(0));
  if (!range) return ask(driver);
  const Answer lowest = ask(knowledge::Known(range->lowest));
  Answer newest = ask(knowledge::Known(range->newest));
  if (lowest.verdict == newest.verdict) return newest;
  const auto word = [](Verdict verdict) { return std::string(base::Word(InReport(verdict))); };
  return knowledge::Unknown("this depends on the exact " + driver.ToString() +
                                " driver: " + std::string(range->lowest) + " " + word(lowest.verdict) + ", " +
                                std::string(range->newest) + " " + word(newest.verdict) + "; " + lowest.why,
                            lowest.source);
}

}  // namespace

Answer CudaCompatFits(const CompatQuestion& question) {
  return OfBranch(question, [&](const Version& driver) {
    return knowledge::ForwardCompat(
        driver, question.cuda_compat->ToString(),
        question.cc ? knowledge::IsDataCentreGpu(*question.cc, question.gpu_name) : std::nullopt,
        question.DriverPlatform());
  });
}

Answer OfDriver(const CompatQuestion& question, DriverHalf half,
                const std::function<Answer(const Version&)>& ask) {
  Answer own = OfBranch(question, ask);
  const bool replaced = half == DriverHalf::kLibraries && question.cuda_compat;
  if (own.verdict == Verdict::kYes || !replaced) return own;
  const Answer works = CudaCompatFits(question);
  if (works.verdict != Verdict::kYes) return {works.verdict, own.why + "; " + works.why, works.source};
  const std::string_view libraries =
      knowledge::LowestDriver(question.cuda_compat->ToString(), question.DriverPlatform());
  if (libraries.empty()) return own;
  Answer answer = ask(knowledge::Known(libraries));
  answer.why = "with " + CudaCompatWords(question) + ": " + answer.why;
  return answer;
}

}  // namespace culprit::compat
