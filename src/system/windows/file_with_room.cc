// Nothing maps a journal there yet.
#include "system/file_with_room.h"

namespace culprit::system {

uint64_t MakeFileWithRoom(const std::string&, uint64_t, uint64_t) { return 0; }

}  // namespace culprit::system
