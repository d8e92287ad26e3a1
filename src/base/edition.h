// Which tables of facts the program uses: those that were built in, or those of a newer file. Like its
// version, this belongs to the whole program and is in every report.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace culprit::base {

struct Edition {
  std::string date;     // "2026-11-18": the day on which the package index was read
  std::string version;  // of the culprit that wrote the tables
  std::string path;     // "" = built in
  std::string sha256;   // of the file's tables; "" = built in
};

// A file that was found and not used.
struct RefusedEdition {
  std::string path;
  std::string why;
};

// Now, or SOURCE_DATE_EPOCH, with which tests and builds fix the time.
std::chrono::system_clock::time_point Now();
// The day of it: "2026-11-18".
std::string Today();
// From one such day to another; empty if one of them is none.
std::optional<int> DaysBetween(const std::string& from, const std::string& to);

const Edition& EditionInUse();
const std::vector<RefusedEdition>& RefusedEditions();

// For the start of the program.
void SetEdition(Edition edition);
void AddRefusedEdition(RefusedEdition refused);

}  // namespace culprit::base
