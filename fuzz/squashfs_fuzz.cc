// Any bytes as a squashfs, or as a SIF around one: every directory, symlink and file can be read or says why
// not. The same bytes as a script of Apptainer's.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "image/sif.h"
#include "image/singularity.h"
#include "image/squashfs/squashfs_system.h"
#include "require.h"

namespace {

namespace base = culprit::base;
namespace image = culprit::image;
using culprit::system::FileType;

void ReadSome(const base::ByteSource& bytes) {
  std::array<std::byte, 100> some;
  for (const uint64_t offset : {uint64_t{0}, bytes.size() / 2, bytes.size() - 1, bytes.size()}) {
    const auto got = bytes.ReadAt(offset, some);
    Require(!got || *got <= some.size());
  }
}

// `left`: how many entries may still be looked at.
void Visit(const image::SquashfsSystem& machine, const std::string& path, int depth, int& left) {
  const auto entries = machine.List(path);
  if (!entries || depth > 20) return;
  for (const auto& entry : *entries) {
    if (--left <= 0) return;
    Require(!entry.name.empty() && entry.name.find('/') == entry.name.npos);
    const std::string below = (path == "/" ? "" : path) + "/" + entry.name;
    const auto status = machine.LinkStat(below);
    Require(!status || status->type == entry.type);
    if (entry.type == FileType::kLink) static_cast<void>(machine.ReadLink(below));
    if (entry.type == FileType::kDirectory) Visit(machine, below, depth + 1, left);
    if (const auto file = machine.Open(below); file && file->bytes) ReadSome(*file->bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  image::SharedBytes bytes = std::make_shared<base::MemorySource>(std::as_bytes(std::span(data, size)));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::map<std::string, std::string> variables;
  image::ReadExports(text, variables);
  if (image::IsSif(text)) {
    const auto root = image::FindSifRoot(*bytes);
    if (!root) return 0;
    Require(root->begin <= size && root->size <= size - root->begin);
    bytes = std::make_shared<image::PartOfBytes>(bytes, root->begin, root->size);
  }
  auto volume = image::SquashfsVolume::Open(bytes);
  if (!volume) return 0;
  const auto troubles = std::make_shared<image::Troubles>();
  const image::SquashfsSystem machine(*std::move(volume), {.entries = 2000, .text = 1 << 20}, troubles);
  int left = 300;
  Visit(machine, "/", 0, left);
  return 0;
}
