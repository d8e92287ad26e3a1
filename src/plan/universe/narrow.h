// What can be excluded by looking at one need at a time, with the reason for each exclusion. It makes the
// problem small before the solver sees it, and its trace is what a conflict is explained from. It never
// excludes what could be part of a solution; that something is left does not mean that there is one.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/universe/universe.h"

namespace culprit::plan {

// Why a candidate is out.
struct Exclusion {
  enum class Kind {
    kAsked,   // the root does not accept it
    kNeed,    // nothing that its need accepts is left
    kPushed,  // everything that is left of a required package accepts others only
  };
  Kind kind = Kind::kAsked;
  size_t root = kNone;    // kAsked
  size_t need = kNone;    // kNeed: of the candidate
  size_t pusher = kNone;  // kPushed: the required package
};

using Marks = std::vector<char>;  // 0 or 1 for each; bits in a std::vector<bool> take twice the time

struct Narrowed {
  std::vector<Marks> left;                  // by package and candidate
  std::vector<std::vector<Exclusion>> why;  // of those that are not left
  std::vector<bool> required;               // packages that every solution has
  size_t empty = kNone;                     // a required package of which nothing is left

  size_t CountLeft(size_t package) const;
};

// Whether candidates count that stand for releases from before the tables.
enum class Before { kNo, kYes };
Narrowed Narrow(const Universe& universe, const Demands& asked, Before before = Before::kYes);
Narrowed Narrow(const Universe& universe, const std::vector<Root>& roots);
// What more is excluded once these roots are asked too.
Narrowed NarrowFurther(const Universe& universe, const std::vector<Root>& roots, const Ignored& ignored,
                       Narrowed narrowed);

}  // namespace culprit::plan
