// The result of `culprit compat`, as plain values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/command.h"

namespace culprit::report {

enum class Compatible { kYes, kNo, kUnknown };
constexpr std::array<std::string_view, 3> WordsOf(Compatible) { return {"yes", "no", "unknown"}; }

struct CompatPair {
  std::string one;  // "driver 535.104.05"
  std::string other;
  Compatible verdict = Compatible::kUnknown;
  std::string why;
  std::string source;  // "" = no row decides
};

// Which build of a package the pairs are about, if it has several.
struct CompatBuild {
  std::string package;              // as asked: "torch 2.7.0"
  std::string build;                // "torch 2.7.0+cu128", "jax[cuda13] 0.10.2"
  bool is_default = false;          // what pip installs without another index or an extra
  std::vector<std::string> others;  // "+cu118"
  Compatible verdict = Compatible::kUnknown;
  Command install;  // empty: where it is published is not known, or it does not fit
};

// One line of what goes with the only thing that was asked about.
struct GoesWith {
  std::string what;                 // "driver on Linux", "gcc", "torch"
  std::string range;                // "550.54.14 and newer", "2.4.0 to 2.6.0"; "" = only `values`
  std::vector<std::string> values;  // one by one, where they are known; the newest last
  std::string why;                  // "" = the line says it all
  std::string source;
};

struct CompatAnswer {
  // No if one pair is no, else unknown if one is unknown or there is none, else yes.
  Compatible verdict = Compatible::kUnknown;
  std::vector<CompatPair> pairs;
  std::vector<CompatBuild> builds;
  std::string about;  // "CUDA 12.4", if only one thing was asked about
  std::vector<GoesWith> goes_with;
  std::vector<std::string> notes;  // how a value was interpreted if there is more than one possibility
};

}  // namespace culprit::report
