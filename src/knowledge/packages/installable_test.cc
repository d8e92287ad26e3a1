// What can be installed: wheels of the package index, other indexes, packages and images.
#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/packages/distributions.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

const Distribution* Wheel(std::string_view package, std::string_view version, std::string_view platform) {
  for (const Distribution& row : DistributionsOf(package)) {
    if (row.version == version && row.platform == platform) return &row;
  }
  return nullptr;
}

TEST(Distributions, WheelsByPlatformAndPython) {
  const Distribution* torch = Wheel("torch", "2.5.1", "linux-x86_64");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->pythons.front(), "3.9") << "Requires-Python says 3.8, there is no such wheel";
  EXPECT_EQ(torch->pythons.back(), "3.13");
  EXPECT_NE(Wheel("torch", "2.5.1", "windows-x86_64"), nullptr);
  EXPECT_EQ(Wheel("tensorflow-gpu", "2.12.0", "linux-x86_64"), nullptr) << "a source archive that only fails";

  const Distribution* any_python = Wheel("nvidia-cudnn-cu12", "9.1.0.70", "linux-x86_64");
  ASSERT_NE(any_python, nullptr);
  EXPECT_TRUE(any_python->pythons.empty());
  const Distribution* stable = Wheel("vllm", "0.6.3", "linux-x86_64");
  ASSERT_NE(stable, nullptr);
  EXPECT_TRUE(stable->pythons.empty()) << "cp38-abi3";
  EXPECT_EQ(stable->python, ">=3.8");
  EXPECT_TRUE(DistributionsOf("numpy").empty());
}

TEST(Distributions, AreInOrder) {
  EXPECT_TRUE(std::ranges::is_sorted(Distributions(), {}, &Distribution::package))
      << "DistributionsOf halves";
  for (size_t i = 1; i < Distributions().size(); ++i) {
    const Distribution &last = Distributions()[i - 1], &row = Distributions()[i];
    if (row.package != last.package) continue;
    const auto before = base::Version::Parse(last.version.substr(0, last.version.find(".post")));
    const auto after = base::Version::Parse(row.version.substr(0, row.version.find(".post")));
    ASSERT_TRUE(before && after) << row.package << " " << row.version;
    EXPECT_LE(*before, *after) << row.package;
  }
  EXPECT_GE(KnowledgeDate(), "2026-11-15");
}

// What a default torch requires must be installable.
TEST(Distributions, HaveWhatTheDefaultTorchAsksFor) {
  for (const Distribution& row : DistributionsOf("torch")) {
    const Pin* pin = FindPin("torch", row.version);
    if (row.platform != "linux-x86_64" || pin == nullptr) continue;
    for (const std::string_view need : pin->needs) {
      const size_t sign = need.find("==");
      if (sign == std::string_view::npos) continue;
      EXPECT_TRUE(std::ranges::any_of(
          DistributionsOf(need.substr(0, sign)),
          [&](const Distribution& other) { return other.version == need.substr(sign + 2); }))
          << row.version << " needs " << need;
    }
  }
}

