// What `culprit diff A B` says: what is different, the likeliest to matter first.
#pragma once

#include <string>
#include <vector>

#include "report/finding.h"

namespace culprit::report {

enum class Differs { kAdded, kRemoved, kChanged };
std::string_view Name(Differs how);  // "added", "removed", "changed"

struct Difference {
  Differs how = Differs::kChanged;
  std::string kind;     // "finding", "load", "driver", "gpu", "toolkit", "cudnn", "framework", "package",
                        // "variable", "file", "loader", "context", "run"
  std::string subject;  // "libcudnn.so.9 for torch 2.11.0 in /opt/venv"
  std::string before, after;
  std::string why;                    // why it stands where it stands: "a finding that is new is about it"
  int suspicion = 0;                  // 0 (noise) to 100
  std::vector<std::string> findings;  // codes that speak of it
};

struct DiffReport {
  std::string before, after;  // names of the files
  std::string headline;
  std::vector<Difference> differences;  // by suspicion
  std::vector<Finding> new_findings;    // in B, not in A
  std::vector<Finding> gone_findings;   // in A, not in B
  size_t same_findings = 0;
  std::vector<NotChecked> not_compared;
};

}  // namespace culprit::report
