// An archive that comes only once, such as `docker save IMAGE | culprit check -`, or one that is compressed
// as a whole. Layers are read as they pass by; which of them count, and in which order, says the manifest,
// which may come last.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/bytes/byte_stream.h"
#include "image/blobs.h"
#include "image/layer_contents.h"

namespace culprit::image {

class StreamedBlobs final : public Blobs {
 public:
  // Manifests and configurations; of layers there is only what TakeLayer() has.
  SharedBytes Find(const std::string& name) const override;
  // nullopt: there is none.
  std::optional<LayerContents> TakeLayer(const std::string& name);
  bool is_root_file_system() const { return root_.has_value(); }
  // All files of an archive that is no image.
  LayerContents TakeRoot() { return std::move(*root_); }

  // Reads the archive to its end.
  static base::Result<std::unique_ptr<StreamedBlobs>> Read(std::unique_ptr<base::ByteStream> stream,
                                                           const LayerReading& reading);

 private:
  base::Result<void> ReadMember(binfmt::TarReader& reader, const binfmt::TarEntry& entry,
                                const LayerReading& reading);
  std::string Resolve(const std::string& name) const;

  std::map<std::string, SharedBytes> texts_;
  std::map<std::string, LayerContents> layers_;
  std::map<std::string, std::string> links_;
  std::optional<LayerContents> root_;
  uint64_t text_bytes_ = 0;
};

}  // namespace culprit::image
