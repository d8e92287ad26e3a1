#include "base/edition.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace culprit::base {
namespace {

struct Editions {
  Edition in_use;
  std::vector<RefusedEdition> refused;
};

Editions& All() {
  static Editions& editions = *new Editions;  // reports may be written while the program ends
  return editions;
}

std::optional<std::chrono::sys_days> ParseDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number = [&](size_t at, size_t size) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + size, value);
    return error == std::errc() && end == text.data() + at + size ? value : -1;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

}  // namespace

std::chrono::system_clock::time_point Now() {
  auto now = std::chrono::system_clock::now();
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr && *fixed != '\0') {
    char* end = nullptr;
    const long long seconds = std::strtoll(fixed, &end, 10);
    if (*end == '\0') now = std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
  }
  return now;
}

std::string Today() {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(Now()));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text.data();
}

std::optional<int> DaysBetween(const std::string& from, const std::string& to) {
  const auto first = ParseDay(from), last = ParseDay(to);
  if (!first || !last) return std::nullopt;
  return static_cast<int>((*last - *first).count());
}

const Edition& EditionInUse() { return All().in_use; }
const std::vector<RefusedEdition>& RefusedEditions() { return All().refused; }

void SetEdition(Edition edition) { All().in_use = std::move(edition); }
void AddRefusedEdition(RefusedEdition refused) { All().refused.push_back(std::move(refused)); }

}  // namespace culprit::base
