// Everything that could be installed, as packages with candidates and the needs between them. The tables of
// knowledge/ have been asked already: a need is an explicit list of the candidates that meet it, so nobody
// behind this seam compares versions. The machine is made of packages too: "driver", "python", "gpu sm_61",
// "machine", "glibc", each with what is there as its candidates; "cuda-major" and "cudnn-major" are what all
// users of cuDNN in one environment must agree on, because libcudnn.so.9 for CUDA 12 and for CUDA 13 have
// the same name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/version.h"
#include "knowledge/packages/frameworks.h"
#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

using report::PackageRole;

class BuildTable;

struct Need {
  size_t package = 0;           // of Universe::packages
  std::vector<size_t> accepts;  // its candidates, rising
  std::vector<size_t> prefers;  // of these, what was tested together; empty: the order of the candidates
  std::string words;            // "needs driver >= 525.60.13"
  std::string requirement;      // of another package, as that one pins it: "nvidia-nccl-cu12==2.21.5"
  std::string fails;            // where nothing accepted is there: "no wheel for Python 3.12"
  std::string source;
  size_t because = static_cast<size_t>(-1);  // a fact beside `package`: without it there is no such need
  bool unknown = false;                      // refused because the tables do not say
  bool missing = false;                      // ... and do not have the build at all: nothing permits it
};

// Needs are shared: releases of a package have most of them in common.
using SharedNeed = std::shared_ptr<const Need>;
class NeedList {
 public:
  class Iterator {
   public:
    using value_type = Need;                 // NOLINT(readability-identifier-naming): as iterators have it
    using difference_type = std::ptrdiff_t;  // NOLINT(readability-identifier-naming)
    Iterator() = default;
    explicit Iterator(const SharedNeed* at) : at_(at) {}
    const Need& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const SharedNeed* at_ = nullptr;
  };

  NeedList() = default;
  NeedList(std::vector<Need> needs) {  // NOLINT: implicit
    for (Need& need : needs) push_back(std::move(need));
  }
  void push_back(Need need) { list_.push_back(std::make_shared<const Need>(std::move(need))); }
  void push_back(SharedNeed need) { list_.push_back(std::move(need)); }
  size_t size() const { return list_.size(); }
  const Need& operator[](size_t index) const { return *list_[index]; }
  Iterator begin() const { return Iterator(list_.data()); }
  Iterator end() const { return Iterator(list_.data() + list_.size()); }

 private:
  std::vector<SharedNeed> list_;
};

struct Candidate {
  std::string distribution;  // as its channel calls it: "onnxruntime-gpu"
  std::string version;       // as shown and installed: "2.4.1+cu118"
  base::Version number;      // 2.4.1: what specifiers are held against
  std::string variant;       // "cu118"
  report::Channel channel;
  std::string extra;
  bool without_extra = false;  // ... which it has, and which does not go with the rest
  bool is_default = true;      // no other index is needed
  bool from_source = false;    // built where it is installed
  std::string before;          // "2.12.0": stands for the releases before it, which no table has
  bool native = true;          // the driver belongs to its CUDA or a newer one
  const knowledge::FrameworkRelease* row = nullptr;
  NeedList needs;
  std::string remark;         // what is not known of it, though it may be taken
  bool code_unknown = false;  // ... which is for which GPUs it has code
  std::string source;
};

struct Package {
  std::string name;  // as the tables call it: "torch", "onnxruntime", "nvidia-cudnn-cu12", "driver"
  PackageRole role = PackageRole::kNone;  // kNone = no package but a fact
  std::vector<Candidate> candidates;      // the preferred one first: newest, or lowest for a driver
};

// What must be installed: one of these.
struct Root {
  size_t package = 0;
  std::vector<size_t> accepts;
  std::string words;  // "torch>=2.1"
  // The requirement that it comes from; kMachine: none.
  Requirement::Kind of = Requirement::Kind::kMachine;
  size_t index = 0;
};

// Packages of facts, by which a trial finds what it leaves out.
struct Facts {
  size_t driver = 0, python = 0, glibc = 0, cuda = 0;  // 0: not asked
  size_t driver_here = 0, python_here = 0;             // the candidates that are asked for
  std::vector<size_t> gpus, limits;                    // as in the question
  size_t several = 0;                                  // holds where more than one package is asked for
};

struct Universe {
  std::vector<Package> packages;
  std::vector<Root> roots;
  std::vector<size_t> wants;      // roots of wants come first: packages in the order of their weight
  std::vector<size_t> installed;  // packages that the environment has, heaviest first
  std::vector<size_t> here;       // ... and the candidate that is there; npos = not in the tables
  Facts facts;

  const Candidate& at(size_t package, size_t candidate) const {
    return packages[package].candidates[candidate];
  }
};
constexpr size_t kNone = static_cast<size_t>(-1);

std::vector<size_t> AllOf(const Package& package);
// Whether a want accepts a candidate, by its specifiers and its extra.
bool Fits(const Want& want, const Candidate& candidate);
// The candidates that a want accepts.
std::vector<size_t> FittingTo(const Want& want, const std::vector<Candidate>& candidates);

// Needs that do not count.
struct Ignored {
  std::vector<bool> facts{};  // by package; empty: none
  bool unknown = false;       // those that the tables cannot answer
  bool missing = false;       // ... of builds that may exist

  bool Has(const Need& need) const {
    if ((unknown && need.unknown) || (missing && need.missing)) return true;
    return !facts.empty() && (facts[need.package] || (need.because != kNone && facts[need.because]));
  }
};

// What is asked of a universe: by its question, or by a trial that leaves something out.
struct Demands {
  std::vector<Root> roots;
  std::vector<size_t> wants;
  std::vector<Root> bounds{};  // hold where the package is installed
  Ignored ignored{};
  bool any_driver = false;  // a newer one may come: no build is better for the one that is here
};

// kExact: what is asked for has one candidate (the driver, Python). kWide: all that there could be, for
// trials that leave requirements out.
enum class Width { kExact, kWide };
Universe MakeUniverse(const Question& question, BuildTable& builds, Width width = Width::kExact);

}  // namespace culprit::plan
