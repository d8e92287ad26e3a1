// How a universe is made: the parts of MakeUniverse() that stand in files of their own. Packages are made
// when somebody needs them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/python/pep440.h"
#include "knowledge/answer.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/project_fit.h"
#include "plan/universe/builds.h"
#include "plan/universe/universe.h"

namespace culprit::plan {

class Making {
 public:
  Making(const Question& question, BuildTable& builds, Width width);

  // The package of a table's name, made now if it is new; kNone when nothing of it is for this machine.
  size_t PackageNamed(const std::string& name);
  Universe& universe() { return universe_; }

 private:
  // ---- making_machine.cc: what is there
  void AddMachine();
  size_t AddFact(const std::string& name, PackageRole role, std::vector<Candidate> candidates);
  void AddDriver();
  void AddPython();
  void AddMajors();
  // Candidates that a limit of the question does not allow get a need that fails.
  void ApplyLimits(const std::string& name, std::vector<Candidate>& candidates);
  // A need of something that is there or not; kUnknown counts as no, unless it is allowed.
  Need FactNeed(size_t package, const knowledge::Answer& answer, std::string words, std::string fails);
  SharedNeed DriverNeed(const std::string& cuda);
  Need PythonNeed(const std::vector<std::string_view>& pythons, std::string_view requires_python,
                  std::string_view source);
  SharedNeed MajorNeed(size_t package, uint32_t major, const std::string& what, std::string_view source);
  bool NativeOn(std::string_view cuda) const;
  SharedNeed WheelPythonNeed(const knowledge::Distribution& wheel);  // nullptr: none

  // ---- making_frameworks.cc: builds of frameworks
  size_t AddFramework(const std::string& name);
  // Those that its extra brings, or whatever is there.
  enum class Libraries { kOwn, kOfOthers };
  Candidate FrameworkCandidate(const Build& build, Libraries libraries = Libraries::kOwn);
  void NeedAskedCuda(const Build& build, Candidate& candidate);
  bool StandsForCuda(const Build& build);
  void NeedOthers(const Build& build, Candidate& candidate);
  void NeedMachine(const Build& build, Candidate& candidate);
  void NeedCompiledAgainst(const Build& build, Candidate& candidate);
  Need BuildPythonNeed(const Build& build) const;
  void NeedGpus(const Build& build, Candidate& candidate);
  void NeedCudnn(const Build& build, Candidate& candidate);
  void NeedTriton(const Build& build, Candidate& candidate);
  void NeedLibraries(const Build& build, Candidate& candidate);
  void NeedDriverForPtx(const Build& build, const base::Version& cc, Candidate& candidate);

  // ---- making_libraries.cc: packages of the index that others ask for, and companions of torch
  size_t AddLibrary(const std::string& name, const std::string& key);  // made_[key]
  void NeedPins(const knowledge::Pin& pin, Candidate& candidate, bool built_for_python = false);
  bool HasWheelHere(const std::string& library, const std::string& specifiers);
  void NeedVersions(const std::string& library, const std::string& specifiers, std::string_view source,
                    Candidate& candidate);
  void NeedAsProject(const std::string& name, std::string_view version, Candidate& candidate);
  void NeedTorch(const std::string& name, std::string_view version, Candidate& candidate);

  // ---- making_projects.cc: packages beside a framework
  size_t AddProject(const std::string& name);
  void AddBefore(const std::string& name, std::vector<Candidate>& candidates);
  void NeedProjectFiles(const ProjectRelease& release, Candidate& candidate);
  SharedNeed FilesNeed(const std::vector<const knowledge::ProjectWheels*>& files);
  void NeedGlibc(const std::vector<const knowledge::ProjectWheels*>& files, Candidate& candidate);
  void NeedProjectPins(const std::string& name, const ProjectRelease& release, Candidate& candidate);
  void NeedProjectCode(const ProjectRelease& release, Candidate& candidate);
  void NeedCode(const ProjectRelease& release, Candidate& candidate);
  void NeedCudaOfTorch(const ProjectRelease& release, Candidate& candidate);
  void NeedOpenedLibrary(const ProjectRelease& release, const std::vector<base::Version>& gpus, size_t torch,
                         Candidate& candidate);
  bool IsAsked(const std::string& name, const Candidate& candidate) const;
  bool IsLeftOut(const std::string& name, const Candidate& candidate) const;
  void NeedText508(std::string_view text, std::string_view version, std::string_view source,
                   Candidate& candidate);
  // What METADATA says as a need; nullptr if none of it is modelled, nothing if that is not known yet.
  std::optional<SharedNeed> MadeOf(std::string_view text, std::string_view version, std::string_view source);
  SharedNeed NvccNeed(const knowledge::SourceBuild& build, uint32_t major);
  void AddBuilt(const knowledge::SourceBuild& build, const Candidate& plain,
                std::vector<Candidate>& candidates);
  bool IsModelled(const std::string& name) const;
  const std::vector<size_t>& AcceptedBy(size_t package, const std::string& specifiers);
  struct WrittenVersion {
    std::string text;
    std::optional<base::PythonVersion> read;
    bool again = false;  // a build of the same release as the one before it
  };
  const std::vector<WrittenVersion>& VersionsOf(size_t package);
  SharedNeed BuiltAgainst(const knowledge::SourceBuild& build, size_t framework, uint32_t major);
  std::vector<size_t> WithCudaMajor(size_t framework, const std::vector<uint32_t>& majors) const;

  // ---- making_system.cc: toolkit and cuDNN of the system
  size_t AddToolkit();
  size_t AddSystemCudnn();
  void NeedSystem(const Build& build, Candidate& candidate);
  bool NeedWheels(const Build& build, Candidate& candidate);
  SharedNeed ToolkitNeed(const Build& build);
  SharedNeed SystemCudnnNeed(const Build& build, std::string_view cudnn);

  const Question& question_;
  BuildTable& builds_;
  Width width_;
  Universe universe_;
  std::map<std::string, size_t> made_;
  std::map<std::pair<size_t, std::string>, std::vector<size_t>> accepted_;  // by package and specifiers
  std::map<size_t, std::vector<WrittenVersion>> versions_;
  // Needs that were made, by what they say.
  using Said = std::pair<std::string, const char*>;  // a requirement and its source
  std::map<std::string, SharedNeed> driver_needs_, python_needs_, toolkit_needs_, cudnn_needs_;
  std::map<std::tuple<size_t, uint32_t, const char*>, SharedNeed> major_needs_;
  std::map<Said, SharedNeed> version_needs_, text_needs_, nvcc_needs_;
  std::map<std::vector<const knowledge::ProjectWheels*>, SharedNeed> file_needs_;
  std::map<std::tuple<const knowledge::OpenedLibrary*, const knowledge::ProjectLibraries*,
                      std::vector<const knowledge::ProjectCode*>>,
           SharedNeed>
      opened_needs_;
  size_t machine_ = kNone, driver_ = kNone, python_ = kNone, glibc_ = kNone, cuda_asked_ = kNone;
  size_t cuda_major_ = kNone, cudnn_major_ = kNone, several_ = kNone;
  std::vector<size_t> gpus_;
  std::set<std::string>
      refused_;  // packages of which a newer release that was asked for has no code for a GPU
};

using knowledge::GpuName;
// ", branch 470 at most" for the GPU whose support ends first; "" if newer drivers support all of them.
std::string LastBranchWords(const std::vector<base::Version>& gpus);
// "3.8 to 3.11", "3.9", "3.8, 3.10 to 3.12": of a rising list of Python versions.
std::string PythonRange(const std::vector<base::Version>& rising);

}  // namespace culprit::plan
