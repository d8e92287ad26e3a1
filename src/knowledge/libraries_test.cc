// The invariants of the tables, and how a row is found.
#include "knowledge/libraries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/version.h"
#include "knowledge/libraries_table.h"

namespace culprit::knowledge {
namespace {

// The first soname of the row, "" if there is none.
std::string_view Find(std::string_view file_name) {
  const Library* library = FindLibrary(file_name);
  return library == nullptr ? "" : library->sonames.front();
}

TEST(LibraryTable, EveryRowAndEveryEdgeNamesItsSource) {
  ASSERT_GT(Libraries().size(), 50u);
  for (const Library& library : Libraries()) {
    EXPECT_FALSE(library.name.empty() || library.family.empty() || library.title.empty()) << library.name;
    EXPECT_FALSE(library.sonames.empty()) << library.name;
    EXPECT_FALSE(library.source.empty()) << library.name;
    for (const DlopenEdge& edge : library.opens) {
      EXPECT_FALSE(edge.names.empty() || edge.source.empty()) << library.name;
    }
  }
}

TEST(LibraryTable, SonamesAreUniqueAndFindTheirRow) {
  std::set<std::string_view> seen;
  for (const Library& library : Libraries()) {
    for (const std::string_view soname : library.sonames) {
      EXPECT_TRUE(seen.insert(soname).second) << soname;
      EXPECT_EQ(FindLibrary(soname), &library) << soname;
    }
  }
}

TEST(LibraryTable, NamesAreSortedForTheBinarySearch) {
  EXPECT_TRUE(std::ranges::is_sorted(LibraryNames(), std::ranges::less(), &LibraryName::name));
}

TEST(LibraryTable, NoLibraryOpensItself) {
  for (const Library& library : Libraries()) {
    for (const DlopenEdge& edge : library.opens) {
      for (const std::string_view name : edge.names) {
        EXPECT_FALSE(name.starts_with("lib" + std::string(library.name) + ".so")) << name;
      }
    }
  }
}

TEST(LibraryTable, OnlyKnownPlaceholdersStandInNames) {
  for (const Library& library : Libraries()) {
    for (const DlopenEdge& edge : library.opens) {
      for (std::string name : std::vector<std::string>(edge.names.begin(), edge.names.end())) {
        for (const char* key : {"{major}", "{minor}", "{patch}", "{cuda}"}) {
          for (size_t at; (at = name.find(key)) != std::string::npos;)
            name.erase(at, std::string(key).size());
        }
        EXPECT_EQ(name.find_first_of("{}"), std::string::npos) << name;
      }
    }
  }
}

TEST(LibraryTable, ConditionsAreVersions) {
  for (const Library& library : Libraries()) {
    for (const DlopenEdge& edge : library.opens) {
      for (const std::string_view version : {edge.since, edge.until}) {
        EXPECT_TRUE(version.empty() || base::Version::Parse(version)) << library.name << ' ' << version;
      }
    }
  }
}

TEST(LibraryTable, ACudnnPartIsOpenedByExactlyOneOtherPart) {
  for (const std::string_view part :
       {"libcudnn_ops.so.9", "libcudnn_heuristic.so.9", "libcudnn_ops_infer.so.8",
        "libcudnn_engines_precompiled.so.9", "libcudnn_adv_train.so.8"}) {
    size_t callers = 0;
    for (const Library& library : Libraries()) {
      for (const DlopenEdge& edge : library.opens) {
        callers += std::ranges::find(edge.names, part) != edge.names.end() ? 1 : 0;
      }
    }
    EXPECT_EQ(callers, 1u) << part;
  }
}

TEST(LibraryTable, UsualDirectoriesAreAbsoluteAndPythonOnesRelative) {
  EXPECT_FALSE(UsualDirectories().empty());
  EXPECT_FALSE(UsualPythonDirectories().empty());
  for (const std::string_view path : UsualDirectories()) EXPECT_TRUE(path.starts_with('/')) << path;
  for (const std::string_view path : UsualPythonDirectories()) EXPECT_FALSE(path.starts_with('/')) << path;
}

TEST(FindLibrary, CutsTheVersionDownToTheSoname) {
  EXPECT_EQ(Find("libcudnn.so.9"), "libcudnn.so.9");
  EXPECT_EQ(Find("libcudnn.so.9.1"), "libcudnn.so.9");
  EXPECT_EQ(Find("libcudnn.so.9.1.0"), "libcudnn.so.9");
  EXPECT_EQ(Find("libcudnn.so.8.9.7"), "libcudnn.so.8");
  EXPECT_EQ(Find("libcublasLt.so.12.4.5.8"), "libcublasLt.so.12");
}

TEST(FindLibrary, TakesTheNewestGenerationForABareName) {
  EXPECT_EQ(Find("libcudnn.so"), "libcudnn.so.9");
  EXPECT_EQ(Find("libcufft.so"), "libcufft.so.12");
  EXPECT_EQ(Find("libcuda.so"), "libcuda.so.1");
  EXPECT_EQ(Find("libonnxruntime_providers_cuda.so"), "libonnxruntime_providers_cuda.so");
}

TEST(FindLibrary, TellsApartGenerationsWithTheSameFirstNumber) {
  EXPECT_EQ(FindLibrary("libcufft.so.10.0.145"), FindLibrary("libcufft.so.10.0"));  // CUDA 10.0
  EXPECT_EQ(FindLibrary("libcufft.so.10.9.0.58"), FindLibrary("libcufft.so.10"));   // CUDA 11
  EXPECT_NE(FindLibrary("libcufft.so.10.0"), FindLibrary("libcufft.so.10"));
}

TEST(FindLibrary, KnowsFilesOfAnotherMinorThanTheirSoname) {
  EXPECT_EQ(FindLibrary("libcudart.so.11.8.89"), FindLibrary("libcudart.so.11.0"));
  EXPECT_EQ(FindLibrary("libnvrtc.so.11.8.89"), FindLibrary("libnvrtc.so.11.2"));
  EXPECT_EQ(FindLibrary("libnvrtc-builtins.so.12.7.11"), FindLibrary("libnvrtc-builtins.so.12.6"));
}

TEST(FindLibrary, KnowsFilesNumberedApartFromTheirSoname) {
  EXPECT_EQ(Find("libcuda.so.580.95.05"), "libcuda.so.1");
  EXPECT_EQ(Find("libnvidia-ml.so.470.82.00"), "libnvidia-ml.so.1");
  EXPECT_EQ(FindLibrary("libcupti.so.2024.1.0"), FindLibrary("libcupti.so.12"));
}

TEST(FindLibrary, KnowsNamesWithTheHashOfAuditwheel) {
  EXPECT_EQ(Find("libcudnn-1a2b3c4d.so.9.1.0"), "libcudnn.so.9");
  EXPECT_EQ(FindLibrary("libcudart-d0da41ae.so.11.0"), FindLibrary("libcudart.so.11.0"));
  EXPECT_EQ(FindLibrary("libnvrtc-builtins-0a1b2c3d.so.12.4"), FindLibrary("libnvrtc-builtins.so.12.4"));
  EXPECT_EQ(FindLibrary("libcudnn-1a2b3c4.so.9"), nullptr);   // seven digits
  EXPECT_EQ(FindLibrary("libcudnn-backend1.so.9"), nullptr);  // not hexadecimal digits
}

TEST(FindLibrary, KnowsNoOtherLibraryAndNoOtherGeneration) {
  for (const char* name : {"", "lib", ".so", "lib.so", "libc.so.6", "libcudnn", "libcudnn.so.10",
                           "libcudnn.so.", "libcudnn.so.9.1.0.bak", "libcudnn.sox", "libcudnn.9.so",
                           "cudnn.so.9", "libcudnn.a", "libcudnn_static.so.9", "libcuda.so.1.debug",
                           "libcuda.so.", "libnvrtc.alt.so.13", "libcudnn.so.9."}) {
    EXPECT_EQ(FindLibrary(name), nullptr) << name;
  }
}

TEST(DlopenEdge, AppliesToVersionsFromSinceToBeforeUntil) {
  const DlopenEdge edge{{}, true, "", "9.3", "9.21", {}};
  EXPECT_FALSE(Applies(edge, "9.2.1", ""));
  EXPECT_TRUE(Applies(edge, "9.3", ""));
  EXPECT_TRUE(Applies(edge, "9.20.0.48", "12"));
  EXPECT_FALSE(Applies(edge, "9.21.0", "12"));
}

TEST(DlopenEdge, DoesNotApplyWhenItsConditionCannotBeJudged) {
  constexpr std::string_view kMajors[] = {"12", "13"};
  EXPECT_FALSE(Applies({{}, true, "", "9.3", "", {}}, "", ""));
  EXPECT_FALSE(Applies({{}, true, "", "", "9.3", {}}, "unknown", ""));
  EXPECT_FALSE(Applies({{}, true, "", "", "", kMajors}, "9.1.0", ""));
  EXPECT_FALSE(Applies({{}, true, "", "", "", kMajors}, "9.1.0", "11"));
  EXPECT_TRUE(Applies({{}, true, "", "", "", kMajors}, "", "12.4"));
  EXPECT_TRUE(Applies({{}, true, "", "", "", {}}, "", ""));
}

TEST(Libraries, AreFoundByTheirDllInAnyCase) {
  for (const std::string_view name : {"cudnn64_8.dll", "CUDNN64_8.DLL", "Cudnn64_8.Dll"}) {
    const Library* library = FindLibrary(name);
    ASSERT_NE(library, nullptr) << name;
    EXPECT_EQ(library, FindLibrary("libcudnn.so.8"));
    EXPECT_TRUE(IsNameOf(*library, name));
  }
  EXPECT_EQ(FindLibrary("cudart64_110.dll"), FindLibrary("libcudart.so.11.0"));
  EXPECT_EQ(FindLibrary("cufft64_11.dll"), FindLibrary("libcufft.so.11"));
  EXPECT_EQ(FindLibrary("nvcuda.dll"), FindLibrary("libcuda.so.1"));
  EXPECT_EQ(FindLibrary("nvJitLink_120_0.dll"), FindLibrary("libnvJitLink.so.12"));
  EXPECT_EQ(FindLibrary("nvrtc64_120_0.alt.dll"), FindLibrary("nvrtc64_120_0.dll"));
  EXPECT_FALSE(IsNameOf(*FindLibrary("libcudnn.so.8"), "cudnn64_9.dll"));
}

TEST(Libraries, ADllWithANumberThatNobodyCanListIsFoundByPattern) {
  EXPECT_EQ(FindLibrary("cupti64_2031.1.0.dll"), FindLibrary("libcupti.so.12"));
  EXPECT_EQ(FindLibrary("nvrtc-builtins64_124.dll"), FindLibrary("libnvrtc-builtins.so.12.4"));
  EXPECT_EQ(FindLibrary("nvrtc-builtins64_.dll"), nullptr);
  EXPECT_EQ(FindLibrary("cupti64_mine.dll"), nullptr);
}

TEST(Libraries, ADllThatDelvewheelRenamedIsFound) {
  EXPECT_EQ(FindLibrary("cudart64_12-0123456789abcdef0123456789abcdef.dll"), FindLibrary("cudart64_12.dll"));
  EXPECT_EQ(FindLibrary("cudart64_12-mine.dll"), nullptr);
}

TEST(Libraries, OtherDllsAreNone) {
  for (const std::string_view name : {"kernel32.dll", "cudnn64_8", "cudnn64_8.dll.bak", "cudnn64_8.lib",
                                      ".dll", "dll", "libcudnn.so.8.dll", "cudart32_110.dll"}) {
    EXPECT_EQ(FindLibrary(name), nullptr) << name;
  }
}

// What a DLL loads with LoadLibrary is a DLL in the table, so that a missing one can be named.
TEST(Libraries, WhatDllsOpenIsInTheTable) {
  size_t edges = 0;
  for (const Library& library : Libraries()) {
    for (const DlopenEdge& edge : library.opens_windows) {
      ++edges;
      for (std::string name : {std::string(edge.names.front())}) {
        for (const auto& [key, value] :
             {std::pair("{cuda}", "12"), std::pair("{major}", "12"), std::pair("{minor}", "4")}) {
          if (const size_t at = name.find(key); at != std::string::npos) {
            name.replace(at, std::string_view(key).size(), value);
          }
        }
        if (name.starts_with("$ORIGIN/")) name.erase(0, 8);
        EXPECT_NE(FindLibrary(name), nullptr) << library.name << " opens " << name;
      }
    }
  }
  EXPECT_GT(edges, 30U);
}

TEST(Libraries, CudnnShimsOpenTheirPartsOnWindowsByBareName) {
  const auto opens = [](std::string_view shim) {
    std::vector<std::string_view> names;
    for (const DlopenEdge& edge : FindLibrary(shim)->opens_windows) {
      names.push_back(edge.names.front());
      EXPECT_EQ(edge.flags, 0U);
    }
    return names;
  };
  EXPECT_EQ(opens("cudnn64_8.dll"),
            (std::vector<std::string_view>{"cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll",
                                           "cudnn_adv_infer64_8.dll", "cudnn_ops_train64_8.dll",
                                           "cudnn_cnn_train64_8.dll", "cudnn_adv_train64_8.dll"}));
  EXPECT_EQ(opens("cudnn64_9.dll"),
            (std::vector<std::string_view>{"cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_cnn64_9.dll",
                                           "cudnn_adv64_9.dll", "cudnn_ext64_9.dll"}));
}

// The CUDA runtime looks for the driver only in System32: a copy of nvcuda.dll elsewhere is never used.
TEST(Libraries, TheRuntimeAsksForTheDriverInSystem32) {
  const auto edges = FindLibrary("cudart64_12.dll")->opens_windows;
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges.front().names.front(), "nvcuda.dll");
  EXPECT_EQ(edges.front().flags, 0x800U);
  EXPECT_TRUE(edges.front().optional);
}

TEST(Libraries, WindowsDirectoriesAreWrittenAsInside) {
  for (const std::string_view path : UsualWindowsDirectories()) EXPECT_TRUE(path.starts_with("/C:/")) << path;
  for (const std::string_view path : UsualWindowsPythonDirectories()) EXPECT_NE(path.front(), '/') << path;
  EXPECT_FALSE(UsualWindowsDirectories().empty());
  EXPECT_FALSE(UsualWindowsPythonDirectories().empty());
}

}  // namespace
}  // namespace culprit::knowledge
