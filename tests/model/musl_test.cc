// Rules of musl's loader, on a made-up machine; tests/gold compares with the real loader.
#include <gtest/gtest.h>

#include "model/world.h"

namespace culprit::model {
namespace {

using Strings = std::vector<std::string>;

class MuslWorld : public World {
 public:
  MuslWorld() {
    Library("/lib/x86_64-linux-musl/libc.so", {});
    system.AddLink("/lib/ld-musl-x86_64.so.1", "x86_64-linux-musl/libc.so");
    system.SetWorkingDirectory("/home");
    system.SetEnvironment({{"LD_LIBRARY_PATH", "../own:../lib"}});
    system.AddFile("/home/p",
                   BuildElf({.needed = {"ld-musl-x86_64.so.1"}, .interpreter = "/lib/ld-musl-x86_64.so.1"}),
                   0755);
  }
};

TEST(Musl, ASearchThatFindsTheRunningLoaderLoadsNothing) {
  MuslWorld world;
  const auto graph = world.Load("/home/p");
  EXPECT_EQ(graph.error, "");
  EXPECT_EQ(Loads(graph), Strings{});
  ASSERT_EQ(graph.requests.size(), 1u);
  ASSERT_EQ(graph.requests[0].attempts.size(), 2u) << "it is found, and not known by its name";
  EXPECT_EQ(graph.requests[0].attempts[1].path, "../lib/ld-musl-x86_64.so.1");
  EXPECT_FALSE(graph.requests[0].loaded_now);
}

TEST(Musl, AnotherFileOfTheLoadersNameIsALibraryLikeAnyOther) {
  MuslWorld world;
  world.Library("/own/ld-musl-x86_64.so.1", {});
  EXPECT_EQ(Loads(world.Load("/home/p")), Strings{"../own/ld-musl-x86_64.so.1 [ld_library_path]"});
}

}  // namespace
}  // namespace culprit::model
