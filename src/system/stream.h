// Input that is read from front to back: standard input, a file, a named pipe.
#pragma once

#include <memory>
#include <string>

#include "base/bytes/byte_stream.h"

namespace culprit::system {

class InputStream : public base::ByteStream {
 public:
  // Whether there is something to read, or the end, within that time.
  virtual bool Wait(int milliseconds) = 0;
};

std::unique_ptr<InputStream> StandardInput();
bool StandardInputIsTerminal();
// A path as the user typed it. Waits for a pipe, as `cat` does; a directory is an error.
base::Result<std::unique_ptr<InputStream>> OpenInput(const std::string& path);

}  // namespace culprit::system
