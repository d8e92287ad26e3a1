// The channel as a descriptor of the C runtime.
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>

#include "probe/child/channel.h"

namespace culprit::prober {

int OpenChannel() {
  const int channel = _dup(1);
  if (channel < 0) return -1;
  _setmode(channel, _O_BINARY);
  _dup2(2, 1);
  SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
  return channel;
}

void WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t piece = std::min<size_t>(bytes.size(), 1 << 20);
    const int written = _write(descriptor, bytes.data(), static_cast<unsigned>(piece));
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void EndNow(int status) {
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(status));
  while (true) Sleep(INFINITE);
}

}  // namespace culprit::prober
