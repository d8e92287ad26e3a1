#include "image/manifest.h"

#include <algorithm>
#include <set>

#include "base/bytes/sha256.h"
#include "base/json.h"
#include "base/text.h"
#include "image/json_member.h"

namespace culprit::image {
namespace {

using base::ErrorCode;
using base::Json;

constexpr int kDeepestIndex = 4;
constexpr size_t kMostManifests = 1000;
constexpr size_t kMostLayers = 1000;

// "sha256:HEX" -> "blobs/sha256/HEX"; "" for what is no digest.
std::string BlobName(const std::string& digest) {
  const size_t colon = digest.find(':');
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  if (colon == std::string::npos || colon == 0 || digest.size() - colon < 33 || digest.size() > 200)
    return "";
  const bool good = std::ranges::all_of(digest, [&](char c) { return plain(c) || c == ':'; });
  return good ? "blobs/" + digest.substr(0, colon) + "/" + digest.substr(colon + 1) : "";
}

base::Result<std::string> ReadNamed(const Blobs& blobs, const std::string& name, const std::string& digest) {
  const SharedBytes bytes = blobs.Find(name);
  if (bytes == nullptr) return base::Fail(ErrorCode::kNotFound, name + " is missing");
  auto text = ReadBlob(*bytes, kMostJson);
  if (!text) return base::Fail(text.error().code, name + ": " + text.error().message);
  if (digest.starts_with("sha256:")) {
    base::Sha256 hash;
    hash.Add(std::as_bytes(std::span(*text)));
    if ("sha256:" + hash.Hex() != digest)
      return base::Fail(ErrorCode::kBadFormat, name + " does not match its digest");
  }
  return text;
}

base::Result<Json> ReadJson(const Blobs& blobs, const std::string& name, const std::string& digest = "") {
  const auto text = ReadNamed(blobs, name, digest);
  if (!text) return std::unexpected(text.error());
  Json json = base::ParseJson(*text);
  if (json.is_discarded()) return base::Fail(ErrorCode::kBadFormat, name + " is not valid JSON");
  return json;
}

base::Result<ImageConfig> ReadConfig(const Blobs& blobs, const std::string& name, const std::string& digest) {
  const auto text = ReadNamed(blobs, name, digest);
  if (!text) return std::unexpected(text.error());
  return ParseConfig(*text);
}

std::string DigestOfName(const std::string& name) {
  constexpr std::string_view kFolder = "blobs/sha256/";
  return name.starts_with(kFolder) ? "sha256:" + name.substr(kFolder.size()) : "";
}

base::Result<ImageParts> PartsOfDocker(const Blobs& blobs, const Json& manifest) {
  if (!manifest.is_array() || manifest.empty() || !manifest.front().is_object())
    return base::Fail(ErrorCode::kBadFormat, "manifest.json lists no image");
  std::set<std::string> configs;
  std::string names;
  for (const Json& image : manifest) {
    configs.insert(MemberText(image, "Config"));
    const Json& tags = Member(image, "RepoTags");
    if (tags.is_array() && !tags.empty() && tags.front().is_string())
      names += (names.empty() ? "" : ", ") + tags.front().get<std::string>();
  }
  if (configs.size() > 1) {
    return base::Fail(ErrorCode::kUnsupported, "contains " + std::to_string(configs.size()) + " images" +
                                                   (names.empty() ? "" : " (" + names + ")") +
                                                   "; save only the image to check");
  }
  if (configs.begin()->empty())
    return base::Fail(ErrorCode::kBadFormat, "manifest.json names no configuration (\"Config\")");
  auto config = ReadConfig(blobs, *configs.begin(), DigestOfName(*configs.begin()));
  if (!config) return std::unexpected(config.error());
  ImageParts parts{.config = *std::move(config)};
  const Json& layers = Member(manifest.front(), "Layers");
  if (!layers.is_array() || layers.size() > kMostLayers)
    return base::Fail(ErrorCode::kBadFormat, "manifest.json lists no layers, or too many");
  for (const Json& layer : layers) {
    if (!layer.is_string())
      return base::Fail(ErrorCode::kBadFormat, "manifest.json lists a layer without name");
    std::string name = layer.get<std::string>();
    std::string digest = DigestOfName(name);
    parts.layers.push_back({std::move(name), std::move(digest)});
  }
  return parts;
}

// An image manifest that an index leads to.
struct Leaf {
  std::string digest;
  std::optional<ImagePlatform> platform;
  Json manifest;
};

// Whether a manifest describes another one: signatures and build records.
bool IsAttached(const Json& descriptor) {
  const Json& annotations = Member(descriptor, "annotations");
  return !MemberText(annotations, "vnd.docker.reference.type").empty() ||
         MemberText(Member(descriptor, "platform"), "os") == "unknown";
}

std::optional<ImagePlatform> PlatformOf(const Json& descriptor) {
  const Json& platform = Member(descriptor, "platform");
  if (!platform.is_object()) return std::nullopt;
  return ImagePlatform{MemberText(platform, "os"), MemberText(platform, "architecture"),
                       MemberText(platform, "variant")};
}

// Every image manifest below an index. Those whose blob is not in the archive are left out: docker save
// keeps the index of all platforms beside the blobs of one. `seen`: what was read already, which is read once
// however often it is listed.
base::Result<void> AddLeaves(const Blobs& blobs, const Json& index, int depth, std::set<std::string>& seen,
                             std::vector<Leaf>& leaves) {
  const Json& manifests = Member(index, "manifests");
  if (!manifests.is_array()) return {};
  for (const Json& descriptor : manifests) {
    const std::string digest = MemberText(descriptor, "digest"), name = BlobName(digest);
    if (IsAttached(descriptor) || name.empty() || blobs.Find(name) == nullptr) continue;
    if (depth >= kDeepestIndex || leaves.size() >= kMostManifests)
      return base::Fail(ErrorCode::kTooLarge, "indexes nested too deeply");
    if (!seen.insert(digest).second) continue;
    auto json = ReadJson(blobs, name, digest);
    if (!json) return std::unexpected(json.error());
    if (Member(*json, "manifests").is_array()) {
      if (auto added = AddLeaves(blobs, *json, depth + 1, seen, leaves); !added) return added;
    } else if (Member(*json, "config").is_object()) {
      leaves.push_back({digest, PlatformOf(descriptor), *std::move(json)});
    }
  }
  return {};
}

std::string Listed(const std::vector<Leaf>& leaves) {
  std::string list;
  for (const Leaf& leaf : leaves) {
    const std::string name = leaf.platform ? leaf.platform->ToString() : leaf.digest.substr(0, 19);
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

base::Result<ImageParts> PartsOfManifest(const Blobs& blobs, const Json& manifest) {
  const std::string digest = MemberText(Member(manifest, "config"), "digest");
  if (BlobName(digest).empty())
    return base::Fail(ErrorCode::kBadFormat,
                      "the manifest names no configuration (\"config\" with a digest)");
  auto config = ReadConfig(blobs, BlobName(digest), digest);
  if (!config) return std::unexpected(config.error());
  ImageParts parts{.config = *std::move(config)};
  const Json& layers = Member(manifest, "layers");
  if (!layers.is_array() || layers.size() > kMostLayers)
    return base::Fail(ErrorCode::kBadFormat, "the manifest lists no layers, or too many");
  for (const Json& layer : layers) {
    std::string layer_digest = MemberText(layer, "digest");
    std::string name = BlobName(layer_digest);
    if (name.empty()) return base::Fail(ErrorCode::kBadFormat, "the manifest lists a layer without digest");
    const bool encrypted = MemberText(layer, "mediaType").ends_with("+encrypted");
    parts.layers.push_back({std::move(name), std::move(layer_digest), encrypted});
  }
  return parts;
}

base::Result<ImageParts> PartsOfIndex(const Blobs& blobs, const std::optional<ImagePlatform>& platform) {
  const auto index = ReadJson(blobs, "index.json");
  if (!index) return std::unexpected(index.error());
  std::set<std::string> seen;
  std::vector<Leaf> leaves;
  if (auto added = AddLeaves(blobs, *index, 0, seen, leaves); !added) return std::unexpected(added.error());
  if (leaves.empty()) return base::Fail(ErrorCode::kBadFormat, "index.json contains no image");
  std::vector<Leaf> fitting = leaves;
  std::erase_if(fitting, [&](const Leaf& leaf) {
    return platform && leaf.platform && !leaf.platform->Fits(*platform);
  });
  if (fitting.empty()) {
    return base::Fail(ErrorCode::kNotFound,
                      "no image for " + platform->ToString() + "; contains " + Listed(leaves));
  }
  if (fitting.size() > 1) {
    return base::Fail(ErrorCode::kUnsupported, "contains " + std::to_string(fitting.size()) + " images (" +
                                                   Listed(fitting) + "); choose one with --platform");
  }
  return PartsOfManifest(blobs, fitting.front().manifest);
}

}  // namespace

bool LooksLikeImage(const Blobs& blobs) {
  return blobs.Find("manifest.json") != nullptr || blobs.Find("index.json") != nullptr;
}

base::Result<ImageParts> FindParts(const Blobs& blobs, const std::optional<ImagePlatform>& platform) {
  const bool docker = blobs.Find("manifest.json") != nullptr;
  const bool index = blobs.Find("index.json") != nullptr;
  base::Result<ImageParts> parts = base::Fail(ErrorCode::kBadFormat, "neither manifest.json nor index.json");
  if (docker && (!platform || !index)) {
    const auto manifest = ReadJson(blobs, "manifest.json");
    if (!manifest) return std::unexpected(manifest.error());
    parts = PartsOfDocker(blobs, *manifest);
  } else if (index) {
    parts = PartsOfIndex(blobs, platform);
  }
  if (parts && platform && !parts->config.platform.Fits(*platform)) {
    return base::Fail(ErrorCode::kNotFound, "no image for " + platform->ToString() + "; contains " +
                                                parts->config.platform.ToString());
  }
  return parts;
}

}  // namespace culprit::image
