// `culprit diff`: two machines (or one at two times) -> the differences, most suspicious first.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "report/check.h"
#include "report/diff.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"

namespace culprit::diff {

struct Side {
  const rules::Scene& scene;
  const report::CheckReport& check;
  const record::Run* run = nullptr;  // where it is the record of a run
  // Of an image: the topmost layer that put or removed something there. Null: it has no layers.
  std::function<std::optional<report::Layer>(const std::string& path)> layer_of = {};
  // ... that removed something there or below it.
  std::function<std::optional<report::Layer>(const std::string& path)> remover_of = {};
};

report::DiffReport Diff(const Side& before, const Side& after);

}  // namespace culprit::diff
