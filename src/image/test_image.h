// For tests: images made by hand, from layers made by hand.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "base/bytes/sha256.h"
#include "binfmt/tar/test_tar.h"
#include "image/image.h"
#include "system/memory.h"

namespace culprit::image {

using binfmt::TestTar;

inline std::string Gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string Zstandard(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

inline std::string DigestOf(const std::string& bytes) {
  base::Sha256 hash;
  hash.Add(std::as_bytes(std::span(bytes)));
  return "sha256:" + hash.Hex();
}

// The members of an OCI layout.
class TestLayout {
 public:
  std::string Blob(const std::string& bytes) {
    const std::string digest = DigestOf(bytes);
    tar_.File("blobs/sha256/" + digest.substr(7), bytes);
    return digest;
  }
  // The digest of a manifest with these layers.
  std::string Image(const std::vector<std::string>& layers, const std::string& config) {
    std::string list;
    for (const std::string& layer : layers)
      list += (list.empty() ? "" : ",") + (R"({"digest":")" + Blob(layer) + "\"}");
    return Blob(R"({"config":{"digest":")" + Blob(config) + R"("},"layers":[)" + list + "]}");
  }
  // Descriptors, as JSON.
  std::string Index(const std::string& manifests) { return R"({"manifests":[)" + manifests + "]}"; }
  static std::string Descriptor(const std::string& digest, const std::string& more = "") {
    return R"({"digest":")" + digest + "\"" + more + "}";
  }
  std::string Finished(const std::string& index) {
    return tar_.File("index.json", index).File("oci-layout", "{}").bytes();
  }

 private:
  TestTar tar_;
};

inline constexpr const char* kConfig =
    R"({"os":"linux","architecture":"amd64","config":{"Env":["A=1"],"WorkingDir":"/w"}})";

inline std::string OciArchive(const std::vector<std::string>& layers, const std::string& config = kConfig) {
  TestLayout layout;
  const std::string manifest = layout.Image(layers, config);
  return layout.Finished(layout.Index(TestLayout::Descriptor(manifest)));
}

inline std::string DockerArchive(const std::vector<std::string>& layers,
                                 const std::string& config = kConfig) {
  TestTar tar;
  std::string list;
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::string name = std::string(12, static_cast<char>('a' + i)) + "/layer.tar";
    tar.File(name, layers[i]);
    list += (list.empty() ? "\"" : ",\"") + name + "\"";
  }
  tar.File("config.json", config);
  return tar.File("manifest.json", R"([{"Config":"config.json","RepoTags":["x:1"],"Layers":[)" + list + "]}]")
      .bytes();
}

inline base::Result<Image> Opened(const std::string& archive, const ImageOptions& options = {}) {
  system::MemorySystem host;
  host.AddFile("/image.tar", archive);
  return OpenImage(host, "/image.tar", options);
}

inline std::string Text(const Image& image, const std::string& path) {
  const auto text = system::ReadWholeFile(*image.machine, path, 100 << 20);
  return text ? *text : "<" + std::string(base::Strerror(text.error())) + ">";
}

}  // namespace culprit::image
