// A number that a DLL exports: CUDA libraries tell their version by the first four bytes of an exported
// object.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/byte_source.h"

namespace culprit::binfmt {

// The four bytes at the exported name; nullopt when it is not exported, is forwarded or lies nowhere.
std::optional<uint32_t> ReadPeWord(const base::ByteSource& source, std::string_view symbol);

}  // namespace culprit::binfmt
