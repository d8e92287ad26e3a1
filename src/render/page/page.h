// Answers as one HTML page that needs nothing else: no network, no other file. Untrusted text is escaped.
#pragma once

#include <string>
#include <vector>

#include "report/check.h"
#include "report/diff.h"
#include "report/picture.h"
#include "report/run.h"

namespace culprit::render {

// What is known in addition to the answer.
struct PageFacts {
  std::string machine;  // "Ubuntu 24.04, x86-64, driver 580.159.04, NVIDIA H200"
  std::string made;     // "culprit 0.8.0, 2026-11-16 02:00 UTC"
  std::vector<report::Picture> pictures;
  std::vector<report::TimelineEvent> timeline;
  bool redact = false;  // paths without user names, as for Markdown (render/redact.h)
  std::string home, user;
  bool windows = false;  // about a Windows machine: paths are spelled as on Windows
};

std::string ToHtml(const report::CheckReport& report, const PageFacts& facts);
std::string ToHtml(const report::RunReport& report, const PageFacts& facts);
std::string ToHtml(const report::DiffReport& report, const PageFacts& facts);

}  // namespace culprit::render
