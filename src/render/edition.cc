#include "render/edition.h"

#include <fmt/format.h>

#include "base/edition.h"
#include "base/json.h"
#include "base/text.h"

namespace culprit::render {
namespace {

// Frameworks release often: after three months there is probably a newer one.
constexpr int kOldDays = 90;

base::Json TextOrNone(const std::string& text) { return text.empty() ? base::Json() : base::Json(text); }

}  // namespace

std::string TablesText(const std::string& date, const std::string& today) {
  if (date.empty()) return "the age of the tables is unknown";
  std::string text = "version tables from " + date;
  const auto days = base::DaysBetween(date, today);
  if (!days || *days < 0) return text;
  text += *days == 0 ? ", today" : *days == 1 ? ", yesterday" : fmt::format(", {} days ago", *days);
  if (*days > kOldDays) text += "; they do not include newer releases; update culprit to get them";
  return text;
}

std::string EditionText() { return TablesText(base::EditionInUse().date, base::Today()); }

std::string EditionNotes() {
  const base::Edition& edition = base::EditionInUse();
  std::string text;
  if (!edition.path.empty()) {
    text += fmt::format("using the tables in {}, from {}\n", base::Printable(edition.path),
                        base::Printable(edition.date));
  }
  for (const base::RefusedEdition& refused : base::RefusedEditions()) {
    text += fmt::format("not using the tables in {}: {}\n", base::Printable(refused.path),
                        base::Printable(refused.why));
  }
  return text;
}

base::Json EditionJson() {
  const base::Edition& edition = base::EditionInUse();
  const auto days = base::DaysBetween(edition.date, base::Today());
  base::Json refused = base::Json::array();
  for (const base::RefusedEdition& one : base::RefusedEditions())
    refused.push_back({{"file", one.path}, {"why", one.why}});
  return {{"date", TextOrNone(edition.date)},
          {"days", days ? base::Json(*days) : base::Json()},
          {"file", TextOrNone(edition.path)},
          {"sha256", TextOrNone(edition.sha256)},
          {"refused", std::move(refused)}};
}

}  // namespace culprit::render
