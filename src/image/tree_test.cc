#include "image/tree.h"

#include <gtest/gtest.h>

#include "image/test_image.h"

namespace culprit::image {
namespace {

// The image of plain layers, the base first.
Image Of(const std::vector<TestTar>& tars) {
  std::vector<std::string> layers;
  for (const TestTar& tar : tars) layers.push_back(tar.bytes());
  auto image = Opened(OciArchive(layers));
  EXPECT_TRUE(image) << image.error().message;
  return *std::move(image);
}

std::string Names(const Image& image, const std::string& directory) {
  std::string names;
  const auto entries = image.machine->List(directory);
  if (!entries) return "<" + std::string(base::Strerror(entries.error())) + ">";
  for (const auto& entry : *entries) names += (names.empty() ? "" : " ") + entry.name;
  return names;
}

TEST(Tree, UpperLayersReplaceFilesAndKeepDirectories) {
  const Image image = Of({TestTar().Directory("d/").File("d/a", "1").File("d/b", "1"),
                          TestTar().Directory("./d/").File("./d/a", "22")});
  EXPECT_EQ(Text(image, "/d/a"), "22");
  EXPECT_EQ(Text(image, "/d/b"), "1");
  EXPECT_EQ(image.tree->TopLayerOf("/d/a"), 1);
  EXPECT_EQ(image.tree->TopLayerOf("/d/b"), 0);
  EXPECT_EQ(image.tree->TopLayerOf("/none"), -1);
}

TEST(Tree, WhiteoutsRemoveOnlyWhatIsBelow) {
  const Image image =
      Of({TestTar().File("d/a", "1").File("d/b", "1").File("e/f/g", "1"),
          TestTar().File("d/new", "2").File("d/.wh.a", "").File("d/.wh.new", "").File(".wh.e", "")});
  EXPECT_EQ(Names(image, "/d"), "b new");
  EXPECT_EQ(Names(image, "/"), "d");
}

TEST(Tree, KnowsWhoRemovedAndWhoMade) {
  const Image image = Of({TestTar().File("d/a", "1"), TestTar().Directory("d/").File("d/.wh.a", ""),
                          TestTar().Directory("d/").Link("l", "d/a").Directory("new/")});
  EXPECT_EQ(image.tree->TopLayerOf("/d/a"), 1);
  EXPECT_EQ(image.tree->TopLayerOf("/d"), 0);
  EXPECT_EQ(image.tree->TopLayerOf("/l"), 2);
  EXPECT_EQ(image.tree->TopLayerOf("/new"), 2);
  EXPECT_EQ(image.tree->TopLayerOf("/d/never"), -1);
  EXPECT_EQ(image.tree->RemoverIn("/d"), 1);
  EXPECT_EQ(image.tree->RemoverIn("/new"), -1);
}

TEST(Tree, KnowsWhoRemovedALibrary) {
  const Image image = Of({TestTar().File("usr/lib/p/libx.so.1", "1").File("usr/lib/liby.so", "1"),
                          TestTar().File("usr/lib/.wh.p", ""), TestTar().File("usr/lib/.wh..wh..opq", "")});
  EXPECT_EQ(image.tree->RemoverOf("libx.so.1"), 1);
  EXPECT_EQ(image.tree->RemoverOf("libx.so.1.2.3"), 1);
  EXPECT_EQ(image.tree->RemoverOf("libx.so.12"), -1);
  EXPECT_EQ(image.tree->RemoverOf("liby.so"), 2);
  EXPECT_EQ(image.tree->RemoverOfAnyVersion("libx.so"), 1);
  EXPECT_EQ(image.tree->RemoverOfAnyVersion("libx.so.7"), 1);
  EXPECT_EQ(image.tree->RemoverOfAnyVersion("lib.so"), -1);
  EXPECT_EQ(image.tree->RemoverOf("libz.so"), -1);
}

TEST(Tree, KnowsWhoRemovedAProgramOrAPackage) {
  const Image image = Of({TestTar()
                              .File("usr/bin/gcc", "1")
                              .File("usr/share/doc/gcc", "1")
                              .File("site/Nvidia_cuDNN_cu12-9.1.0.dist-info/METADATA", "1")
                              .File("site/torch-2.4.0.dist-info/METADATA", "1"),
                          TestTar().File("usr/share/doc/.wh.gcc", ""), TestTar().File("usr/bin/.wh.gcc", ""),
                          TestTar()
                              .File("site/.wh.Nvidia_cuDNN_cu12-9.1.0.dist-info", "")
                              .File("site/torch-2.4.0.dist-info/.wh.METADATA", "")});
  EXPECT_EQ(image.tree->RemoverOf("gcc"), 2);
  EXPECT_EQ(image.tree->RemoverOf("nvidia-cudnn-cu12"), 3);
  EXPECT_EQ(image.tree->RemoverOf("torch"), -1) << "its directory is still there";
}

TEST(Tree, KnowsWhoRemovedTheDriver) {
  const Image image =
      Of({TestTar().File("l/libcuda.so.535.54.03", "1"), TestTar().File("l/.wh.libcuda.so.535.54.03", "")});
  EXPECT_EQ(image.tree->RemoverOf("libcuda.so.1"), 1);
}

TEST(Tree, KnowsWhoWroteALibraryOrASearchPathAnew) {
  const Image image = Of({TestTar()
                              .File("l/libx.so.1.2", "long")
                              .File("l/liby.so.1", "1")
                              .File("etc/ld.so.conf.d/a.conf", "/cuda/lib64"),
                          TestTar().File("l/libx.so.1.2", "").File("l/liby.so.1", "2"),
                          TestTar().File("etc/ld.so.conf.d/a.conf", "/cuda/lib")});
  EXPECT_EQ(image.tree->ReplacerOf("libx.so.1"), 1);
  EXPECT_EQ(image.tree->ReplacerOf("liby.so.1"), -1) << "of the same size";
  EXPECT_EQ(image.tree->RemoverIn("/etc/ld.so.conf.d"), 2);
}

TEST(Tree, KnowsWhoPutSomethingElseInPlaceOfALibrary) {
  const Image image =
      Of({TestTar()
              .File("d/libx.so.1", "1")
              .File("d/libz.so.1", "1")
              .File("e/liby.so.2", "1")
              .File("e/libok.so.1", "1"),
          TestTar().Add({.path = "d/libx.so.1", .type = '3'}).File("d/libz.so.1", "2"),
          TestTar().Link("e/liby.so.2", "liby.so.2").File("e/real", "2").Link("e/libok.so.1", "real"),
          TestTar().Directory("other/").Link("d", "other")});
  EXPECT_EQ(image.tree->RemoverOf("libx.so.1"), 3) << "its directory is another one now";
  EXPECT_EQ(image.tree->RemoverOf("libz.so.1"), 3);
  EXPECT_EQ(image.tree->RemoverOf("liby.so.2"), 2);
  EXPECT_EQ(image.tree->RemoverOf("libok.so.1"), -1) << "the symlink leads to a file";
  EXPECT_EQ(image.tree->RemoverBelow("/e"), 2);
  EXPECT_EQ(image.tree->RemoverBelow("/d"), 3);
  EXPECT_EQ(image.tree->RemoverBelow("/other"), -1);
}

TEST(Tree, OpaqueDirectoryHidesAllOfTheLayersBelow) {
  const Image image =
      Of({TestTar().File("d/a", "1").File("d/s/x", "1").File("d/t/x", "1"), TestTar()
                                                                                .File("d/s/mine", "2")
                                                                                .File("d/mine", "2")
                                                                                .File("d/.wh..wh..opq", "")
                                                                                .File("d/.wh..wh.plnk", "")});
  EXPECT_EQ(Names(image, "/d"), "mine s");
  EXPECT_EQ(Names(image, "/d/s"), "mine");
}

TEST(Tree, AFileMayBecomeADirectoryAndBack) {
  const Image image =
      Of({TestTar().File("a", "1").File("b/x", "1").Link("c", "b"),
          TestTar().Directory("a/").File("a/y", "2").File("b", "2").Directory("c/").File("c/z", "2")});
  EXPECT_EQ(Text(image, "/a/y"), "2");
  EXPECT_EQ(Text(image, "/b"), "2");
  EXPECT_EQ(Names(image, "/c"), "z");
}

TEST(Tree, HardLinksLeadToFilesOfLayersBelow) {
  const Image image = Of({TestTar().File("a", "one").HardLink("same", "./a"),
                          TestTar().HardLink("b", "/a").File("a", "two").HardLink("none", "nowhere")});
  EXPECT_EQ(Text(image, "/same"), "one");
  EXPECT_EQ(Text(image, "/b"), "one");
  EXPECT_EQ(Text(image, "/a"), "two");
  EXPECT_EQ(image.machine->Stat("/b")->inode, image.machine->Stat("/same")->inode);
  EXPECT_EQ(image.tree->TopLayerOf("/b"), 1);
  ASSERT_EQ(image.tree->left_out().size(), 1u);
  EXPECT_EQ(image.tree->left_out()[0].why, Misfit::kNoLinkTarget);
  EXPECT_EQ(image.tree->left_out()[0].layer, 1u);
}

TEST(Tree, ParentsThatAreSymlinksAreFollowedInside) {
  const Image image = Of({TestTar().Directory("usr/lib/").Link("lib", "usr/lib").Link("abs", "/../usr"),
                          TestTar().File("lib/x", "1").File("abs/y", "2")});
  EXPECT_EQ(Text(image, "/usr/lib/x"), "1");
  EXPECT_EQ(Text(image, "/usr/y"), "2");
  EXPECT_EQ(image.machine->RealPath("/lib/x"), "/usr/lib/x");
  EXPECT_EQ(image.machine->ReadLink("/lib"), "usr/lib");
}

TEST(Tree, NamesThatLeadOutAreLeftOut) {
  const Image image = Of({TestTar()
                              .File("../../etc/passwd", "x")
                              .File("a/../b", "in")
                              .File("/abs", "in")
                              .Link("up", "../../../abs")
                              .Link("l1", "l2")
                              .Link("l2", "l1")
                              .File("l1/x", "")
                              .File("b/x", "")
                              .HardLink("h", "../../etc/shadow")});
  EXPECT_EQ(Names(image, "/"), "abs b l1 l2 up");
  EXPECT_EQ(Text(image, "/up"), "in");
  EXPECT_EQ(Text(image, "/l1"), "<Too many levels of symbolic links>");
  std::vector<Misfit> why;
  for (const LeftOut& out : image.tree->left_out()) why.push_back(out.why);
  EXPECT_EQ(why, (std::vector{Misfit::kClimbs, Misfit::kNoParent, Misfit::kNoParent, Misfit::kClimbs}));
}

TEST(Tree, AnswersErrorsAsLinuxDoes) {
  const Image image = Of({TestTar().File("f", "text").Directory("d/").Add({.path = "fifo", .type = '6'})});
  const auto error = [&](const char* path) {
    const auto file = image.machine->Open(path);
    return file ? base::PathError::kNone : file.error();
  };
  EXPECT_EQ(error("/f/x"), base::PathError::kNotDirectory);
  EXPECT_EQ(error("/f/"), base::PathError::kNotDirectory);
  EXPECT_EQ(error("/none"), base::PathError::kNoEntry);
  EXPECT_EQ(error("f"), base::PathError::kOther);
  EXPECT_EQ(image.machine->Open("/d")->bytes, nullptr);
  EXPECT_EQ(image.machine->Open("/fifo")->bytes, nullptr);
  EXPECT_EQ(Names(image, "/f"), "<Not a directory>");
}

}  // namespace
}  // namespace culprit::image
