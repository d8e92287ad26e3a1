// What a place in a log shows: the signature that matched, what it captured, and what that implies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "explain/logs/mention.h"
#include "knowledge/messages/signatures.h"

namespace culprit::logs {

// "library" -> "libcudnn.so.8", "family" -> "cudnn", "major" -> "8", "order" -> "older" ...
using Attributes = std::map<std::string, std::string, std::less<>>;

struct Symptom {
  const knowledge::Signature* signature = nullptr;
  Attributes attributes;
  uint64_t line = 0;       // from 1
  uint64_t last_line = 0;  // line of the last occurrence
  uint64_t count = 1;      // number of occurrences
  std::string text;        // the line, cleaned, at most kLongestShown bytes around the match
  size_t input = 0;        // index of its file
  Mention mention = Mention::kNone;

  std::string_view kind() const { return signature->symptom; }
  knowledge::Role role() const { return signature->role; }
  bool speaks() const {
    return role() == knowledge::Role::kFailure || role() == knowledge::Role::kConsequence;
  }
  // "" if there is none.
  std::string_view attribute(std::string_view name) const;
};

// Adds what the captures imply:
//   library: family, stem, major, release, os, versioned; for a requester the same as requester_family ...
//   compiled and loaded: order (older, newer, other-major, equal)
//   arch and archs: arch_side (too-new, too-old, inside)
//   free: memory (low, some)
//   path: place (site-packages, conda, toolkit, compat, stubs, wsl, system)
void AddImplied(Attributes& captures);

}  // namespace culprit::logs
