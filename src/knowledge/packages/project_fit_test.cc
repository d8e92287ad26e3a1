// What the rows of a package say about a machine.
#include "knowledge/packages/project_fit.h"

#include <gtest/gtest.h>

#include <string>

#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

class OnIndex {
 public:
  explicit OnIndex(std::string_view name, Machine machine = Machine::kLinuxX86)
      : releases_(ReleasesOfProject(name, machine)) {}
  const ProjectRelease& At(std::string_view version) const {
    const ProjectRelease* found = ReleaseMeant(releases_, version);
    return found == nullptr ? none_ : *found;
  }

 private:
  std::vector<ProjectRelease> releases_;
  ProjectRelease none_;
};

Verdict AnswerOf(const std::optional<ReleaseFit>& fit) { return fit ? fit->verdict : Verdict::kUnknown; }

TEST(ProjectFit, NamesOfTheIndexStandForFrameworksBuildsAndPackages) {
  EXPECT_EQ(FindEntry("onnxruntime-gpu").framework, "onnxruntime");
  EXPECT_EQ(FindEntry("cupy-cuda12x").framework, "cupy");
  EXPECT_EQ(FindEntry("cupy-cuda12x").variant, "cuda12x");
  EXPECT_EQ(FindEntry("mxnet-cu112").framework, "mxnet");
  EXPECT_EQ(FindEntry("mxnet-cu112").variant, "cu112");
  EXPECT_EQ(FindEntry("flash-attn").framework, "");
  EXPECT_EQ(FindEntry("flash-attn").package, "flash-attn");
  EXPECT_EQ(FindEntry("jaxlib").package, "jaxlib");
  EXPECT_EQ(FindEntry("tensorrt-cu12").package, "tensorrt-cu12") << "it has rows of its own";
  EXPECT_EQ(FindEntry("colour").package, "");
}

TEST(ProjectFit, AShortVersionMeansTheNewestOfItsReleases) {
  const OnIndex flash("flash-attn");
  EXPECT_EQ(flash.At("2.6.1").version, "2.6.1");
  EXPECT_EQ(flash.At("2.6").version, "2.6.3");
  EXPECT_EQ(OnIndex("cudf-cu12").At("26.02.00").version, "26.2.0") << "as PEP 440 compares";
  EXPECT_EQ(flash.At("99").version, "");
}

TEST(ProjectFit, GpuCodeIsThatOfTheWheelOrOfItsBuildScript) {
  const OnIndex bits("bitsandbytes");
  EXPECT_EQ(AnswerOf(ReleaseOnGpu(bits.At("0.47.0"), Known("5.2"))), Verdict::kYes);
  EXPECT_EQ(AnswerOf(ReleaseOnGpu(bits.At("0.48.0"), Known("5.2"))), Verdict::kNo);
  EXPECT_EQ(AnswerOf(ReleaseOnGpu(OnIndex("flash-attn").At("2.8.3"), Known("7.5"))), Verdict::kNo);
  EXPECT_EQ(AnswerOf(ReleaseOnGpu(OnIndex("flash-attn").At("1.0.9"), Known("7.5"))), Verdict::kYes);
  EXPECT_FALSE(ReleaseOnGpu(OnIndex("transformers").At("4.57.1"), Known("7.5"))) << "it has none";
  const auto untold = ReleaseOnGpu(OnIndex("torchcodec").At("0.7.0"), Known("7.5"));
  ASSERT_TRUE(untold);
  EXPECT_EQ(untold->verdict, Verdict::kUnknown);
  EXPECT_TRUE(untold->no_row);
}

