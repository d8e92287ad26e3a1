// From the names in an image to its configuration and layers: a Docker archive (manifest.json, of docker
// save, podman save, kaniko, bazel) or an OCI layout (index.json, of skopeo, buildah, umoci, buildx, docker
// save). https://github.com/opencontainers/image-spec (image-layout.md, image-index.md, manifest.md)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/blobs.h"
#include "image/config.h"

namespace culprit::image {

// A larger manifest or configuration is not read.
inline constexpr uint64_t kMostJson = 8 << 20;

struct LayerPart {
  std::string name;        // of its blob
  std::string digest{};    // "sha256:..." of the blob; "" if the format does not say
  bool encrypted = false;  // media type "...+encrypted"
};

struct ImageParts {
  ImageConfig config;
  std::vector<LayerPart> layers;  // the base first
};

// Whether these are the parts of an image at all.
bool LooksLikeImage(const Blobs& blobs);

// An error if there is no image, none for `platform`, or several and no platform was given.
base::Result<ImageParts> FindParts(const Blobs& blobs, const std::optional<ImagePlatform>& platform);

}  // namespace culprit::image
