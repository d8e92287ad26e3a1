// An image as what is checked: `culprit check image.tar`, `docker save IMAGE | culprit check -`, or as
// --root. Standard input may hold a recipe too: `helm template CHART | culprit check -`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/subject.h"
#include "image/image.h"
#include "report/check.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

// How long a command that answers `usually` within this may take if --root is an image: all of it is read.
std::chrono::seconds TimeToOpen(const Options& options, std::chrono::seconds usually);
// Whether a file or folder of this machine is an image; "-" is one, from standard input.
bool IsImage(const std::string& name);
// The target that is an image, or --root where there is no target; nullopt: none is.
std::optional<std::string> ImageAmong(const Options& options, const std::vector<std::string>& targets);

struct ImageWishes {
  std::string platform;  // --platform
  bool verify = false;   // --verify
  bool recipes = false;  // what comes from standard input may be a recipe instead
};

// Reads all layers, which takes its time.
base::Result<std::shared_ptr<const image::Image>> OpenImage(const std::string& name, const Options& options,
                                                            const ImageWishes& wishes);
// The same as a subject, with what its container starts; or the recipe that came instead.
base::Result<Subject> ImageSubject(const std::string& name, const Options& options,
                                   const ImageWishes& wishes);

// Says which layer each finding comes from, which parts of the image could not be read, and where the image
// contradicts its configuration; then the verdict is "could not tell". `checked`: as it was judged.
void AddOfImage(const image::Image& image, const snapshot::Snapshot& checked, report::CheckReport& report);

}  // namespace culprit::cli
