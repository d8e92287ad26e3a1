#include "compat/compat.h"

#include <functional>
#include <utility>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

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

std::string Word(Verdict verdict) { return std::string(base::Word(InReport(verdict))); }

// The minimum driver in cuDNN's support matrix; nothing if it does not cover the pair.
std::optional<Answer> CudnnOnDriver(const Version& cudnn, const Version& driver, const Version& cuda,
                                    knowledge::Platform platform) {
  for (const knowledge::CudnnDriverFloor& row : knowledge::CudnnDriverFloors()) {
    const Version first = knowledge::Known(row.cudnn_first), last = knowledge::Known(row.cudnn_last);
    const bool covered = cudnn >= first && (cudnn <= last || knowledge::BeginsWith(cudnn, last));
    if (!covered || !knowledge::BeginsWith(cuda, knowledge::Known(row.cuda))) continue;
    const std::string_view floor = platform == knowledge::Platform::kWindows ? row.windows : row.linux;
    if (floor.empty()) continue;
    const std::string why = "cuDNN " + cudnn.ToString() + " for CUDA " + std::string(row.cuda) +
                            " needs driver " + std::string(floor) + " or newer";
    return driver >= knowledge::Known(floor) ? knowledge::Yes(why, row.source)
                                             : knowledge::No(why, row.source);
  }
  return std::nullopt;
}

class Comparison {
 public:
  explicit Comparison(const CompatQuestion& question) : question_(question) {}

  report::CompatAnswer Run() {
    answer_.notes = question_.notes;
    Drivers();
    Toolkits();
    Gpus();
    for (const CompatPackage& package : question_.packages) Package(package);
    Packages();
    answer_.verdict = Compatible::kYes;
    if (answer_.pairs.empty()) {
      answer_.verdict = Compatible::kUnknown;
      answer_.notes.emplace_back("these do not depend on each other");
    }
    for (const auto& pair : answer_.pairs) {
      if (pair.verdict == Compatible::kNo) answer_.verdict = Compatible::kNo;
      if (pair.verdict == Compatible::kUnknown && answer_.verdict == Compatible::kYes)
        answer_.verdict = Compatible::kUnknown;
    }
    return std::move(answer_);
  }

 private:
  void Add(std::string one, std::string other, const Answer& answer) {
    answer_.pairs.push_back(
        {std::move(one), std::move(other), InReport(answer.verdict), answer.why, std::string(answer.source)});
  }

  // A bare branch means any of its drivers, so check the oldest and the newest one in the tables.
  Answer OfDriver(const std::function<Answer(const Version&)>& ask) const {
    const Version& driver = *question_.driver;
    if (driver.parts.size() > 1 || question_.platform == knowledge::Platform::kWindows) return ask(driver);
    const auto range = knowledge::DriversOfBranch(driver.part(0));
    if (!range) return ask(driver);
    const Answer lowest = ask(knowledge::Known(range->lowest));
    Answer newest = ask(knowledge::Known(range->newest));
    if (lowest.verdict == newest.verdict) return newest;
    return knowledge::Unknown("this depends on which " + driver.ToString() + " driver: " +
                                  std::string(range->lowest) + " " + Word(lowest.verdict) + ", " +
                                  std::string(range->newest) + " " + Word(newest.verdict) + "; " + lowest.why,
                              lowest.source);
  }

  std::string Driver() const {
    return (question_.driver->parts.size() > 1 ? "driver " : "driver branch ") +
           knowledge::DriverText(*question_.driver);
  }
  std::string Cuda() const { return "CUDA " + question_.cuda->ToString(); }
  std::string Cudnn() const { return "cuDNN " + question_.cudnn->ToString(); }
  std::string Gpu() const {
    const std::string cc = "compute capability " + question_.cc->ToString();
    return question_.gpu_name.empty() ? "GPU of " + cc : question_.gpu_name + " (" + cc + ")";
  }

