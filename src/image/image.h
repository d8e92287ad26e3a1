// A container image as `docker save`, `podman save`, `skopeo copy`, Apptainer and others write it, or the
// archive of a root file system (`docker export`, mksquashfs), opened as a machine. Nothing is unpacked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes/byte_stream.h"
#include "image/config.h"
#include "image/layer.h"
#include "image/layer_contents.h"
#include "image/tree.h"
#include "image/troubles.h"
#include "system/system.h"

namespace culprit::image {

struct ImageOptions {
  std::optional<ImagePlatform> platform{};  // for an image with several
  KeepRules keep{};
  bool hash_plain = false;  // of large layers that are not compressed too
  Budget budget{};
  uint64_t spool_limit = uint64_t{4} << 30;
  std::function<void(size_t layer, size_t layers)> progress{};
};

struct ImageLayer {
  std::string digest;                    // "sha256:..."; "" if the image does not say
  std::string created_by;                // as the builder wrote it
  std::optional<base::Error> problem{};  // why not all of it was read
  std::shared_ptr<const Layer> files{};
};

struct Image {
  ImageConfig config;
  std::vector<ImageLayer> layers;  // the base first; none in a squashfs
  std::shared_ptr<const Tree> tree;
  std::shared_ptr<const system::System> machine;
  std::shared_ptr<const Troubles> troubles{};  // of a squashfs, which is read as it is looked at; else null
};

// Whether a file or folder of `host` may be an image, by its first bytes or its names.
bool MayBeImage(const system::System& host, const std::string& path);

// An error if there is no usable image. An unreadable layer is not an error but a problem.
base::Result<Image> OpenImage(const system::System& host, const std::string& path,
                              const ImageOptions& options);
// An archive that comes only once.
base::Result<Image> OpenImage(std::unique_ptr<base::ByteStream> stream, const ImageOptions& options);

}  // namespace culprit::image