TEST(ProjectFit, ALibraryForTheCudaOfTorchMustBeInTheWheel) {
  const OnIndex bits("bitsandbytes"), windows("bitsandbytes", Machine::kWindows);
  const auto beside = [](const ProjectRelease& release, std::string_view cuda) {
    return ReleaseBesideCuda(release, Known(cuda));
  };
  EXPECT_EQ(AnswerOf(beside(bits.At("0.45.5"), "12.8")), Verdict::kYes);
  EXPECT_EQ(AnswerOf(beside(bits.At("0.45.5"), "13.0")), Verdict::kNo);
  EXPECT_EQ(AnswerOf(beside(bits.At("0.45.2"), "12.8")), Verdict::kNo) << "until 0.50 only the very one";
  EXPECT_NE(beside(bits.At("0.45.2"), "12.8")->words.find("BNB_CUDA_VERSION=126 opens another"),
            std::string::npos)
      << beside(bits.At("0.45.2"), "12.8")->words;
  EXPECT_EQ(AnswerOf(beside(bits.At("0.50.0"), "12.9")), Verdict::kYes) << "the one for 12.8";
  EXPECT_EQ(beside(bits.At("0.50.0"), "12.0")->words, "has a library for CUDA 12.1") << "none is lower";
  EXPECT_EQ(AnswerOf(beside(bits.At("0.50.0"), "10.2")), Verdict::kNo);
  EXPECT_EQ(AnswerOf(beside(windows.At("0.43.1"), "12.4")), Verdict::kNo) << "Linux has it";
  EXPECT_EQ(AnswerOf(beside(windows.At("0.42.0"), "11.8")), Verdict::kNo) << "libraries of Linux alone";
  EXPECT_FALSE(beside(OnIndex("flash-attn").At("2.8.3"), "12.8"));
  EXPECT_TRUE(GoesWithCuda(bits.At("0.47.0"), Known("12.6"), {Known("5.2")}));
  EXPECT_FALSE(GoesWithCuda(bits.At("0.47.0"), Known("12.8"), {Known("5.2")}))
      << "that library begins at 7.0";
}

TEST(ProjectFit, RequirementsOfTheMachineAreNoPackages) {
  const OnIndex cudf("cudf-cu12");
  for (const Required& required : RequirementsOf(cudf.At("26.2.0"), nullptr)) {
    EXPECT_NE(required.name, "driver");
    EXPECT_NE(required.name, "gpu");
  }
  ASSERT_TRUE(DriverBound(cudf.At("26.2.0")));
  EXPECT_EQ(DriverBound(cudf.At("26.2.0"))->specifiers, ">=535");
  EXPECT_EQ(AnswerOf(ReleaseOnDriver(cudf.At("26.2.0"), Known("525.147.05"), Platform::kLinux)),
            Verdict::kNo);
  EXPECT_EQ(AnswerOf(ReleaseOnDriver(cudf.At("25.8.0"), Known("525.147.05"), Platform::kLinux)),
            Verdict::kYes);
  EXPECT_EQ(AnswerOf(ReleaseOnGpu(cudf.At("25.8.0"), Known("6.1"))), Verdict::kNo);
}

TEST(ProjectFit, APackageThatIsBuiltNeedsAToolkitForDriverAndGpu) {
  const OnIndex llama("llama-cpp-python");
  const base::Version old = Known("390.46"), volta = Known("7.0"), driver = Known("550.54.14");
  const ProjectRelease& release = llama.At("0.3.1");
  EXPECT_EQ(AnswerOf(ToolkitForRelease(release, &old, &volta, Platform::kLinux)), Verdict::kNo);
  EXPECT_EQ(AnswerOf(ToolkitForRelease(release, &driver, &volta, Platform::kLinux)), Verdict::kYes);
  EXPECT_FALSE(ToolkitForRelease(OnIndex("bitsandbytes").At("0.47.0"), &old, nullptr, Platform::kLinux));
}

TEST(ProjectFit, DataCentreGpusAreToldByCapabilityOrName) {
  EXPECT_EQ(IsDataCentreGpu(Known("9.0"), ""), true);
  for (const char* name : {"V100", "Tesla T4", "P40", "A10G", "L40S"})
    EXPECT_EQ(IsDataCentreGpu(Known("7.5"), name), true) << name;
  for (const char* name : {"GTX 1650", "RTX 2080 Ti", "rtx4090", "TITAN V"})
    EXPECT_EQ(IsDataCentreGpu(Known("7.5"), name), false) << name;
  for (const char* name : {"", "RTX A6000", "RTX 6000", "Quadro RTX 8000", "A6000"})
    EXPECT_EQ(IsDataCentreGpu(Known("7.5"), name), std::nullopt) << name;
}

}  // namespace
}  // namespace culprit::knowledge