  void Drivers() {
    if (!question_.driver) return;
    if (question_.cuda) {
      Add(Driver(), Cuda(), OfDriver([&](const Version& driver) {
            return knowledge::DriverForCuda(driver, *question_.cuda, question_.platform);
          }));
    }
    if (question_.cc) {
      Add(Driver(), Gpu(),
          OfDriver([&](const Version& driver) { return knowledge::DriverDrives(driver, *question_.cc); }));
    }
    if (!question_.cudnn || !question_.cuda) return;
    std::optional<Answer> covered =
        CudnnOnDriver(*question_.cudnn, *question_.driver, *question_.cuda, question_.platform);
    if (covered) {
      Add(Driver(), Cudnn(), OfDriver([&](const Version& driver) {
            return *CudnnOnDriver(*question_.cudnn, driver, *question_.cuda, question_.platform);
          }));
    }
  }

  void Toolkits() {
    if (!question_.cuda) return;
    const Version& cuda = *question_.cuda;
    if (question_.cudnn) Add(Cuda(), Cudnn(), knowledge::CudnnForCuda(*question_.cudnn, cuda));
    if (question_.cc) Add(Cuda(), Gpu(), knowledge::ToolkitTargets(cuda.ToString(), *question_.cc));
    if (question_.gcc)
      Add(Cuda(), "gcc " + question_.gcc->ToString(), knowledge::GccFits(cuda, *question_.gcc));
    if (question_.clang)
      Add(Cuda(), "clang " + question_.clang->ToString(), knowledge::ClangFits(cuda, *question_.clang));
    if (question_.msvc)
      Add(Cuda(), "MSVC " + std::to_string(*question_.msvc), knowledge::MsvcFits(cuda, *question_.msvc));
  }

  void Gpus() {
    if (!question_.cc || !question_.cudnn) return;
    Add(Cudnn(), Gpu(),
        knowledge::CudnnForGpu(*question_.cudnn, question_.cuda.value_or(Version{{0}}), *question_.cc));
  }

  void Package(const CompatPackage& package) {
    if (!package.framework) return;
    const auto add = [&](const std::string& other, const std::function<Answer()>& ask) {
      Add(package.shown, other,
          package.build == nullptr ? knowledge::Unknown(package.shown + " is not in the table") : ask());
    };
    // Only used if there is a row.
    static constexpr knowledge::FrameworkRelease kNone{};
    const knowledge::FrameworkRelease& build = package.build == nullptr ? kNone : *package.build;
    const knowledge::Platform platform = question_.platform;
    if (question_.platform_given) {
      add(platform == knowledge::Platform::kWindows ? "Windows" : "Linux",
          [&] { return knowledge::FrameworkOnPlatform(build, platform); });
    }
    if (question_.driver) {
      add(Driver(), [&] {
        return OfDriver(
            [&](const Version& driver) { return knowledge::FrameworkOnDriver(build, driver, platform); });
      });
    }
    if (question_.cuda)
      add(Cuda(), [&] { return knowledge::FrameworkWithCuda(build, *question_.cuda, platform); });
    if (question_.cudnn)
      add(Cudnn(), [&] { return knowledge::FrameworkWithCudnn(build, *question_.cudnn, platform); });
    if (question_.cc) {
      add(Gpu(), [&] {
        if (!question_.driver) return knowledge::FrameworkOnGpu(build, *question_.cc, nullptr, platform);
        return OfDriver([&](const Version& driver) {
          return knowledge::FrameworkOnGpu(build, *question_.cc, &driver, platform);
        });
      });
    }
    if (question_.python) {
      add("Python " + question_.python->ToString(),
          [&] { return knowledge::FrameworkOnPython(build, *question_.python); });
    }
  }

  void Packages() {
    const auto& packages = question_.packages;
    for (size_t i = 0; i < packages.size(); ++i) {
      for (size_t j = i + 1; j < packages.size(); ++j) {
        if (!knowledge::AreRelated(packages[i].key, packages[j].key)) continue;
        Add(packages[i].shown, packages[j].shown,
            knowledge::PackagesFit(packages[i].key, packages[i].version, packages[j].key,
                                   packages[j].version));
      }
    }
  }

  const CompatQuestion& question_;
  report::CompatAnswer answer_;
};

}  // namespace

report::CompatAnswer Compat(const CompatQuestion& question) { return Comparison(question).Run(); }

}  // namespace culprit::compat
