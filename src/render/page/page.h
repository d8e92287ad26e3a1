// Answers as one HTML page that needs no network and no other file. Foreign text is escaped.
#pragma once

#include <string>
#include <vector>

#include "report/check.h"
#include "report/diff.h"
#include "report/picture.h"
#include "report/run.h"

namespace culprit::render {

// What the page shows besides the answer.
struct PageFacts {
  std::string machine;  // "Ubuntu 24.04, x86-64, driver 580.159.04, NVIDIA H200"
  std::string made;     // "culprit 0.8.0, 2026-11-16 02:00 UTC"
  std::vector<report::Picture> pictures;
  std::vector<report::TimelineEvent> timeline;
  bool redact = false;  // hide user names, as in Markdown (render/redact.h)
  std::string home, user;
  bool windows = false;        // spell paths as on Windows
  std::string rules_url = {};  // of the catalogue as a site (render/site); "" = no links
};

std::string ToHtml(const report::CheckReport& report, const PageFacts& facts);
std::string ToHtml(const report::RunReport& report, const PageFacts& facts);
std::string ToHtml(const report::DiffReport& report, const PageFacts& facts);

}  // namespace culprit::render
