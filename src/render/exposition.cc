#include "render/exposition.h"

#include <utility>

#include "base/edition.h"
#include "base/product_version.h"
#include "base/text.h"

namespace culprit::render {
namespace {

std::string LabelValue(std::string_view value) {
  if (value.size() <= Exposition::kLongestLabel) return base::InDoubleQuotes(value);
  return base::InDoubleQuotes(std::string(value.substr(0, Exposition::kLongestLabel)) + "...");
}

std::string InBraces(const std::vector<Exposition::Label>& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text.append(text.empty() ? "{" : ",").append(name).append("=").append(LabelValue(value));
  return text.empty() ? text : text + "}";
}

}  // namespace

Exposition::Exposition() {
  Begin("culprit_info", "The version of culprit and the date of its version tables.");
  Add({{"version", base::ProductVersion()}, {"tables", base::EditionInUse().date}}, 1);
}

void Exposition::Begin(std::string_view metric, std::string_view help) {
  metric_ = metric;
  header_ = "# HELP " + metric_ + " " + std::string(help) + "\n# TYPE " + metric_ + " gauge\n";
  written_.clear();
}

void Exposition::Add(const std::vector<Label>& labels, long long value) {
  std::string braces = InBraces(labels);
  if (written_.contains(braces)) return;  // names that differ only where they were cut
  if (written_.size() == kMostSeries) {
    ++left_out_;
    return;
  }
  text_ += std::exchange(header_, "") + metric_ + braces + " " + std::to_string(value) + "\n";
  written_.insert(std::move(braces));
}

void Exposition::Single(std::string_view metric, std::string_view help, long long value) {
  Begin(metric, help);
  Add({}, value);
}

void Exposition::Time(std::string_view metric, std::string_view help, Moment moment) {
  Single(metric, help, std::chrono::duration_cast<std::chrono::seconds>(moment.time_since_epoch()).count());
}

void Exposition::Verdict(std::string_view metric, std::string_view help, report::Verdict verdict) {
  Begin(metric, help);
  for (const std::string_view word : WordsOf(verdict)) Add({{"verdict", word}}, word == Name(verdict));
}

std::string Exposition::Take() {
  Single("culprit_series_left_out", "Number of series left out because this file would be too large.",
         static_cast<long long>(left_out_));
  return std::move(text_);
}

}  // namespace culprit::render
