// Input that is read from front to back: standard input, a file, a pipe that has a name.
#pragma once

#include <memory>
#include <string>

#include "base/byte_stream.h"

namespace culprit::system {

class InputStream : public base::ByteStream {
 public:
  // Whether there is something to read (or the end) within that time.
  virtual bool Wait(int milliseconds) = 0;
};

std::unique_ptr<InputStream> StandardInput();
bool StandardInputIsTerminal();
// A path as the user wrote it. A pipe is waited for, as `cat` would; a directory is an error.
base::Result<std::unique_ptr<InputStream>> OpenInput(const std::string& path);

}  // namespace culprit::system
