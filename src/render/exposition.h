// The text format of Prometheus, as the textfile collector of node_exporter reads it (docs/prometheus.md).
// One line that the format forbids makes the collector refuse the whole file, so what comes from outside is
// escaped and bounded here, and no series is written twice.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/check.h"

namespace culprit::render {

using Moment = std::chrono::system_clock::time_point;

class Exposition {
 public:
  static constexpr size_t kLongestLabel = 128;   // bytes; longer values are cut
  static constexpr size_t kMostSeries = 10'000;  // of one metric

  struct Label {
    std::string_view name;
    std::string_view value;
  };

  // Which culprit wrote this, with which tables.
  Exposition();

  // The series added from now on belong to this gauge. One that has none is left out.
  void Begin(std::string_view metric, std::string_view help);
  void Add(const std::vector<Label>& labels, long long value);
  // A metric of one series.
  void Single(std::string_view metric, std::string_view help, long long value);
  void Time(std::string_view metric, std::string_view help, Moment moment);
  // One series for each verdict: 1 for this one, 0 for the others.
  void Verdict(std::string_view metric, std::string_view help, report::Verdict verdict);

  // Everything, and how many series there was no room for.
  std::string Take();

 private:
  std::string text_;
  std::string metric_, header_;  // of the metric that was begun; header: not written yet
  std::set<std::string, std::less<>> written_;
  size_t left_out_ = 0;
};

}  // namespace culprit::render
