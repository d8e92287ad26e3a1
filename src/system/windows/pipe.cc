#include "system/windows/pipe.h"

namespace culprit::system {

PipeEnds InheritedPipe() {
  SECURITY_ATTRIBUTES inherited = {sizeof(inherited), nullptr, TRUE};
  PipeEnds ends;
  if (CreatePipe(&ends.read, &ends.write, &inherited, 1 << 16) == 0) return {};
  SetHandleInformation(ends.read, HANDLE_FLAG_INHERIT, 0);
  return ends;
}

}  // namespace culprit::system
