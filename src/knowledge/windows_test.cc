// What belongs to Windows and what does not: "assumed to exist" depends on this distinction.
#include "knowledge/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/windows/path.h"

namespace culprit::knowledge {
namespace {

TEST(WindowsDlls, AreFoundInAnyCaseAndWithoutTheirSuffix) {
  for (const std::string_view name :
       {"kernel32.dll", "KERNEL32.dll", "Kernel32", "ucrtbase.dll", "MSVCRT.dll", "ADVAPI32.dll",
        "WS2_32.dll", "d3dcompiler_47.dll", "WINSPOOL.DRV"}) {
    EXPECT_TRUE(IsWindowsDll(name)) << name;
  }
}

TEST(WindowsDlls, DoNotHoldWhatAnInstallerOrADriverMustBring) {
  for (const std::string_view name :
       {"vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll", "msvcp140_1.dll",
        "msvcp140_atomic_wait.dll", "concrt140.dll", "vcomp140.dll", "mfc140u.dll", "msvcr120.dll",
        "zlibwapi.dll", "nvToolsExt64_1.dll", "libomp140.x86_64.dll", "libiomp5md.dll"}) {
    EXPECT_FALSE(IsWindowsDll(name)) << name;
    EXPECT_NE(FindRedistributable(name), nullptr) << name;
  }
  for (const std::string_view name :
       {"cudart64_12.dll", "cudnn64_8.dll", "python311.dll", "zlib1.dll", "", ".dll"}) {
    EXPECT_FALSE(IsWindowsDll(name)) << name;
    EXPECT_EQ(FindRedistributable(name), nullptr) << name;
  }
}

TEST(WindowsDlls, ThoseOfTheDriverAreNeitherWindowsNorAPackage) {
  for (const std::string_view name : {"nvcuda.dll", "NVML.dll", "vulkan-1.dll", "OpenCL.dll"}) {
    EXPECT_TRUE(IsDriverDll(name)) << name;
    EXPECT_FALSE(IsWindowsDll(name)) << name;
    EXPECT_EQ(FindRedistributable(name), nullptr) << name;
  }
  EXPECT_FALSE(IsDriverDll("cudart64_12.dll"));
}

TEST(WindowsDlls, ListsAreSortedInLowerCaseAndNameEachDllOnce) {
  std::vector<std::string_view> all;
  for (const auto rows : {WindowsDlls(), KnownDlls(), DriverDlls()}) {
    for (const DllNames& row : rows) {
      EXPECT_TRUE(std::ranges::is_sorted(row.names)) << row.names.front();
      for (const std::string_view name : row.names) EXPECT_EQ(name, base::FoldCase(name));
    }
  }
  for (const DllNames& row : WindowsDlls()) all.insert(all.end(), row.names.begin(), row.names.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  EXPECT_EQ(twice, all.end()) << *twice;
}

TEST(KnownDlls, BelongToWindows) {
  for (const DllNames& row : KnownDlls()) {
    for (const std::string_view name : row.names) EXPECT_TRUE(IsWindowsDll(name)) << name;
  }
  EXPECT_TRUE(IsKnownDll("KERNEL32.DLL"));
  EXPECT_TRUE(IsKnownDll("kernelbase"));
  EXPECT_FALSE(IsKnownDll("version.dll"));  // a copy next to the program wins
  EXPECT_FALSE(IsKnownDll("dbghelp.dll"));
}

TEST(ApiSets, AreTakenByTheirPrefix) {
  EXPECT_TRUE(IsApiSet("api-ms-win-crt-runtime-l1-1-0.dll"));
  EXPECT_TRUE(IsApiSet("API-MS-Win-core-path-l1-1-0"));
  EXPECT_TRUE(IsApiSet("ext-ms-win-ntuser-window-l1-1-4.dll"));
  EXPECT_FALSE(IsApiSet("api.dll"));
  EXPECT_FALSE(IsApiSet("apisetschema.dll"));
}

TEST(Redistributables, SayWhatToInstallInOneLine) {
  for (const Redistributable& row : Redistributables()) {
    EXPECT_EQ(row.dll, base::FoldCase(row.dll));
    EXPECT_EQ(row.fix.find('\n'), std::string_view::npos) << row.dll;
    EXPECT_FALSE(IsApiSet(row.dll));
  }
  const Redistributable* runtime = FindRedistributable("VCRUNTIME140_1.dll");
  ASSERT_NE(runtime, nullptr);
  EXPECT_EQ(runtime->package, "Microsoft Visual C++ v14 Redistributable (x64)");
  EXPECT_NE(runtime->fix.find("vc_redist.x64.exe"), std::string_view::npos);
}

// Media Foundation belongs to Windows, but N editions and Windows Server come without it.
TEST(Redistributables, OnlyFeaturesOfSomeEditionsAreAlsoWindows) {
  for (const Redistributable& row : Redistributables()) {
    EXPECT_EQ(IsWindowsDll(row.dll), row.kind == RedistributableKind::kFeature) << row.dll;
  }
}

TEST(Redistributables, HaveTheirKind) {
  const auto kind = [](std::string_view dll) { return FindRedistributable(dll)->kind; };
  EXPECT_EQ(kind("msvcp140_atomic_wait.dll"), RedistributableKind::kVisualCpp);
  EXPECT_EQ(kind("vcruntime140.dll"), RedistributableKind::kVisualCpp);
  EXPECT_EQ(kind("vcomp140.dll"), RedistributableKind::kVisualCpp);
  EXPECT_EQ(kind("msvcr100.dll"), RedistributableKind::kVisualCpp);
  EXPECT_EQ(kind("zlibwapi.dll"), RedistributableKind::kOther);
  EXPECT_EQ(kind("libomp140.x86_64.dll"), RedistributableKind::kOther);
  EXPECT_EQ(kind("mfplat.dll"), RedistributableKind::kFeature);
}

TEST(RuntimeFloors, TorchNeedsANewerRuntimeFrom29To214) {
  const RuntimeFloor* floor = FindRuntimeFloor("torch", "2.9.0+cu128", "MSVCP140.dll");
  ASSERT_NE(floor, nullptr);
  EXPECT_EQ(floor->version, "14.40");
  EXPECT_EQ(FindRuntimeFloor("torch", "2.8.0", "msvcp140.dll"), nullptr);
  EXPECT_NE(FindRuntimeFloor("torch", "2.14.0", "msvcp140.dll"), nullptr);
  EXPECT_EQ(FindRuntimeFloor("torch", "2.15.0", "msvcp140.dll"), nullptr);
  EXPECT_EQ(FindRuntimeFloor("torch", "2.9.0", "vcruntime140.dll"), nullptr);
  EXPECT_EQ(FindRuntimeFloor("tensorflow", "2.10.0", "msvcp140.dll"), nullptr);
  EXPECT_EQ(FindRuntimeFloor("torch", "", "msvcp140.dll"), nullptr);
  for (const RuntimeFloor& row : RuntimeFloors()) EXPECT_NE(FindRedistributable(row.dll), nullptr);
}

}  // namespace
}  // namespace culprit::knowledge
