// What a place in a log shows: a signature that matched, what it captured, and what follows from that.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "knowledge/messages/signatures.h"

namespace culprit::logs {

// "library" -> "libcudnn.so.8", "family" -> "cudnn", "major" -> "8", "order" -> "older" ...
using Attributes = std::map<std::string, std::string, std::less<>>;

struct Symptom {
  const knowledge::Signature* signature = nullptr;
  Attributes attributes;
  uint64_t line = 0;       // from 1
  uint64_t last_line = 0;  // where it was seen last
  uint64_t count = 1;      // how often the same was seen
  std::string text;        // the line, cleaned, at most kLongestShown bytes around the match
  size_t input = 0;        // index of the file it is from
  bool mentioned = false;  // quoted or talked about (mention.h)

  std::string_view kind() const { return signature->symptom; }
  knowledge::Role role() const { return signature->role; }
  // "" when there is none.
  std::string_view attribute(std::string_view name) const;
};

// Adds to the captures what they imply:
//   of a library: family, stem, major, release, os, versioned; the same of a requester as requester_family
//   ... of compiled and loaded: order (older, newer, other-major, equal) of arch and archs: arch_side
//   (too-new, too-old, inside) of free: memory (low, some); of a path: place (site-packages, conda, toolkit,
//   compat, stubs, wsl, system)
void AddImplied(Attributes& captures);

}  // namespace culprit::logs
