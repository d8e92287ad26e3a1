// How a page is put together: a frame with {{names}}, filled in, and the hashes for its content security
// policy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace culprit::render {

using FramePart = std::pair<std::string_view, std::string>;  // name, what stands there

// Replaces each {{name}} of the frame once; the inserted text is not scanned again.
std::string Filled(const std::string& frame, std::span<const FramePart> parts);
// 'sha256-...', as a policy names an inline style or script.
std::string HashOf(const std::string& part);

}  // namespace culprit::render
