// Processes as the witness of a run and /proc describe them, turned into what the rules judge.
#include "loader/observed/observed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace culprit::loader {
namespace {

// Libraries that claim to exist; nothing else does.
class Files final : public snapshot::FileView {
 public:
  snapshot::FileFacts& Add(const std::string& path, const std::string& soname,
                           const std::vector<std::string>& needed = {}) {
    auto elf = std::make_shared<binfmt::ElfFile>();
    elf->soname = soname;
    for (const std::string& name : needed) elf->requests.push_back({.name = name});
    snapshot::FileFacts& facts = files_[path];
    facts.kind = snapshot::FileKind::kRegular;
    facts.id = {1, files_.size()};
    facts.elf = std::move(elf);
    return facts;
  }
  const snapshot::FileFacts& Open(const std::string& path) override {
    static const snapshot::FileFacts nothing{.error = base::PathError::kNoEntry};
    const auto found = files_.find(path);
    return found == files_.end() ? nothing : found->second;
  }
  base::PathError Directory(const std::string& path) override {
    return std::ranges::any_of(files_, [&](const auto& file) { return base::DirName(file.first) == path; })
               ? base::PathError::kNone
               : base::PathError::kNoEntry;
  }
  std::string RealPath(const std::string& path) override { return path; }
  std::optional<std::vector<snapshot::DirectoryItem>> List(const std::string& /*path*/) override {
    return std::nullopt;
  }
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string& /*path*/) override { return {}; }
  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string& /*path*/) override { return {}; }
  const binfmt::PeExports* Exports(const std::string& /*path*/) override { return nullptr; }

 private:
  std::map<std::string, snapshot::FileFacts> files_;
};

constexpr const char* kTorch = "/venv/lib/python3.11/site-packages/torch";

snapshot::Snapshot MachineWithTorch() {
  snapshot::PythonEnvironment environment;
  environment.prefix = "/venv";
  environment.site_packages = {"/venv/lib/python3.11/site-packages"};
  environment.frameworks.push_back(
      {.name = "numpy", .directory = "/venv/lib/python3.11/site-packages/numpy"});
  environment.frameworks.push_back({.name = "torch", .directory = kTorch});
  snapshot::Snapshot snapshot;
  snapshot.stack.environments = decltype(snapshot.stack.environments)::Of({environment}, "made up");
  return snapshot;
}

record::Process Python() {
  record::Process process{.id = 4711, .program = "/usr/bin/python3.11"};
  process.loads.push_back({.path = "/usr/bin/python3.11"});
  return process;
}

const Request* Find(const Scenario& scenario, std::string_view name) {
  const auto found = std::ranges::find(scenario.graph.requests, name, &Request::name);
  return found == scenario.graph.requests.end() ? nullptr : &*found;
}

TEST(Observed, KeepsWhatIsLoadedWithWhoAskedAndHow) {
  Files files;
  files.Add("/usr/bin/python3.11", "");
  auto& torch =
      files.Add(std::string(kTorch) + "/lib/libtorch_cuda.so", "libtorch_cuda.so", {"libcudnn.so.9"});
  auto elf = std::make_shared<binfmt::ElfFile>(*torch.elf);
  elf->rpath = "$ORIGIN/../../nvidia/cudnn/lib";
  torch.elf = elf;
  files.Add(std::string(kTorch) + "/lib/../../nvidia/cudnn/lib/libcudnn.so.9", "libcudnn.so.9");
  record::Process process = Python();
  process.loads.push_back(
      {.path = std::string(kTorch) + "/lib/libtorch_cuda.so", .via = base::Via::kPath, .dlopen = true});
  // The audit interface uses one name for RPATH and RUNPATH.
  process.loads.push_back({.path = std::string(kTorch) + "/lib/../../nvidia/cudnn/lib/libcudnn.so.9",
                           .name = "libcudnn.so.9",
                           .requester = std::string(kTorch) + "/lib/libtorch_cuda.so",
                           .via = base::Via::kRunpath});
  process.loads.push_back({.path = "/tmp/gone.so", .via = base::Via::kPath, .closed = true});
  process.loads.push_back({.path = "/opt/old/libcublas.so.12", .via = base::Via::kCache, .deleted = true});
  const Scenario scenario = Observed(process, MachineWithTorch(), files);
  EXPECT_EQ(scenario.title, "python3.11 (pid 4711)");
  EXPECT_EQ(scenario.environment, 0u);
  EXPECT_EQ(scenario.framework, 1u);
  ASSERT_EQ(scenario.graph.objects.size(), 3u);
  const Object& cudnn = scenario.graph.objects[2];
  EXPECT_EQ(cudnn.requester, 1u);
  EXPECT_EQ(cudnn.via, Via::kRpath);
  EXPECT_EQ(Find(scenario, "libcudnn.so.9")->attempts.back().origin, scenario.graph.objects[1].path);
  ASSERT_EQ(scenario.replaced.size(), 1u);
  EXPECT_EQ(scenario.replaced[0].path, "/opt/old/libcublas.so.12");
}

