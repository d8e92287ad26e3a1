// One line after the other against the places where it may stand. Nothing is guessed: the first line that
// does not fit ends the reading, and what was told before it stays.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "probe/host/protocol.h"
#include "probe/host/steps.h"

namespace culprit::probe {
namespace {

using snapshot::ProbedDevice;

constexpr size_t kExcerpt = 80;

std::optional<uint64_t> Number(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string Index(const std::string& word) { return word == "-" ? "" : word; }

template <base::Worded Enum>
bool Set(Enum& field, const std::string& word) {
  const std::optional<Enum> known = base::FromWord<Enum>(word);
  if (known) field = *known;
  return known.has_value();
}

bool SetFact(ProbedDevice& device, const std::string& name, const std::string& value) {
  struct Text {
    std::string_view name;
    std::string ProbedDevice::* field;
  };
  static constexpr Text kTexts[] = {
      {"name", &ProbedDevice::name},
      {"uuid", &ProbedDevice::uuid},
      {"bus_id", &ProbedDevice::bus_id},
      {"compute_capability", &ProbedDevice::compute_capability},
      {"ecc_errors", &ProbedDevice::ecc_errors},
      {"driver_model", &ProbedDevice::driver_model},
  };
  for (const Text& text : kTexts) {
    if (text.name != name) continue;
    device.*text.field = value;
    return true;
  }
  if (name == "compute_mode") return Set(device.compute_mode, value);
  if (name == "mig") return Set(device.mig, value);
  if (name == "ecc") return Set(device.ecc, value);
  uint64_t* number = name == "memory_total"  ? &device.memory_total
                     : name == "memory_free" ? &device.memory_free
                                             : nullptr;
  const std::optional<uint64_t> read = Number(value);
  if (number == nullptr || !read) return false;
  *number = *read;
  return true;
}

}  // namespace

bool Transcript::Feed(std::string_view bytes) {
  while (problem_.empty() && !bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > kLongestLine) {
      problem_ = "a line of more than " + std::to_string(kLongestLine) + " bytes";
      break;
    }
    rest_ += piece;
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (++lines_ > kMostLines) {
      problem_ = "more than " + std::to_string(kMostLines) + " lines";
    } else if (!Line(rest_)) {
      problem_ = "line " + std::to_string(lines_) + " is not part of the protocol, or is out of place: \"" +
                 base::Printable(std::string_view(rest_).substr(0, kExcerpt)) +
                 (rest_.size() > kExcerpt ? "...\"" : "\"");
    }
    rest_.clear();
  }
  return problem_.empty();
}

bool Transcript::Line(std::string_view line) {
  if (!greeted_) return greeted_ = line == kGreeting;
  if (done_ || farewell_) return false;

  std::vector<std::string> words;
  for (const std::string& word : base::Split(line, ' ')) {
    std::optional<std::string> decoded = DecodeWord(word);
    if (!decoded) return false;
    words.push_back(*std::move(decoded));
  }
  const std::string& tag = words[0];
  const auto is = [&](std::string_view name, size_t arguments) {
    return tag == name && words.size() == arguments + 1;
  };

  if (is("crash", 2) && !words[1].empty()) {
    farewell_ = true;
    crash_signal_ = words[1];
    where_ = words[2];
    return true;
  }
  if (is("stuck", 1)) {
    farewell_ = true;
    where_ = words[1];
    return true;
  }
  if (!current_) {
    if (is("done", 0)) return done_ = true;
    const StepName name =
        base::FromWord<StepName>(words.size() > 1 ? words[1] : "").value_or(StepName::kNone);
    if (!is("begin", 2) || name == StepName::kNone) return false;
    if (std::ranges::find(steps_, name, &snapshot::ProbeStep::name) != steps_.end()) return false;
    current_.emplace();
    current_->name = name;
    current_->subject = words[2];
    begun_at_ = std::chrono::steady_clock::now();
    return true;
  }
  return InStep(words);
}

bool Transcript::InStep(const std::vector<std::string>& words) {
  const auto is = [&](std::string_view name, size_t arguments) {
    return words[0] == name && words.size() == arguments + 1;
  };
  if (is("library", 2)) {
    current_->libraries.push_back({words[1], words[2], ""});
    return true;
  }
  if (is("figure", 2)) {
    if (words[1] != "microseconds") return current_->figures.emplace(words[1], words[2]).second;
    const std::optional<uint64_t> number = Number(words[2]);
    current_->microseconds = number.value_or(0);
    return number.has_value();
  }
  if (is("device", 2)) {
    telling_.push_back({.cuda_index = Index(words[1]), .nvml_index = Index(words[2])});
    return true;
  }
  const bool in_device = !telling_.empty();
  if (is("fact", 2)) return in_device && SetFact(telling_.back(), words[1], words[2]);
  if (is("holder", 3)) {
    const std::optional<uint64_t> pid = Number(words[1]), bytes = Number(words[2]);
    if (!in_device || !pid || !bytes) return false;
    telling_.back().holders.push_back({*pid, words[3], *bytes});
    return true;
  }

  if (is("ok", 1) || is("not-run", 1)) {
    current_->outcome = is("ok", 1) ? StepOutcome::kOk : StepOutcome::kNotRun;
    current_->detail = words[1];
  } else if (is("failed", 3)) {
    current_->outcome = StepOutcome::kFailed;
    current_->status = words[1];
    current_->call = words[2];
    current_->detail = words[3];
  } else {
    return false;
  }
  if (current_->microseconds == 0 && current_->outcome != StepOutcome::kNotRun) {
    const auto taken = std::chrono::steady_clock::now() - begun_at_;
    current_->microseconds =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(taken).count());
  }
  devices_.insert(devices_.end(), telling_.begin(), telling_.end());
  telling_.clear();
  steps_.push_back(*std::move(current_));
  current_.reset();
  return true;
}

}  // namespace culprit::probe
