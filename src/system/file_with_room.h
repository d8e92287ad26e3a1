// A file with its disk space already allocated, so that writing to it through a mapping cannot fail. It stays
// open here: whatever a program makes of its name, we read the file that we made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace culprit::system {

class FileWithRoom {
 public:
  virtual ~FileWithRoom() = default;
  virtual uint64_t size() const = 0;
  virtual bool Write(uint64_t at, std::string_view bytes) = 0;
  // Less than `most` at its end.
  virtual std::string Read(uint64_t at, uint64_t most) const = 0;
};

// Private to the user, and new. Its size is `most`, or less if there is not enough space; null on failure.
std::unique_ptr<FileWithRoom> MakeFileWithRoom(const std::string& path, uint64_t most, uint64_t least);

}  // namespace culprit::system