TEST(Observed, ForgivesAFailedDlopenUnlessItMattered) {
  Files files;
  files.Add("/usr/bin/python3.11", "");
  files.Add("/venv/cudnn/libcudnn.so.9", "libcudnn.so.9");
  files.Add("/venv/x/libcame.so.1", "libcame.so.1");
  record::Process process = Python();
  process.loads.push_back({.path = "/venv/cudnn/libcudnn.so.9", .via = base::Via::kPath, .dlopen = true});
  process.loads.push_back({.path = "/venv/x/libcame.so.1", .via = base::Via::kCache, .dlopen = true});
  process.failed_requests = {
      {.name = "libtried.so",
       .dlopen = true,
       .attempts = {{"/lib/libtried.so", base::Via::kDefault, std::nullopt}}},
      {.name = "libcudnn_graph.so.9", .requester = "/venv/cudnn/libcudnn.so.9", .dlopen = true},
      {.name = "libprinted.so", .dlopen = true, .error = "libprinted.so: cannot open shared object file: x"},
      {.name = "libcame.so.1", .dlopen = true}};
  const Scenario scenario = Observed(process, MachineWithTorch(), files);
  ASSERT_NE(Find(scenario, "libtried.so"), nullptr);
  EXPECT_TRUE(Find(scenario, "libtried.so")->optional);
  EXPECT_EQ(Find(scenario, "libtried.so")->error,
            "libtried.so: cannot open shared object file: No such file or directory");
  EXPECT_EQ(Find(scenario, "libtried.so")->attempts.at(0).outcome, Outcome::kMissing);
  EXPECT_FALSE(Find(scenario, "libcudnn_graph.so.9")->optional);  // cuDNN does not work without it
  EXPECT_EQ(Find(scenario, "libcudnn_graph.so.9")->requester, 1u);
  EXPECT_FALSE(Find(scenario, "libprinted.so")->optional);
  const auto later = std::ranges::find_if(scenario.graph.requests, [](const Request& request) {
    return request.name == "libcame.so.1" && !request.error.empty();
  });
  ASSERT_NE(later, scenario.graph.requests.end());
  EXPECT_TRUE(later->alternative);
  EXPECT_EQ(scenario.graph.error, "");
}

// dlopen("_C.so") maps it, then libtorch_python.so, and fails at a dependency of that.
TEST(Observed, FindsTheImportAboveALibraryThatIsMissingFarBelow) {
  Files files;
  files.Add("/usr/bin/python3.11", "");
  record::Process process = Python();
  const std::string module = std::string(kTorch) + "/_C.so",
                    python = std::string(kTorch) + "/lib/libtorch_python.so";
  process.loads.push_back({.path = module, .via = base::Via::kPath, .dlopen = true, .closed = true});
  process.loads.push_back({.path = python,
                           .name = "libtorch_python.so",
                           .requester = module,
                           .via = base::Via::kRpath,
                           .closed = true});
  const std::string words = "libdeep.so.3: cannot open shared object file: No such file or directory";
  process.failed_requests = {{.name = "libdeep.so.3", .requester = python, .error = words}};
  const Scenario scenario = Observed(process, MachineWithTorch(), files);
  ASSERT_EQ(scenario.graph.requests.size(), 2u);
  EXPECT_EQ(scenario.graph.requests[0].name, module);
  EXPECT_EQ(scenario.graph.requests[0].opened_by, OpenedBy::kDlopen);
  EXPECT_FALSE(scenario.graph.requests[0].optional);
  EXPECT_EQ(scenario.graph.requests[1].requester_path, python);
  EXPECT_EQ(scenario.graph.import_error, words);
  EXPECT_EQ(scenario.framework, 1u);
}

