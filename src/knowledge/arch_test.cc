// Real questions to the tables of GPU architectures, and the invariants of the tables.
#include "knowledge/arch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

Verdict Targets(std::string_view cuda, std::string_view cc) {
  return ToolkitTargets(cuda, Known(cc)).verdict;
}
Verdict Drives(std::string_view driver, std::string_view cc) {
  return DriverDrives(Known(driver), Known(cc)).verdict;
}
CodeFit Fits(std::string_view code, std::string_view cc) { return CodeRunsOn(code, Known(cc)); }

TEST(Arch, ToolkitsCompileForWhatTheyKnow) {
  EXPECT_EQ(Targets("12.8", "12.0"), Verdict::kYes);
  EXPECT_EQ(Targets("12.4", "12.0"), Verdict::kNo);
  EXPECT_EQ(Targets("12.9.1", "6.1"), Verdict::kYes);
  EXPECT_EQ(Targets("13.0", "6.1"), Verdict::kNo);
  EXPECT_EQ(Targets("11.8", "3.5"), Verdict::kYes);
  EXPECT_EQ(Targets("12.0", "3.5"), Verdict::kNo);
  EXPECT_EQ(Targets("11.8", "9.0"), Verdict::kYes);
}

TEST(Arch, ToolkitsSayWhenTheTableEnds) {
  EXPECT_EQ(Targets("14.0", "9.0"), Verdict::kUnknown);
  EXPECT_EQ(Targets("13.0", "13.7"), Verdict::kUnknown);
  EXPECT_EQ(Targets("12", "12.0"), Verdict::kUnknown) << "some 12.x";
  EXPECT_EQ(Targets("12", "8.6"), Verdict::kYes);
}

TEST(Arch, NamesTheNewNameOfThor) {
  const Answer answer = ToolkitTargets("13.0", Known("10.1"));
  EXPECT_EQ(answer.verdict, Verdict::kNo);
  EXPECT_NE(answer.why.find("11.0"), std::string::npos) << answer.why;
}

TEST(Arch, DriversDriveUntilTheyEnd) {
  EXPECT_EQ(Drives("580.95.05", "6.1"), Verdict::kYes);
  EXPECT_EQ(Drives("590.48.01", "6.1"), Verdict::kNo);
  EXPECT_EQ(Drives("470.239.06", "3.5"), Verdict::kYes);
  EXPECT_EQ(Drives("510.39.01", "3.5"), Verdict::kNo);
  EXPECT_EQ(Drives("570.86.10", "12.0"), Verdict::kYes);
}

TEST(Arch, AnEarlyDriverIsUnknownBecauseTheFirstOneIsInferred) {
  EXPECT_EQ(Drives("550.54.14", "12.0"), Verdict::kUnknown);
  EXPECT_EQ(Drives("575.57.08", "10.3"), Verdict::kUnknown) << "of CUDA 12.9, but before the B300";
  EXPECT_EQ(Drives("580.95.05", "10.3"), Verdict::kYes);
  EXPECT_EQ(Drives("540.3.0", "8.7"), Verdict::kUnknown) << "Jetson";
}

TEST(Arch, NewestPtxOfADriver) {
  EXPECT_EQ(NewestPtxOfDriver(Known("535.104.05"))->isa, "8.2");
  EXPECT_EQ(NewestPtxOfDriver(Known("580.65.06"))->isa, "9.0");
  EXPECT_EQ(NewestPtxOfDriver(Known("537.13"))->isa, "8.2") << "a Windows driver of R535";
  EXPECT_EQ(NewestPtxOfDriver(Known("446.14"))->isa, "7.0") << "before the driver that came with CUDA 11.0";
  EXPECT_EQ(NewestPtxOfDriver(Known("340.108")), nullptr);
}

TEST(Arch, PtxOfAToolkit) {
  EXPECT_EQ(PtxOfCuda("12.4.1")->isa, "8.4");
  EXPECT_EQ(PtxOfCuda("12.6")->isa, "8.5");
  EXPECT_EQ(PtxOfCuda("13.0")->isa, "9.0");
  EXPECT_EQ(PtxOfCuda("14.0"), nullptr);
}

TEST(Arch, MachineCodeServesItsMajorUpwards) {
  EXPECT_EQ(Fits("8.0", "8.6"), CodeFit::kMachineCode);
  EXPECT_EQ(Fits("8.6", "8.9"), CodeFit::kMachineCode);
  EXPECT_EQ(Fits("8.6", "8.0"), CodeFit::kNo);
  EXPECT_EQ(Fits("8.0", "9.0"), CodeFit::kNo);
  EXPECT_EQ(Fits("8.6", "8.7"), CodeFit::kUnknown) << "Jetson Orin";
}

TEST(Arch, PtxServesEverythingLater) {
  EXPECT_EQ(Fits("9.0+PTX", "12.0"), CodeFit::kPtx);
  EXPECT_EQ(Fits("9.0+PTX", "9.0"), CodeFit::kMachineCode);
  EXPECT_EQ(Fits("PTX 9.0", "9.0"), CodeFit::kPtx);
  EXPECT_EQ(Fits("PTX 9.0", "8.9"), CodeFit::kNo);
}

