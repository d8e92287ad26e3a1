// What the tables promise to those who read them, and how a row is found.
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

// The first soname of the row, "" when there is none.
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
  EXPECT_EQ(FindLibrary("libcudnn-backend1.so.9"), nullptr);  // no hexadecimal digits
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

}  // namespace
}  // namespace culprit::knowledge