TEST(Observed, AProgramThatDoesNotStartSaysSo) {
  Files files;
  files.Add("/app", "", {"libx.so"});
  const record::Process process{
      .id = 1, .program = "/app", .loads = {{.path = "/app"}}, .failed_requests = {{.name = "libx.so"}}};
  EXPECT_EQ(
      Observed(process, {}, files).graph.error,
      "/app: error while loading shared libraries: libx.so: cannot open shared object file: No such file or "
      "directory");
}

TEST(ObservedProcesses, AForkHasWhatItsParentHad) {
  Files files;
  files.Add("/usr/bin/python3.11", "");
  files.Add("/a.so", "a.so");
  files.Add("/b.so", "b.so");
  record::Run run;
  run.processes.push_back(Python());
  run.processes[0].loads.push_back({.at = 5, .path = "/a.so", .via = base::Via::kPath, .dlopen = true});
  run.processes[0].loads.push_back({.at = 50, .path = "/late.so", .via = base::Via::kPath, .dlopen = true});
  run.processes.push_back({.id = 4712, .parent = 4711, .at = 10, .forked = true});
  run.processes.push_back({.id = 4713, .parent = 4712, .at = 20, .forked = true});
  run.processes[2].loads.push_back({.at = 30, .path = "/b.so", .via = base::Via::kPath, .dlopen = true});
  const auto scenarios = ObservedProcesses(run, {}, files);
  ASSERT_EQ(scenarios.size(), 2u);  // 4712 requested nothing
  EXPECT_EQ(scenarios[1].title, "python3.11 (pid 4713)");
  ASSERT_EQ(scenarios[1].graph.objects.size(), 3u);
  EXPECT_EQ(scenarios[1].graph.objects[1].path, "/a.so");
  EXPECT_EQ(scenarios[1].graph.objects[2].path, "/b.so");
  // A record may claim anything: a process that is its own ancestor must not cause an endless loop.
  run.processes[1].parent = 4713;
  EXPECT_EQ(ObservedProcesses(run, {}, files).size(), 2u);
}

TEST(DropPlayedThatWasSeen, KeepsWhatTheProcessHasNotComeTo) {
  const auto library = [](const char* path) {
    Object object;
    object.path = path;
    return object;
  };
  Scenario any{.kind = Scenario::Kind::kAnyProgram}, seen{.kind = Scenario::Kind::kProcess},
      played{.kind = Scenario::Kind::kFramework};
  seen.environment = played.environment = 0;
  seen.framework = played.framework = 0;
  seen.graph.objects = {library("/x/libcudnn.so.9")};
  played.graph.objects = {library("/x/libcudnn.so.9"), library("/x/libcudnn_ops.so.9")};
  std::vector<Scenario> scenarios = {any, played, seen};
  DropPlayedThatWasSeen(scenarios);
  EXPECT_EQ(scenarios.size(), 3u);
  scenarios[2].graph.objects.push_back(library("/y/libcudnn_ops.so.9"));
  DropPlayedThatWasSeen(scenarios);
  ASSERT_EQ(scenarios.size(), 2u);
  EXPECT_EQ(scenarios[0].kind, Scenario::Kind::kAnyProgram);
  EXPECT_EQ(scenarios[1].kind, Scenario::Kind::kProcess);
}

}  // namespace
}  // namespace culprit::loader