TEST(Arch, SpecialTargetsServeTheirOwn) {
  EXPECT_EQ(Fits("9.0a", "9.0"), CodeFit::kMachineCode);
  EXPECT_EQ(Fits("9.0a+PTX", "10.0"), CodeFit::kNo);
  EXPECT_EQ(Fits("10.0f", "10.3"), CodeFit::kMachineCode);
  EXPECT_EQ(Fits("10.0f", "10.7"), CodeFit::kMachineCode);
  EXPECT_EQ(Fits("10.7f", "10.3"), CodeFit::kNo);
  EXPECT_EQ(Fits("10.0a", "10.3"), CodeFit::kNo);
  EXPECT_EQ(Fits("12.0f", "12.1"), CodeFit::kMachineCode);
}

TEST(Arch, TheBestOfAList) {
  const std::string_view codes[] = {"7.5", "8.6", "9.0+PTX"};
  EXPECT_EQ(CodeRunsOn(codes, Known("8.9")), CodeFit::kMachineCode);
  EXPECT_EQ(CodeRunsOn(codes, Known("12.0")), CodeFit::kPtx);
  EXPECT_EQ(CodeRunsOn(codes, Known("6.1")), CodeFit::kNo);
  EXPECT_EQ(CodeRunsOn(std::span<const std::string_view>(), Known("6.1")), CodeFit::kUnknown);
}

TEST(Arch, FindsAProductByName) {
  const auto find = [](std::string_view name) {
    const Capability* row = FindCapabilityByName(name);
    return row == nullptr ? std::string_view("") : row->cc;
  };
  EXPECT_EQ(find("H100"), "9.0");
  EXPECT_EQ(find("Tesla T4"), "7.5");
  EXPECT_EQ(find("T4"), "7.5");
  EXPECT_EQ(find("RTX 4090"), "8.9");
  EXPECT_EQ(find("GeForce RTX 4070 Ti SUPER"), "8.9");
  EXPECT_EQ(find("NVIDIA GeForce RTX 5090"), "12.0");
  EXPECT_EQ(find("GTX 1080 Ti"), "6.1");
  EXPECT_EQ(find("GTX 1660 SUPER"), "7.5");
  EXPECT_EQ(find("RTX A4000"), "8.6");
  EXPECT_EQ(find("Quadro RTX 5000"), "7.5");
  EXPECT_EQ(find("rtx4090"), "8.9");
  EXPECT_EQ(find("GTX1080Ti"), "6.1");
  EXPECT_EQ(find("GTX 560 Ti"), "2.1");
  EXPECT_EQ(find("GeForce GTX 560 Ti 448 Cores"), "2.0");
  EXPECT_EQ(find("NVIDIA GeForce RTX 3080 Ti Laptop GPU"), "8.6");
  EXPECT_EQ(find("NVIDIA A100-SXM4-80GB"), "8.0");
  EXPECT_EQ(find("NVIDIA A100-SXM4-40GB MIG 1g.5gb"), "8.0");
  EXPECT_EQ(find("NVIDIA H100 80GB HBM3"), "9.0");
  EXPECT_EQ(find("H200 NVL"), "9.0");
  EXPECT_EQ(find("Tesla V100-SXM2-16GB"), "7.0");
  EXPECT_EQ(find("M40"), "5.2");
  EXPECT_EQ(find("Tesla M40 24GB"), "5.2");
  EXPECT_EQ(find("DGX Spark"), "12.1");
  EXPECT_EQ(find("GB10"), "12.1");
  EXPECT_EQ(find("RTX PRO 6000"), "12.0");
  EXPECT_EQ(find("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"), "12.0");
  EXPECT_EQ(find("RTX 5050"), "12.0");
  EXPECT_EQ(find("Jetson Orin Nano"), "8.7");
  EXPECT_EQ(find("Jetson AGX Orin 64GB"), "8.7");
  EXPECT_EQ(find("NVIDIA RTX 6000 Ada Generation"), "8.9");
  EXPECT_EQ(find("Quadro RTX 6000"), "7.5");
  EXPECT_EQ(find("GeForce GTX TITAN X"), "5.2");
  EXPECT_EQ(find("GeForce GTX 960M"), "5.0");
  EXPECT_EQ(find("GTX 960"), "5.2");
  EXPECT_EQ(find("H20"), "9.0");
}

TEST(Arch, SaysNothingOfANameThatSeveralProductsHave) {
  EXPECT_EQ(FindCapabilityByName("RTX 6000"), nullptr) << "Quadro of Turing, or Ada";
  EXPECT_EQ(FindCapabilityByName("GeForce GT 730"), nullptr) << "Fermi or Kepler";
  EXPECT_EQ(FindCapabilityByName("GeForce GTX 860M"), nullptr) << "Kepler or Maxwell";
  EXPECT_EQ(FindCapabilityByName("RTX 6000 Hopper"), nullptr);
  EXPECT_EQ(FindCapabilityByName("6000"), nullptr);
  ASSERT_NE(FindCapabilityByName("A6000"), nullptr) << "RTX A6000";
  EXPECT_EQ(FindCapabilityByName("A6000")->cc, "8.6");
  ASSERT_NE(FindCapabilityByName("4090"), nullptr);
  EXPECT_EQ(FindCapabilityByName("4090")->cc, "8.9");
  EXPECT_EQ(FindCapabilityByName("NVIDIA GPU"), nullptr);
}

