#include "run/tools/kernel_errors.h"

#include <cstdlib>
#include <string>

#include "base/text.h"

namespace culprit::run {
namespace {

// The line at the cut is not whole; for compute-sanitizer an empty line of its own ends the block before it.
std::string Whole(const record::Text& text, std::string_view between) {
  if (text.left_out == 0) return text.beginning + text.end;
  return text.beginning + std::string(between) + text.end;
}

void Add(KernelFindings& all, KernelFindings found) {
  all.errors.insert(all.errors.end(), found.errors.begin(), found.errors.end());
  all.not_checked.insert(all.not_checked.end(), found.not_checked.begin(), found.not_checked.end());
  if (found.total) all.total = all.total.value_or(0) + *found.total;
}

}  // namespace

bool SplitFileLine(std::string_view text, std::string& file, uint64_t& line) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !base::IsNumber(text.substr(colon + 1))) return false;
  file = text.substr(0, colon);
  line = std::strtoull(std::string(text.substr(colon + 1)).c_str(), nullptr, 10);
  return true;
}

KernelFindings KernelErrors(const record::Run& run) {
  KernelFindings all;
  for (const record::Text& text : run.texts) {
    const bool sanitizer = text.name == record::Channel::kSanitizer;
    if (!sanitizer && text.name != record::Channel::kDebugger) continue;
    KernelFindings found = sanitizer ? ReadSanitizerReport(Whole(text, "\n=========\n"))
                                     : ReadCudaGdbLog(Whole(text, "\n[culprit] left out\n"));
    if (!found.total && found.not_checked.empty())
      found.not_checked.push_back(
          {std::string(base::Word(text.name)), "the report is incomplete; later errors are missing"});
    Add(all, std::move(found));
  }
  return all;
}

}  // namespace culprit::run
