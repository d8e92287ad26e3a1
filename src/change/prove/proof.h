// Whether a change fixes a finding: compares the rules' results before and after it.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "report/check.h"
#include "report/fix.h"

namespace culprit::prove {

// Of two reports, which must outlive it. Its cost is that of their sizes, not of their product.
class Comparison {
 public:
  using Place = std::pair<std::string_view, std::string_view>;  // code and subject
  struct At {
    size_t count;
    report::Severity worst;
  };
  using Places = std::map<Place, At>;

  Comparison(const report::CheckReport& before, const report::CheckReport& after);

  // Shown: no finding of that code about that subject is left, no error or warning is there that was not
  // there before, and no rule that could judge before has become blind.
  report::Proof Of(const report::Finding& finding) const;

 private:
  const report::Finding* StillThere(const report::Finding& finding) const;

  const report::CheckReport& before_;
  const report::CheckReport& after_;
  Places there_before_, there_after_;
  std::vector<const report::Finding*> new_;  // afterwards, errors and warnings
};

report::Proof Compare(const report::CheckReport& before, const report::CheckReport& after,
                      const report::Finding& finding);

}  // namespace culprit::prove
