#include "cli/plan/plan_project.h"

#include <map>

#include "base/bytes/byte_stream.h"
#include "base/python/package_name.h"
#include "base/text.h"
#include "plan/project/asking.h"
#include "plan/solve.h"
#include "plan/universe/builds.h"
#include "system/stream.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

constexpr int kMostRounds = 3;

std::vector<std::string> Normalised(const std::vector<std::string>& names) {
  std::vector<std::string> normal;
  for (const std::string& name : names) normal.push_back(name == "*" ? name : base::NormalName(name));
  return normal;
}

std::string PythonOf(const report::Plan& plan) {
  for (const report::PlannedPackage& package : plan.packages) {
    if (package.role == report::PackageRole::kPython) return package.version;
  }
  return "";
}

base::Result<std::string> ReadProjectFile(const system::System& machine, const std::string& path,
                                          uint64_t limit) {
  const std::string shown = base::Printable(path);
  const std::string there = PathOnMachine(machine, path);
  const auto status = machine.Stat(there);
  if (!status) return base::Fail(base::ErrorCode::kNotFound, shown + ": no such file");
  auto bytes = system::ReadWholeFile(machine, there, limit);
  if (!bytes)
    return base::Fail(base::ErrorCode::kNotReadable, shown + ": not a readable regular file of at most " +
                                                         std::to_string(limit >> 20) + " MiB");
  return *std::move(bytes);
}

// What was typed and is no file: "-", a pipe such as "<(pip freeze)". Each round needs it, but it can be read
// only once.
base::Result<std::map<std::string, std::string>> ReadStreams(const ProjectOptions& options) {
  const auto here = system::RealSystem();
  std::map<std::string, std::string> found;
  for (const std::string& name : options.files) {
    const auto status = here->Stat(PathOnMachine(*here, name));
    const bool pipe = options.common.root.empty() && status && status->type == system::FileType::kOther;
    if (found.contains(name) || (name != "-" && !pipe)) continue;
    auto stream = name == "-" ? base::Result<std::unique_ptr<system::InputStream>>(system::StandardInput())
                              : system::OpenInput(name);
    if (!stream) return std::unexpected(stream.error());
    auto bytes = base::ReadToEnd(**stream, plan::kLargestProjectFile);
    if (!bytes) return base::Fail(bytes.error().code, base::Printable(name) + ": " + bytes.error().message);
    found.emplace(name, *std::move(bytes));
  }
  return found;
}

}  // namespace

base::Result<SolvedProject> SolveProject(const ProjectOptions& options, plan::Question& question) {
  plan::BuildTable builds;
  plan::PassUnlisted(question);
  if (options.files.empty()) return SolvedProject{.plan = plan::SolveWith(question, builds)};
  const auto machine = OpenMachine(options.common);
  if (!machine) return std::unexpected(machine.error());
  const auto streams = ReadStreams(options);
  if (!streams) return std::unexpected(streams.error());
  const plan::ReadBytes read = [&](const std::string& path, uint64_t limit) -> base::Result<std::string> {
    const auto stream = streams->find(path);
    return stream == streams->end() ? ReadProjectFile(**machine, path, limit) : stream->second;
  };
  plan::ProjectChoice choice{.extras = Normalised(options.extras), .groups = Normalised(options.groups)};
  const plan::Question typed = question;
  base::Version python = plan::AssumedPython(question.host);
  for (int round = 0;; ++round) {
    choice.facts = plan::FactsOf(question.host, python);
    auto project = plan::ReadProject(options.files, choice, read);
    if (!project) return std::unexpected(project.error());
    question = typed;
    plan::Ask(*project, question);
    SolvedProject solved{.plan = plan::SolveWith(question, builds), .conda = project->conda};
    const auto chosen = base::Version::Parse(PythonOf(solved.plan));
    if (!project->asks_python || !chosen || *chosen == python || round + 1 == kMostRounds) return solved;
    python = *chosen;
  }
}

}  // namespace culprit::cli