TEST(Arch, SaysNothingOfANameThatNoProductHas) {
  const auto find = [](std::string_view name) {
    const Capability* row = FindCapabilityByName(name);
    return row == nullptr ? std::string_view("") : row->cc;
  };
  EXPECT_EQ(find("RTX 9999"), "");
  EXPECT_EQ(find("RTX"), "");
  EXPECT_EQ(find(""), "");
}

// --- Invariants of the tables

TEST(ArchTables, RowsRiseAndEndAfterTheyBegin) {
  for (size_t i = 1; i < Capabilities().size(); ++i) {
    EXPECT_LT(Known(Capabilities()[i - 1].cc), Known(Capabilities()[i].cc));
  }
  for (const Capability& row : Capabilities()) {
    if (!row.last_cuda.empty()) {
      EXPECT_LE(Known(row.first_cuda), Known(row.last_cuda)) << row.cc;
    }
    if (row.last_driver_branch != 0) {
      EXPECT_LE(row.first_driver_branch, row.last_driver_branch) << row.cc;
    }
    if (!row.renamed_to.empty()) {
      EXPECT_NE(FindCapability(Known(row.renamed_to)), nullptr) << row.cc;
    }
  }
}

TEST(ArchTables, PtxVersionsRiseWithCudaAndDriver) {
  for (size_t i = 1; i < PtxIsas().size(); ++i) {
    const PtxIsa &before = PtxIsas()[i - 1], &row = PtxIsas()[i];
    EXPECT_LT(Known(before.isa), Known(row.isa));
    EXPECT_LT(Known(before.first_cuda), Known(row.first_cuda));
    EXPECT_LT(before.first_driver_branch, row.first_driver_branch);
  }
}

TEST(ArchTables, EveryPtxVersionIsThatOfTheDriversRelease) {
  for (const PtxIsa& row : PtxIsas()) {
    const ToolkitRow* toolkit = FindToolkit(row.first_cuda);
    if (row.first_cuda == "12.7") continue;  // never published
    ASSERT_NE(toolkit, nullptr) << row.isa;
    if (row.first_cuda == "9.1") continue;  // its minimum was moved to another branch later, see its note
    const uint32_t own = Known(toolkit->min_driver_linux).part(0);
    if (row.isa == "5.0" || row.isa == "6.3" || row.isa == "7.0") {
      EXPECT_LT(row.first_driver_branch, own) << row.isa;  // NVIDIA's release history names an earlier branch
    } else {
      EXPECT_EQ(row.first_driver_branch, own) << row.isa;
    }
  }
}

TEST(ArchTables, VariantsBelongToACapability) {
  for (const TargetVariant& row : TargetVariants()) {
    const Capability* base = FindCapability(Known(row.base));
    ASSERT_NE(base, nullptr) << row.target;
    EXPECT_LE(Known(base->first_cuda), Known(row.first_cuda)) << row.target;
    EXPECT_EQ(row.last_cuda, base->last_cuda) << row.target;
    for (const std::string_view cc : row.runs_on) EXPECT_NE(FindCapability(Known(cc)), nullptr) << row.target;
    if (row.target.ends_with('a')) {
      EXPECT_EQ(row.runs_on.size(), 1u) << row.target;
    }
  }
}

// The installed nvcc compiles for exactly what the table says about its release.
TEST(ToolkitNvcc, CompilesForTheCapabilitiesOfTheTable) {
  const char* nvcc = "/usr/local/cuda/bin/nvcc";
  if (access(nvcc, X_OK) != 0) GTEST_SKIP() << "there is no nvcc in /usr/local/cuda";
  const auto output = [&](const std::string& option) {
    FILE* pipe = popen((std::string(nvcc) + " " + option + " 2>/dev/null").c_str(), "r");
    std::string text;
    for (int c; (c = fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    pclose(pipe);
    return text;
  };
  const std::string version = output("--version");
  const size_t at = version.find("release ");
  ASSERT_NE(at, std::string::npos) << version;
  const std::string cuda = version.substr(at + 8, version.find(',', at) - at - 8);
  std::set<std::string> listed, known;
  std::istringstream lines(output("--list-gpu-code"));
  for (std::string line; std::getline(lines, line);) {
    if (const auto cc = ParseCapability(line)) listed.insert(cc->ToString());
  }
  for (const Capability& row : Capabilities()) {
    if (Targets(cuda, row.cc) == Verdict::kYes) known.emplace(row.cc);
  }
  EXPECT_EQ(listed, known) << "CUDA " << cuda;
}

}  // namespace
}  // namespace culprit::knowledge
