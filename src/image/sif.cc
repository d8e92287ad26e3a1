#include "image/sif.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "image/squashfs/blocks.h"

namespace culprit::image {
namespace {

using base::ErrorCode;

constexpr size_t kHeader = 128, kDescriptor = 585;
constexpr size_t kMagicAt = 32, kArchAt = 45;
constexpr std::string_view kMagic{"SIF_MAGIC", 10};  // with its NUL
constexpr uint64_t kMostDescriptors = 10'000;

enum DataType : uint32_t { kPartition = 0x4004, kOciRootIndex = 0x400a };
enum FileSystem : uint32_t { kSquashfs = 1, kExt3 = 2, kEncryptedSquashfs = 5, kGocryptfsSquashfs = 6 };
constexpr uint32_t kPrimarySystem = 2;

std::string Architecture(std::string_view code) {
  constexpr std::array<std::string_view, 13> kNames = {"",         "386",     "amd64",  "arm",    "arm64",
                                                       "ppc64",    "ppc64le", "mips",   "mipsle", "mips64",
                                                       "mips64le", "s390x",   "riscv64"};
  if (code.size() != 2 || code[0] < '0' || code[0] > '1' || code[1] < '0' || code[1] > '9') return "";
  const size_t number = static_cast<size_t>(code[0] - '0') * 10 + static_cast<size_t>(code[1] - '0');
  return number < kNames.size() ? std::string(kNames[number]) : "";
}

std::unexpected<base::Error> NotRead(std::string what) {
  return base::Fail(ErrorCode::kUnsupported, std::move(what));
}

base::Result<SifRoot> RootOf(std::span<const std::byte> descriptor, uint64_t file_size) {
  switch (const auto system = LittleAt<uint32_t>(descriptor, 201)) {
    case kSquashfs:
      break;
    case kEncryptedSquashfs:
    case kGocryptfsSquashfs:
      return NotRead(
          "its root file system is encrypted; it can be checked from inside: "
          "apptainer exec --nv IMAGE culprit");
    case kExt3:
      return NotRead("its root file system is ext3; culprit reads only squashfs");
    default:
      return NotRead("its root file system has an unsupported type (" + std::to_string(system) + ")");
  }
  SifRoot root{LittleAt<uint64_t>(descriptor, 17), LittleAt<uint64_t>(descriptor, 25),
               Architecture({reinterpret_cast<const char*>(descriptor.data()) + 209, 2})};
  if (root.begin > file_size || root.size > file_size - root.begin)
    return base::Fail(ErrorCode::kBadFormat, "the SIF is truncated");
  return root;
}

}  // namespace

bool IsSif(std::string_view start) {
  return start.size() > kMagicAt && start.substr(kMagicAt).starts_with(kMagic);
}

base::Result<SifRoot> FindSifRoot(const base::ByteSource& file) {
  std::array<std::byte, kHeader> header;
  if (!ReadExactly(file, 0, header)) return base::Fail(ErrorCode::kBadFormat, "the SIF is truncated");
  const auto total = LittleAt<uint64_t>(header, 88), begin = LittleAt<uint64_t>(header, 96);
  if (total > kMostDescriptors || begin > file.size() || total * kDescriptor > file.size() - begin)
    return base::Fail(ErrorCode::kBadFormat, "the header of the SIF is damaged, or it is truncated");
  bool oci = false;
  std::array<std::byte, kDescriptor> descriptor;
  for (uint64_t i = 0; i < total; ++i) {
    if (auto read = ReadExactly(file, begin + i * kDescriptor, descriptor); !read)
      return std::unexpected(read.error());
    if (descriptor[4] == std::byte{0}) continue;  // not used
    const auto type = LittleAt<uint32_t>(descriptor, 0);
    oci |= type == kOciRootIndex;
    if (type != kPartition || LittleAt<uint32_t>(descriptor, 205) != kPrimarySystem) continue;
    auto root = RootOf(descriptor, file.size());
    if (root && root->architecture.empty())
      root->architecture = Architecture({reinterpret_cast<const char*>(header.data()) + kArchAt, 2});
    return root;
  }
  if (oci) return NotRead("culprit does not read the layers of an OCI-SIF; save the image as an OCI archive");
  return base::Fail(ErrorCode::kBadFormat, "a SIF without a root file system");
}

}  // namespace culprit::image
