#include "image/image.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/windows/path.h"
#include "binfmt/tar/fields.h"
#include "image/image_system.h"
#include "image/manifest.h"
#include "image/sif.h"
#include "image/singularity.h"
#include "image/squashfs/squashfs_system.h"
#include "image/stream.h"
#include "image/tar_input.h"
#include "packed/peeked_stream.h"
#include "packed/unpacked.h"

namespace culprit::image {
namespace {

using base::ErrorCode;
using system::FileType;
using system::System;

// A layer as it was read, and where it can be read again.
struct ReadPart {
  LayerContents contents;
  SharedBytes blob;  // null: nowhere
};

ReadPart Unreadable(ErrorCode code, std::string why) {
  return {LayerContents{.problem = base::Error{code, std::move(why)}}, nullptr};
}

// What is wrong with the bytes of a layer, if it could be told.
std::optional<base::Error> Mismatch(const LayerPart& part, const LayerContents& contents,
                                    const std::string& diff_id) {
  const std::string& expected = part.digest.empty() && contents.plain ? diff_id : part.digest;
  if (contents.digest.empty() || !expected.starts_with("sha256:") || contents.digest == expected)
    return std::nullopt;
  return base::Error{ErrorCode::kBadFormat, "its bytes do not match the digest " + expected.substr(0, 19)};
}

bool IsRootFileSystem(const System& machine) {
  const auto there = [&](const char* path) { return machine.Stat(path).has_value(); };
  return there("/etc") && (there("/usr") || there("/lib"));
}

class Assembly {
 public:
  explicit Assembly(const ImageOptions& options)
      : options_(options),
        budget_(options.budget),
        spool_(std::make_shared<Spool>(options.spool_limit)),
        tree_(std::make_shared<Tree>()) {}

  LayerReading reading() { return {options_.keep, *spool_, budget_, options_.hash_plain}; }

  template <typename ReadOne>
  base::Result<Image> FromParts(ImageParts parts, ReadOne read_one) {
    if (parts.config.platform.os == "windows")
      return base::Fail(ErrorCode::kUnsupported, "a Windows image; culprit reads only Linux images");
    Image image{.config = std::move(parts.config)};
    std::vector<std::string> steps = image.config.CreatedBy(parts.layers.size());
    const bool known = image.config.diff_ids.size() == parts.layers.size();
    for (size_t i = 0; i < parts.layers.size(); ++i) {
      if (options_.progress) options_.progress(i, parts.layers.size());
      const std::string diff_id = known ? image.config.diff_ids[i] : "";
      ReadPart read = read_one(parts.layers[i]);
      ImageLayer layer{.digest = parts.layers[i].digest.empty() ? diff_id : parts.layers[i].digest,
                       .created_by = std::move(steps[i]),
                       .problem = read.contents.problem};
      if (!layer.problem) layer.problem = Mismatch(parts.layers[i], read.contents, diff_id);
      layer.files = Lay(std::move(read));
      image.layers.push_back(std::move(layer));
    }
    return Finish(std::move(image));
  }

  base::Result<Image> FromRoot(ReadPart read) {
    Image image;
    image.layers.push_back({.problem = read.contents.problem});
    image.layers.back().files = Lay(std::move(read));
    auto made = Finish(std::move(image));
    if (made && !IsRootFileSystem(*made->machine)) {
      return base::Fail(ErrorCode::kBadFormat,
                        "neither an image (no manifest.json, no index.json) nor a root file system");
    }
    return made;
  }

 private:
  std::shared_ptr<const Layer> Lay(ReadPart read) {
    auto layer = std::make_shared<Layer>(std::move(read.blob), std::move(read.contents), spool_);
    tree_->Add(layer->entries());
    layer->ForgetNames();
    return layers_.emplace_back(std::move(layer));
  }

  base::Result<Image> Finish(Image image) {
    if (const auto failure = spool_->failure()) {
      return base::Fail(failure->code, "no space for temporary files of compressed layers: " +
                                           failure->message + "; set TMPDIR to a directory with free space");
    }
    image.tree = tree_;
    image.machine = std::make_shared<ImageSystem>(image.config, std::move(layers_), tree_);
    return image;
  }