// Its pin and the file inside the wheel are two sources for the same fact.
TEST(Extensions, FitTheTorchThatTheyAskFor) {
  int compared = 0;
  for (const Extension& row : Extensions()) {
    const Pin* pin = FindPin(row.package, row.version);
    if (pin == nullptr || Requirement(*pin, row.of).empty()) continue;
    EXPECT_EQ(Meets(Known(row.of_version), Requirement(*pin, row.of)), Verdict::kYes) << row.version;
    EXPECT_FALSE(FindFramework(row.of, Known(row.of_version), row.variant).empty())
        << row.of_version << row.variant;
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

std::string Named(std::string_view manager, std::string_view what, std::string_view version,
                  std::string_view cuda = "12.2") {
  const PackageName* row = FindPackageName(manager, what, Known(version));
  if (row == nullptr) return "";
  const Blanks blanks = {Known(version), Known(cuda), ""};
  return FillIn(row->name, blanks) + (row->version.empty() ? "" : "=" + FillIn(row->version, blanks));
}

TEST(Packages, NamesOutsidePip) {
  EXPECT_EQ(Named("apt", "cuda", "12.4.1"), "cuda-toolkit-12-4");
  EXPECT_EQ(Named("apt", "cudnn", "8.9.7.29"), "libcudnn8=8.9.7.29-1+cuda12.2");
  EXPECT_EQ(Named("apt", "cudnn-dev", "9.7.0.66"), "libcudnn9-dev-cuda-12=9.7.0.66-1");
  EXPECT_EQ(Named("apt", "driver", "580.82"), "cuda-drivers-580");
  EXPECT_EQ(Named("apt", "driver", "590.44"), "cuda-drivers") << "names lost the branch";
  EXPECT_EQ(Named("apt", "driver-open", "550.54"), "nvidia-driver-550-open");
  EXPECT_EQ(Named("apt", "driver-open", "470.82"), "") << "there were no open modules yet";
  EXPECT_EQ(Named("conda", "cuda", "11.8"), "cudatoolkit=11.8");
  EXPECT_EQ(Named("conda", "cuda", "12.4.1"), "cuda-toolkit=12.4");
  EXPECT_EQ(Named("zypper", "cuda", "12.4"), "");
}

TEST(Packages, FormsHaveNoBlankThatIsNotKnown) {
  const Blanks blanks = {Known("1.2.3"), Known("12.4"), "cu124"};
  for (const PackageName& row : PackageNames()) {
    EXPECT_EQ((FillIn(row.name, blanks) + FillIn(row.version, blanks) + FillIn(row.pin, blanks)).find('{'),
              std::string::npos)
        << row.name;
  }
  for (const WheelIndex& row : WheelIndexes())
    EXPECT_EQ(FillIn(row.address, blanks).find('{'), std::string::npos);
  EXPECT_EQ(FillIn("{other} {", blanks), "{other} ") << "kept; an open brace ends it";
}

// Each build of torch that the package index does not have must be available somewhere.
TEST(Packages, EveryVariantOfTorchHasAnIndex) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.framework != "torch" || Known(row.version) < Known("1.8")) continue;
    EXPECT_NE(FindWheelIndex("torch", Known(row.version)), nullptr) << row.version;
    EXPECT_FALSE(row.python.empty() || row.python_until.empty()) << row.version << " " << row.variant;
    EXPECT_FALSE(row.code.empty()) << row.version << " " << row.variant;
  }
  const auto place = [](std::string_view version) {
    const WheelIndex* row = FindWheelIndex("torch", Known(version));
    return std::string(row->option) + " " + FillIn(row->address, {{}, {}, "cu111"});
  };
  EXPECT_EQ(place("1.8.1"), "--find-links https://download.pytorch.org/whl/torch_stable.html");
  EXPECT_EQ(place("1.8.2"), "--extra-index-url https://download.pytorch.org/whl/lts/1.8/cu111");
  EXPECT_EQ(place("1.10.0"), "--find-links https://download.pytorch.org/whl/torch_stable.html");
  EXPECT_EQ(place("1.10.2"), "--find-links https://download.pytorch.org/whl/cu111/torch_stable.html");
  EXPECT_EQ(FillIn(FindWheelIndex("torch", Known("2.5.1"))->address, {{}, {}, "cu118"}),
            "https://download.pytorch.org/whl/cu118");
}

TEST(Packages, ImagesSayWhichCudnnUntilTheyDoNot) {
  for (const ContainerImage& image : ContainerImages()) {
    const base::Version cuda = Known(image.cuda);
    EXPECT_EQ(image.cudnn, cuda < Known("12.3") ? "cudnn8" : cuda < Known("12.4") ? "cudnn9" : "cudnn");
    EXPECT_FALSE(image.systems.empty());
  }
}

}  // namespace
}  // namespace culprit::knowledge
