// What cuDNN opens at run time, through the table of known dlopen calls.
#include <gtest/gtest.h>

#include "model/world.h"

namespace culprit::model {
namespace {

constexpr uint32_t Word(uint32_t major, uint32_t minor, uint32_t patch) {
  return major << 16 | minor << 8 | patch;
}

// All files of one cuDNN 9 in one directory, named as in pip wheels.
void AddCudnn9(World& world, const std::string& directory, uint32_t version, bool shim = true) {
  const auto part = [&](const std::string& stem, std::vector<std::string> needed,
                        std::vector<std::pair<std::string, uint32_t>> words) {
    const std::string name = "lib" + stem + ".so.9";
    world.Library(
        directory + "/" + name,
        {.soname = name, .needed = std::move(needed), .runpath = "$ORIGIN", .words = std::move(words)});
  };
  if (shim) part("cudnn", {}, {});
  part("cudnn_graph", {}, {{"cudnn_graph_version", version}});
  part("cudnn_ops", {"libcudnn_graph.so.9"}, {});
  part("cudnn_cnn", {"libcudnn_ops.so.9", "libcudnn_graph.so.9"}, {});
  part("cudnn_adv", {"libcudnn_ops.so.9", "libcudnn_graph.so.9"}, {});
  part("cudnn_heuristic", {"libcudnn_graph.so.9"}, {});
  part("cudnn_engines_precompiled", {"libcudnn_graph.so.9"}, {});
  part("cudnn_engines_runtime_compiled", {"libcudnn_graph.so.9"}, {});
}

std::string PathOf(const loader::LoadGraph& graph, const std::string& soname) {
  for (const auto& object : graph.objects) {
    if (object.elf->soname == soname) return object.path;
  }
  return "";
}

TEST(Cudnn, ItsPartsComeFromBesideIt) {
  World world;
  AddCudnn9(world, "/site/nvidia/cudnn/lib", Word(9, 19, 0));
  world.Program("/p", {.needed = {"libcudnn.so.9"}, .rpath = "/site/nvidia/cudnn/lib"});
  const auto graph = world.Load("/p");
  for (const char* part :
       {"libcudnn_graph.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_adv.so.9"}) {
    EXPECT_EQ(PathOf(graph, part), std::string("/site/nvidia/cudnn/lib/") + part);
  }
}

TEST(Cudnn, LdLibraryPathTakesThePartsAwayFromTheShim) {
  World world;
  AddCudnn9(world, "/site/nvidia/cudnn/lib", Word(9, 19, 0));
  AddCudnn9(world, "/usr/lib/x86_64-linux-gnu", Word(9, 14, 0));
  world.system.SetEnvironment({{"LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu"}});
  world.Program("/p", {.needed = {"libcudnn.so.9"}, .rpath = "/site/nvidia/cudnn/lib"});
  const auto graph = world.Load("/p");
  EXPECT_EQ(PathOf(graph, "libcudnn.so.9"), "/site/nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(PathOf(graph, "libcudnn_graph.so.9"), "/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9");
}

TEST(Cudnn, AMissingPartIsMissedUnderItsSoname) {
  World world;
  AddCudnn9(world, "/d", Word(9, 19, 0));
  world.system.Remove("/d/libcudnn_cnn.so.9");
  world.Program("/p", {.needed = {"libcudnn.so.9"}, .rpath = "/d"});
  const auto graph = world.Load("/p");
  std::vector<std::string> missing;
  for (const auto& request : graph.requests) {
    if (!request.error.empty() && !request.alternative && !request.optional) missing.push_back(request.name);
  }
  EXPECT_EQ(missing, std::vector<std::string>{"libcudnn_cnn.so.9"});
  EXPECT_EQ(graph.error, "") << "the program starts all the same";
}

TEST(Cudnn, NamesWithTheFullVersionAreTriedFirst) {
  World world;
  AddCudnn9(world, "/d", Word(9, 19, 0));
  world.Library("/env/libcudnn_ops.so.9.19.0", {.soname = "libcudnn_ops.so.9"});
  world.system.SetEnvironment({{"LD_LIBRARY_PATH", "/env"}});
  world.Program("/p", {.needed = {"libcudnn.so.9"}, .rpath = "/d"});
  EXPECT_EQ(PathOf(world.Load("/p"), "libcudnn_ops.so.9"), "/env/libcudnn_ops.so.9.19.0");
}

}  // namespace
}  // namespace culprit::model
