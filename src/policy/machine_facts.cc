#include "policy/machine_facts.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "collect/record.h"
#include "policy/condition.h"
#include "snapshot/secrets/hide.h"

namespace culprit::policy {
namespace {

using report::StackKind;
using report::StackRow;
using snapshot::FactState;

constexpr std::string_view kMaker = "NVIDIA ";
// The text of collect/stack.cc if only programs were named, so that it did not look for environments.
constexpr std::string_view kNotRequested = "not requested";

class Collected {
 public:
  Collected(const snapshot::Snapshot& snapshot, const std::vector<StackRow>& stack, bool played)
      : snapshot_(snapshot), stack_(snapshot.stack), rows_(stack), played_(played) {}

  Facts Take() {
    AddDriver();
    AddGpus();
    AddLibraries();
    AddPython();
    AddLoads();
    AddSystem();
    for (const auto& [name, value] : collect::RelevantEnvironment(snapshot_.environment)) {
      if (IsRecorded(name))
        Add({.kind = Kind::kVariable,
             .name = name,
             .value = snapshot::HideVariable(name, value),
             .source = "environment"});
    }
    return std::move(facts_);
  }

 private:
  void Add(Fact fact) { facts_.all.push_back(std::move(fact)); }
  void AddUnknown(Kind kind, std::string why, bool of_host = false) {
    facts_.unknown.try_emplace(kind, Unknown{std::move(why), of_host});
  }
  // Whether there is a value; if not, notes why these kinds are unknown, unless the fact is absent.
  template <typename T>
  bool Has(const snapshot::Fact<T>& fact, std::initializer_list<Kind> kinds) {
    if (fact || fact.state == FactState::kAbsent) return fact.value.has_value();
    for (const Kind kind : kinds)
      AddUnknown(kind, fact.why.empty() ? "not checked" : fact.why, fact.state == FactState::kNotApplicable);
    return false;
  }

  void AddDriver() {
    const auto& driver = stack_.driver;
    if (!Has(driver, {Kind::kDriver, Kind::kLibcuda})) return;
    if (Has(driver->kernel_version, {Kind::kDriver}))
      Add({.kind = Kind::kDriver, .value = *driver->kernel_version, .source = driver->kernel_version.source});
  }

  void AddGpus() {
    if (!Has(stack_.gpus, {Kind::kGpu, Kind::kCapability})) return;
    for (size_t i = 0; i < stack_.gpus->size(); ++i) {
      const snapshot::Gpu& gpu = (*stack_.gpus)[i];
      std::string model = gpu.name.empty() ? gpu.chip : gpu.name;
      if (model.empty() && !gpu.device_id.empty()) model = std::string(kMaker) + gpu.device_id;
      // People say "H100", drivers "NVIDIA H100 ...".
      if (gpu.assumed && !model.empty() && !model.starts_with(kMaker)) model.insert(0, kMaker);
      const std::string number = std::to_string(i), source = gpu.assumed ? "--host" : gpu.source;
      Add({.kind = Kind::kGpu, .name = number, .value = model, .source = source});
      Add({.kind = Kind::kCapability, .name = number, .value = gpu.compute_capability, .source = source});
    }
  }

  void AddLibraries() {
    if (Has(stack_.toolkits, {Kind::kToolkit})) {
      for (const snapshot::Toolkit& toolkit : stack_.toolkits->copies)
        Add({.kind = Kind::kToolkit,
             .value = toolkit.version,
             .where = toolkit.root,
             .source = toolkit.source});
    }
    if (!Has(stack_.cudnn, {Kind::kCudnn})) return;
    for (const snapshot::CudnnCopy& copy : *stack_.cudnn) {
      Add({.kind = Kind::kCudnn,
           .value = copy.version.empty() ? std::to_string(copy.major) : copy.version,
           .where = copy.directory,
           .source = copy.version_source.empty() ? copy.directory : copy.version_source});
    }
  }

