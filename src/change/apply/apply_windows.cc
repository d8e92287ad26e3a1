// Showing and proving works on Windows; changing files there, and back to the byte, is not written yet.
#include "change/apply/apply.h"

namespace culprit::apply {
namespace {

constexpr const char* kNotYet = "culprit cannot apply fixes on Windows yet";

}  // namespace

std::string NotHere() { return kNotYet; }

std::string StateFolder(const std::map<std::string, std::string>&, const std::string&) { return ""; }

report::Action Describe(const report::Change& change, const Place&) {
  return {.text = report::InWords(change), .why_not = kNotYet};
}

std::string KilledRun(const Place&) { return ""; }

base::Result<std::unique_ptr<Applying>> Applying::Begin(const Place&) {
  return base::Fail(base::ErrorCode::kUnsupported, kNotYet);
}

base::Result<report::FixReport> Undo(const Place&, bool) {
  return base::Fail(base::ErrorCode::kUnsupported, kNotYet);
}

}  // namespace culprit::apply
