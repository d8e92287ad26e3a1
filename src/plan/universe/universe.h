// Everything that could be installed, as packages with candidates and the needs between them. The tables of
// knowledge/ have been asked already: a need is an explicit list of the candidates that meet it, so nobody
// behind this seam compares versions. The machine is made of packages too: "driver", "python", "gpu sm_61",
// "machine", "glibc", each with what is there as its candidates; "cuda-major" and "cudnn-major" are what all
// users of cuDNN in one environment must agree on, because libcudnn.so.9 for CUDA 12 and for CUDA 13 have
// the same name.
#pragma once

#include <cstddef>
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
  bool unknown = false;  // refused because the tables do not say
  bool missing = false;  // ... and do not have the build at all: nothing permits it
};

struct Candidate {
  std::string distribution;  // as its channel calls it: "onnxruntime-gpu"
  std::string version;       // as shown and installed: "2.4.1+cu118"
  base::Version number;      // 2.4.1: what specifiers are held against
  std::string variant;       // "cu118"
  report::Channel channel;
  std::string extra;
  bool is_default = true;    // no other index is needed
  bool from_source = false;  // built where it is installed
  std::string before;        // "2.12.0": stands for the releases before it, which no table has
  bool native = true;        // the driver belongs to its CUDA or a newer one
  const knowledge::FrameworkRelease* row = nullptr;
  std::vector<Need> needs;
  std::string remark;  // what is not known of it, though it may be taken
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
};

struct Universe {
  std::vector<Package> packages;
  std::vector<Root> roots;
  std::vector<size_t> wants;      // roots of wants come first: packages in the order of their weight
  std::vector<size_t> installed;  // packages that the environment has, heaviest first
  std::vector<size_t> here;       // ... and the candidate that is there; npos = not in the tables

  const Candidate& at(size_t package, size_t candidate) const {
    return packages[package].candidates[candidate];
  }
};
constexpr size_t kNone = static_cast<size_t>(-1);

Universe MakeUniverse(const Question& question, BuildTable& builds);

}  // namespace culprit::plan