  void AddPython() {
    const auto& environments = stack_.environments;
    if (!Has(environments, {Kind::kPython, Kind::kPackage, Kind::kFramework})) {
      no_python_ = environments.state == FactState::kAbsent && !environments.source.empty() &&
                   environments.source != kNotRequested;
      if (no_python_) return;
      for (const Kind kind : {Kind::kPython, Kind::kPackage, Kind::kFramework})
        AddUnknown(kind, "culprit did not look for Python environments");
      return;
    }
    for (const snapshot::PythonEnvironment& environment : *environments) {
      Add({.kind = Kind::kPython,
           .value = environment.python,
           .where = environment.prefix,
           .source = environment.interpreter.empty() ? environment.prefix : environment.interpreter});
      for (const snapshot::PythonPackage& package : environment.packages)
        Add({.kind = Kind::kPackage,
             .name = package.name,
             .value = package.version,
             .where = environment.prefix,
             .source = package.record});
      if (!environment.problems.empty()) AddUnknown(Kind::kPackage, environment.problems.front());
    }
  }

  // Rows below an environment are its frameworks, and below one of those the libraries that it loads.
  void AddLoads() {
    if (!played_) {
      for (const Kind kind : {Kind::kLibcuda, Kind::kFramework, Kind::kLoaded}) {
        if (kind == Kind::kLibcuda || !no_python_)
          AddUnknown(kind, "culprit could not find out what programs load");
      }
      return;
    }
    std::string environment, framework;
    for (const StackRow& row : rows_) {
      if (row.kind == StackKind::kDriver && !row.where.empty())
        Add({.kind = Kind::kLibcuda, .value = row.where, .source = row.where});
      if (row.kind == StackKind::kPython) environment = row.where;
      if (row.kind == StackKind::kFramework) {
        framework = row.what + " in " + environment;
        Add({.kind = Kind::kFramework,
             .name = row.what,
             .value = row.value,
             .where = environment,
             .source = environment});
      }
      if (row.kind == StackKind::kLibrary)
        Add({.kind = Kind::kLoaded,
             .name = row.what,
             .value = row.value,
             .where = row.where,
             .source = row.where,
             .by = framework});
    }
    const auto& driver = stack_.driver;
    if (driver && driver->kernel_version.state == FactState::kNotApplicable)
      AddUnknown(Kind::kLibcuda, driver->kernel_version.why, true);
    if (driver && driver->assumed) AddUnknown(Kind::kLibcuda, "the driver is assumed", true);
  }

  void AddText(Kind kind, const std::string& value, const std::string& source) {
    if (!value.empty()) Add({.kind = kind, .value = value, .source = source});
  }

  void AddSystem() {
    AddText(Kind::kCpu, snapshot_.cpu.machine, "");
    if (snapshot_.cpu.machine.empty()) AddUnknown(Kind::kCpu, "not read");
    const auto& context = stack_.context;
    if (!Has(context,
             {Kind::kSystem, Kind::kKernel, Kind::kContainer, Kind::kVirtualMachine, Kind::kSecureBoot}))
      return;
    AddText(Kind::kSystem, context->distribution, context.source);
    AddText(Kind::kKernel, context->kernel, context.source);
    AddText(Kind::kContainer, context->container, context->container_source);
    AddText(Kind::kVirtualMachine, context->virtual_machine, context->virtual_machine_source);
    AddText(Kind::kSecureBoot, context->secure_boot, context.source);
    // Every machine has these: if they are empty, they are unknown.
    const bool of_host = stack_.gpus.state == FactState::kNotApplicable;
    if (context->distribution.empty()) AddUnknown(Kind::kSystem, "the name of the distribution is unknown");
    if (context->kernel.empty()) AddUnknown(Kind::kKernel, "no kernel is running", of_host);
    if (context->secure_boot.empty()) AddUnknown(Kind::kSecureBoot, "unknown on this machine", of_host);
  }

  const snapshot::Snapshot& snapshot_;
  const snapshot::Stack& stack_;
  const std::vector<StackRow>& rows_;
  const bool played_;
  bool no_python_ = false;  // it was looked for, and there is none
  Facts facts_;
};

}  // namespace

Facts FactsOf(const snapshot::Snapshot& snapshot, const std::vector<StackRow>& stack, bool played) {
  return Collected(snapshot, stack, played).Take();
}

}  // namespace culprit::policy
