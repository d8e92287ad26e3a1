// Any bytes as a layer of an image, plain or compressed: entries, the merged tree, and every file can be read
// or says why not.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "image/layer.h"
#include "image/tree.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace base = culprit::base;
  namespace image = culprit::image;
  const auto blob = std::make_shared<base::MemorySource>(std::as_bytes(std::span(data, size)));
  const auto spool = std::make_shared<image::Spool>(8 << 20);
  image::Budget budget{.entries = 2000, .text = 1 << 20, .unpacked = 8 << 20};
  const image::KeepRules rules;
  image::LayerContents contents = image::ReadLayer(blob, {rules, *spool, budget});
  image::Tree tree;
  tree.Add(contents.entries);
  tree.Add(contents.entries);  // over itself
  const image::Layer layer(blob, std::move(contents), spool);
  for (size_t i = 0; i < layer.entries().size() && i < 20; ++i) {
    std::array<std::byte, 100> some;
    const uint64_t whole = layer.entries()[i].size;
    for (const uint64_t offset : {uint64_t{0}, whole / 2, whole}) {
      const auto got = layer.ReadAt(i, offset, some);
      Require(!got || *got <= some.size());
    }
  }
  for (const auto& entry : tree.List(*tree.Find("/"))) {
    Require(!entry.name.empty() && entry.name.find('/') == entry.name.npos);
    const std::string path = "/" + entry.name;
    Require(tree.Walk(path, culprit::system::LastLink::kKeep) == path);
    Require(tree.TopLayerOf(path) >= -1);
  }
  return 0;
}
