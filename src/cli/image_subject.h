// An image as what is checked: `culprit check image.tar`, `docker save IMAGE | culprit check -`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/subject.h"
#include "image/image.h"
#include "report/check.h"

namespace culprit::cli {

// The target that is an image: a file or folder of this machine, or "-" for standard input; nullopt: none is.
std::optional<std::string> ImageAmong(const Options& options, const std::vector<std::string>& targets);

struct ImageWishes {
  std::string platform;  // --platform
  bool verify = false;   // --verify
};

// Reads all layers, which takes its time. `targets` as typed, one of them the image.
base::Result<Subject> ImageSubject(const Options& options, const std::vector<std::string>& targets,
                                   const ImageWishes& wishes);

// Says which layer each finding comes from, and what could not be read of the image; then the verdict is
// "could not tell". `environment`: the one that was checked.
void AddOfImage(const image::Image& image, const std::map<std::string, std::string>& environment,
                report::CheckReport& report);

}  // namespace culprit::cli
