// What a command is asked to check: from the words of the command line to a subject of the engine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "collect/process/process.h"
#include "engine/diagnosis.h"
#include "image/image.h"
#include "system/system.h"

namespace culprit::cli {

// A machine or a snapshot, and the programs whose loading is simulated.
struct Subject {
  std::shared_ptr<const system::System> machine;  // null for a snapshot
  std::vector<std::string> programs;
  std::vector<std::string> environments;
  std::vector<std::string> builds;
  std::vector<std::string> recipes;  // as named
  std::string snapshot_file;
  bool rooted = false;
  int patience = 1;       // times the usual limit
  std::string root = {};  // --root, or a target that is a root file system
  bool wheel = false;     // one of the environments is a wheel that is not installed
  std::shared_ptr<const collect::ProcessLook> process = {};  // --pid
  std::shared_ptr<const image::Image> image = {};            // whose container `machine` is
};

// `targets`: programs, libraries, environments, build folders; or recipes; or one root file system, wheel or
// snapshot.
// An image is an error: image_subject.h opens those.
base::Result<Subject> ChooseSubject(const Options& options, const std::vector<std::string>& targets);

// A running process, and the machine as it sees it.
base::Result<Subject> ProcessSubject(int64_t pid);

// What is wrong with the value of --host; "" for nothing, also when it was not given.
std::string MistakeInHost(const std::string& host);

struct LookOptions {
  const Options& common;
  std::string host = {};    // --host
  std::string python = {};  // --python
  int seconds = 10;
  bool verify = false;
  bool names_only = false;  // of packages, and of libraries nothing: for a plan
};

// Reads the files that the options name: a snapshot, --env.
base::Result<engine::Subject> ForEngine(const Subject& subject, const LookOptions& options);
// The same, and collects the facts.
base::Result<engine::Diagnosis> LookAt(const Subject& subject, const LookOptions& options);

}  // namespace culprit::cli
