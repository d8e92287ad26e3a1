// Pins between packages, and the consistency of the tables.
#include "knowledge/packages/pins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/cudnn.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

Verdict MeetsText(std::string_view version, std::string_view specifiers) {
  return Meets(Known(version), specifiers);
}
Verdict Fit(std::string_view a, std::string_view av, std::string_view b, std::string_view bv) {
  return PackagesFit(a, av, b, bv).verdict;
}

TEST(Pins, Specifiers) {
  EXPECT_EQ(MeetsText("2.5.1", "==2.5.1"), Verdict::kYes);
  EXPECT_EQ(MeetsText("2.5.1", "==2.5.*"), Verdict::kYes);
  EXPECT_EQ(MeetsText("2.6", "!=2.5.*"), Verdict::kYes);
  EXPECT_EQ(MeetsText("9.10.2.21", ">=9.8,<10.0"), Verdict::kYes);
  EXPECT_EQ(MeetsText("10.0", "<10.0,>=9.8"), Verdict::kNo);
  EXPECT_EQ(MeetsText("3.8.1", "~=3.8.0"), Verdict::kYes);
  EXPECT_EQ(MeetsText("3.9.0", "~=3.8.0"), Verdict::kNo);
  EXPECT_EQ(MeetsText("12.9", "~=12.0"), Verdict::kYes);
  EXPECT_EQ(MeetsText("13.0", "~=12.0"), Verdict::kNo);
  EXPECT_EQ(MeetsText("2.7.0", "<2.8,>=2.7.0rc0"), Verdict::kYes);
  EXPECT_EQ(MeetsText("2.6.1", "<2.8,>=2.7.0rc0"), Verdict::kNo);
  EXPECT_EQ(MeetsText("1.0", "<1.0rc1"), Verdict::kUnknown);
  EXPECT_EQ(MeetsText("1.0", ">=1.0.dev5"), Verdict::kUnknown);
  EXPECT_EQ(MeetsText("1.0", ""), Verdict::kUnknown);
  EXPECT_EQ(MeetsText("1.0", "~=1"), Verdict::kUnknown);
}

TEST(Pins, OfAMinorReleaseOnePatchIsEnough) {
  const auto admits = [](std::string_view python, std::string_view minor) {
    return AdmitsMinor(python, Known(minor));
  };
  EXPECT_EQ(admits(">=3.6.1", "3.6"), Verdict::kYes);
  EXPECT_EQ(admits("!=3.6.0,>=3.5", "3.6"), Verdict::kYes);
  EXPECT_EQ(admits("<3.13.5", "3.13"), Verdict::kYes);
  EXPECT_EQ(admits(">=3.6.1", "3.5"), Verdict::kNo);
  EXPECT_EQ(admits("<3.13", "3.13"), Verdict::kNo);
  EXPECT_EQ(admits("!=3.1.*,>=2.7", "3.1"), Verdict::kNo);
  EXPECT_EQ(admits(">=3.9.dev1", "3.9"), Verdict::kUnknown);
}

TEST(Pins, TorchAndItsCompanions) {
  EXPECT_EQ(Fit("torchvision", "0.20.1", "torch", "2.5.1"), Verdict::kYes);
  EXPECT_EQ(Fit("torch", "2.5.1", "torchvision", "0.20.1"), Verdict::kYes) << "either way round";
  EXPECT_EQ(Fit("torchvision", "0.20.1", "torch", "2.6.0"), Verdict::kNo);
  EXPECT_EQ(Fit("torchaudio", "2.5.1", "torch", "2.5.1"), Verdict::kYes);
  EXPECT_EQ(Fit("torch", "2.5.1+cu124", "torchvision", "0.20.1+cu124"), Verdict::kYes);
  EXPECT_EQ(Fit("triton", "3.1.0", "torch", "2.5.1"), Verdict::kYes);
  EXPECT_EQ(Fit("torchvision", "0.9.0", "torch", "1.8.0"), Verdict::kYes) << "from the companion table";
  EXPECT_EQ(Fit("torchvision", "0.9.0", "torch", "1.9.0"), Verdict::kNo);
  EXPECT_EQ(Fit("torchvision", "99.0", "torch", "2.5.1"), Verdict::kUnknown);
  EXPECT_EQ(Fit("torchaudio", "2.11.0", "torch", "2.15.0"), Verdict::kYes)
      << "the last one goes with all later";
  EXPECT_EQ(Fit("torchaudio", "2.11.0", "torch", "2.10.0"), Verdict::kNo);
}

TEST(Pins, WhoIsRelated) {
  EXPECT_TRUE(AreRelated("torch", "torchvision"));
  EXPECT_TRUE(AreRelated("jax", "jaxlib"));
  EXPECT_FALSE(AreRelated("torch", "jax"));
  EXPECT_TRUE(IsPinned("xformers"));
  EXPECT_FALSE(IsPinned("numpy"));
}

TEST(PinTables, SpecifiersCanBeRead) {
  for (const Pin& pin : Pins()) {
    for (const std::string_view text : pin.needs) {
      const size_t sign = text.find_first_of("=<>~!");
      if (sign == std::string_view::npos) continue;
      EXPECT_NE(Meets(Known("1"), text.substr(sign)), Verdict::kUnknown) << pin.package << " " << text;
    }
  }
}

TEST(PinTables, EveryCudnnWheelHasItsRelease) {
  for (const WheelVersions& wheel : Wheels()) {
    const std::string_view major = wheel.package.substr(wheel.package.size() - 2);
    for (const std::string_view version : wheel.versions) {
      const base::Version build = Known(version.substr(0, version.find(".post")));
      const auto rows = FindCudnn(build);
      ASSERT_FALSE(rows.empty()) << wheel.package << " " << version;
      EXPECT_EQ(CudnnForCuda(build, Known(major)).verdict, Verdict::kYes) << wheel.package << " " << version;
    }
  }
}

// The default torch of the index: its row must have the cuDNN that the index requires.
TEST(PinTables, DefaultTorchRowsAgreeWithTheIndex) {
  int compared = 0;
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.framework != "torch" || !row.is_default || row.libraries != LibrariesFrom::kNvidiaPip) continue;
    const Pin* pin = FindPin("torch", row.version);
    if (pin == nullptr) continue;
    for (const char* package : {"nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"}) {
      const std::string_view wanted = Requirement(*pin, package);
      if (wanted.empty()) continue;
      EXPECT_EQ(wanted, "==" + std::string(row.cudnn)) << row.version;
      ++compared;
    }
  }
  EXPECT_GE(compared, 25);
}

}  // namespace
}  // namespace culprit::knowledge
