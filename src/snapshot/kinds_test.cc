// Kinds that stand in a snapshot as one text each: read once, where the file is read, and written as they
// were.
#include "snapshot/kinds.h"

#include <gtest/gtest.h>

namespace culprit::snapshot {
namespace {

TEST(Owner, IsReadFromItsText) {
  const Owner pip("pip nvidia-cudnn-cu12 9.1.0.70");
  EXPECT_EQ(pip, Owner(PackageManager::kPip, "nvidia-cudnn-cu12", "9.1.0.70"));
  EXPECT_EQ(Owner("dpkg libcudnn9-cuda-12"), Owner(PackageManager::kDpkg, "libcudnn9-cuda-12", ""));
  EXPECT_EQ(Owner("unknown: culprit does not read the database of rpm").manager, PackageManager::kRpm);
}

TEST(Owner, KeepsEveryText) {
  for (const char* text : {"", "pip nvidia-cudnn-cu12 9.1.0.70", "conda cudnn 9.1.0", "dpkg libcudnn8",
                           "unknown: culprit does not read the database of rpm", "pip", "brew cudnn 9",
                           " pip x", "pip x ", "dpkg a b c"}) {
    EXPECT_EQ(Owner(text).text(), text);
  }
  EXPECT_EQ(Owner("brew cudnn 9").manager, PackageManager::kNone);
}

TEST(PartProblem, IsReadFromItsText) {
  const PartProblem dangling("leads nowhere: -> libcudnn.so.8");
  EXPECT_EQ(dangling, PartProblem(PartProblem::Kind::kDangling, "libcudnn.so.8"));
  EXPECT_EQ(PartProblem("is empty").kind, PartProblem::Kind::kEmpty);
  EXPECT_FALSE(PartProblem(""));
}

TEST(PartProblem, KeepsEveryText) {
  for (const char* text :
       {"", "leads nowhere: -> x", "a loop of links: -> x", "not a file", "is empty", "not a library",
        "not a DLL", "a library of Linux, not a DLL", "a 32-bit DLL", "cut short", "cannot be read",
        "no file and no link of the name libcudnn.so.9", "not a link but a second file beside x, which is 9",
        "renamed: its export table names it x", "Permission denied", "is empty, mostly"}) {
    EXPECT_EQ(PartProblem(text).text(), text);
  }
  EXPECT_EQ(PartProblem("Permission denied").kind, PartProblem::Kind::kOther);
}

TEST(NamedVersion, KeepsItsText) {
  EXPECT_EQ(NamedVersion("torch 2.5.1+cu124"), NamedVersion("torch", "2.5.1+cu124"));
  for (const char* text : {"", "torch", "torch 2.5.1", "torch 2 5"})
    EXPECT_EQ(NamedVersion(std::string(text)).text(), text);
}

}  // namespace
}  // namespace culprit::snapshot