  const ImageOptions& options_;
  Budget budget_;
  std::shared_ptr<Spool> spool_;
  std::shared_ptr<Tree> tree_;
  std::vector<std::shared_ptr<const Layer>> layers_;
};

base::Result<Image> FromBlobs(const Blobs& blobs, const ImageOptions& options) {
  auto parts = FindParts(blobs, options.platform);
  if (!parts) return std::unexpected(parts.error());
  Assembly assembly(options);
  return assembly.FromParts(*std::move(parts), [&](const LayerPart& part) {
    if (part.encrypted) return Unreadable(ErrorCode::kUnsupported, "encrypted");
    SharedBytes blob = blobs.Find(part.name);
    if (blob == nullptr) return Unreadable(ErrorCode::kNotFound, part.name + " is missing");
    LayerContents contents = ReadLayer(blob, assembly.reading());
    return ReadPart{std::move(contents), std::move(blob)};
  });
}

base::Result<Image> FromSquashfs(SharedBytes file, Image image, const ImageOptions& options) {
  auto volume = SquashfsVolume::Open(std::move(file));
  if (!volume) return std::unexpected(volume.error());
  const auto troubles = std::make_shared<Troubles>();
  const auto machine = std::make_shared<SquashfsSystem>(*std::move(volume), options.budget, troubles);
  if (!IsRootFileSystem(*machine) && troubles->All().first.empty())
    return base::Fail(ErrorCode::kBadFormat, "a squashfs without a root file system");
  ReadSingularity(*machine, image.config);
  machine->SetEnvironment(image.config.environment);
  image.tree = std::make_shared<Tree>();
  image.machine = machine;
  image.troubles = troubles;
  return image;
}

base::Result<Image> FromSif(const SharedBytes& file, const ImageOptions& options) {
  const auto root = FindSifRoot(*file);
  if (!root) return std::unexpected(root.error());
  Image image{.config = {.platform = {"linux", root->architecture, ""}}};
  if (options.platform && !image.config.platform.Fits(*options.platform))
    return base::Fail(ErrorCode::kNotFound, "this image is for " + image.config.platform.ToString());
  return FromSquashfs(std::make_shared<PartOfBytes>(file, root->begin, root->size), std::move(image),
                      options);
}

base::Result<Image> FromFile(SharedBytes file, const ImageOptions& options) {
  std::array<char, 64> bytes{};
  const auto got = file->ReadAt(0, std::as_writable_bytes(std::span(bytes)));
  if (!got) return std::unexpected(got.error());
  const std::string_view start(bytes.data(), *got);
  if (IsSif(start)) return FromSif(file, options);
  if (IsSquashfs(start)) return FromSquashfs(std::move(file), Image(), options);
  if (packed::IsPacked(start)) return OpenImage(std::make_unique<BytesStream>(std::move(file)), options);
  const auto blobs = ArchiveBlobs::Open(file);
  if (!blobs) return std::unexpected(blobs.error());
  if (LooksLikeImage(**blobs)) return FromBlobs(**blobs, options);
  Assembly assembly(options);
  LayerContents contents = ReadLayer(file, assembly.reading());
  return assembly.FromRoot({std::move(contents), std::move(file)});
}

base::Error At(const std::string& path, const base::Error& error) {
  return {error.code, path + ": " + error.message};
}

}  // namespace

base::Result<Image> OpenImage(std::unique_ptr<base::ByteStream> stream, const ImageOptions& options) {
  auto peeked = std::make_unique<packed::PeekedStream>(std::move(stream));
  if (const std::string_view start = peeked->Peek(64); IsSif(start) || IsSquashfs(start)) {
    return base::Fail(ErrorCode::kUnsupported,
                      "a SIF or squashfs cannot be read from a stream; save it to a file and check that");
  }
  Assembly assembly(options);
  const auto blobs = StreamedBlobs::Read(std::move(peeked), assembly.reading());
  if (!blobs) return std::unexpected(blobs.error());
  if ((*blobs)->is_root_file_system()) return assembly.FromRoot({(*blobs)->TakeRoot(), nullptr});
  auto parts = FindParts(**blobs, options.platform);
  if (!parts) return std::unexpected(parts.error());
  return assembly.FromParts(*std::move(parts), [&](const LayerPart& part) {
    if (part.encrypted) return Unreadable(ErrorCode::kUnsupported, "encrypted");
    auto contents = (*blobs)->TakeLayer(part.name);
    if (!contents) return Unreadable(ErrorCode::kNotFound, part.name + " is missing, or not a layer");
    return ReadPart{*std::move(contents), nullptr};
  });
}

base::Result<Image> OpenImage(const System& host, const std::string& path, const ImageOptions& options) {
  auto file = host.Open(path);
  if (!file) {
    const auto code =
        file.error() == base::PathError::kNoEntry ? ErrorCode::kNotFound : ErrorCode::kNotReadable;
    return base::Fail(code, path + ": " + std::string(base::Strerror(file.error())));
  }
  base::Result<Image> image = base::Fail(ErrorCode::kBadFormat, "not a regular file");
  if (file->bytes) {
    image = FromFile(std::move(file->bytes), options);
  } else if (file->status.type == FileType::kDirectory) {
    auto folder = system::RootedSystem(base::ToWindowsPath(path));
    if (!folder) return std::unexpected(folder.error());
    image = FromBlobs(FolderBlobs(*std::move(folder)), options);
  }
  if (!image) return std::unexpected(At(path, image.error()));
  return image;
}

bool MayBeImage(const System& host, const std::string& path) {
  const auto file = host.Open(path);
  if (!file) return false;
  if (file->status.type == FileType::kDirectory) {
    const auto there = [&](const char* name) { return host.Stat(base::JoinPath(path, name)).has_value(); };
    return (there("oci-layout") || there("blobs")) && there("index.json");
  }
  if (!file->bytes) return false;
  std::array<char, 512> start{};
  const auto got = file->bytes->ReadAt(0, std::as_writable_bytes(std::span(start)));
  if (!got) return false;
  const std::string_view text(start.data(), *got);
  return packed::IsPacked(text) || IsSif(text) || IsSquashfs(text) ||
         (*got == start.size() && binfmt::SumIsRight(start));
}

}  // namespace culprit::image
