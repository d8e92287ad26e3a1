// From the facts of made-up machines to the jobs that prove them, and what is left out with its reason.
#include "probe/host/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace culprit::probe {
namespace {

using base::PathError;
using snapshot::DirectoryItem;
using snapshot::FileFacts;

constexpr uint16_t kX86 = 62, kArm = 183;

// Files by path, each an ELF file of one machine; links by their target.
class Tree final : public snapshot::FileView {
 public:
  explicit Tree(std::map<std::string, uint16_t> files, std::map<std::string, std::string> links = {})
      : files_(std::move(files)), links_(std::move(links)) {}

  const FileFacts& Open(const std::string& path) override {
    FileFacts& facts = facts_[path];
    const auto file = files_.find(RealPath(path));
    facts.error = file == files_.end() ? PathError::kNoEntry : PathError::kNone;
    if (file != files_.end()) {
      binfmt::ElfFile elf;
      elf.ident[4] = 2;
      elf.machine = file->second;
      facts.elf = std::make_shared<binfmt::ElfFile>(elf);
    }
    return facts;
  }
  PathError Directory(const std::string& path) override {
    const std::string start = RealPath(path) + "/";
    return std::ranges::any_of(files_, [&](const auto& file) { return file.first.starts_with(start); })
               ? PathError::kNone
               : PathError::kNoEntry;
  }
  std::string RealPath(const std::string& path) override {
    for (const auto& [link, target] : links_) {
      if (path == link || path.starts_with(link + "/")) return target + path.substr(link.size());
    }
    return path;
  }
  std::optional<std::vector<DirectoryItem>> List(const std::string& path) override {
    const std::string start = RealPath(path) + "/";
    std::vector<DirectoryItem> items;
    for (const auto& [file, machine] : files_) {
      if (!file.starts_with(start)) continue;
      const size_t end = file.find('/', start.size());
      const std::string name = file.substr(start.size(), end - start.size());
      if (items.empty() || items.back().name != name)
        items.push_back(
            {name, end == std::string::npos ? snapshot::FileKind::kRegular : snapshot::FileKind::kDirectory});
    }
    if (items.empty()) return std::nullopt;
    return items;
  }
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string&) override { return {}; }
  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string&) override { return {}; }
  const binfmt::PeExports* Exports(const std::string&) override { return nullptr; }

 private:
  std::map<std::string, uint16_t> files_;
  std::map<std::string, std::string> links_;
  std::map<std::string, FileFacts> facts_;
};

std::string Join(const std::vector<StepName>& steps) {
  std::string text;
  for (const StepName step : steps) text += (text.empty() ? "" : " ") + std::string(base::Word(step));
  return text;
}

std::string Join(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

const Job& Find(const Plan& plan, const std::string& name) {
  static const Job none;
  const auto job = std::ranges::find(plan.jobs, snapshot::ProbeJob(name), &Job::name);
  EXPECT_NE(job, plan.jobs.end()) << name;
  return job == plan.jobs.end() ? none : *job;
}

const std::string kSite = "/v/lib/python3.12/site-packages";

snapshot::Snapshot Machine() {
  snapshot::Snapshot snapshot;
  snapshot.cpu.machine = "x86_64";
  snapshot::Toolkits toolkits;
  toolkits.copies = {
      {.root = "/usr/local/cuda-13.0", .version = "13.0", .kind = snapshot::ToolkitKind::kToolkit},
      {.root = "/usr/local/cuda-sbsa", .version = "13.0", .kind = snapshot::ToolkitKind::kToolkit}};
  snapshot.stack.toolkits = snapshot::Fact<snapshot::Toolkits>::Of(toolkits, "test");
  std::vector<snapshot::CudnnCopy> copies(3);
  copies[0] = {.directory = "/usr/lib/x86_64-linux-gnu",
               .major = 9,
               .version = "9.14.0",
               .cuda = "13",
               .machine = "x86-64"};
  copies[1] = {.directory = kSite + "/nvidia/cudnn/lib",
               .major = 9,
               .version = "9.19.0",
               .cuda = "13.0",
               .machine = "x86-64"};
  copies[2] = {.directory = "/opt/arm", .major = 9, .machine = "aarch64"};
  snapshot.stack.cudnn = snapshot::Fact<std::vector<snapshot::CudnnCopy>>::Of(copies, "test");
  snapshot::PythonEnvironment other{.prefix = "/o",
                                    .kind = snapshot::EnvironmentKind::kVenv,
                                    .why = snapshot::EnvironmentWhy::kFound,
                                    .interpreter = "/o/bin/python3"};
  other.frameworks = {{.name = "torch", .version = "2.0"}, {.name = "jax", .version = "0.4"}};
  snapshot::PythonEnvironment active{.prefix = "/v",
                                     .kind = snapshot::EnvironmentKind::kVenv,
                                     .why = snapshot::EnvironmentWhy::kActive,
                                     .interpreter = "/v/bin/python3"};
  active.site_packages = {kSite};
  active.frameworks = {{.name = "torch", .version = "2.11.0"}};
  snapshot.stack.environments =
      snapshot::Fact<std::vector<snapshot::PythonEnvironment>>::Of({other, active}, "test");
  return snapshot;
}

Tree Files() {
  std::map<std::string, uint16_t> files;
  const std::string toolkit = "/usr/local/cuda-13.0/lib64/", pip = kSite + "/nvidia/cu13/lib/";
  for (const char* name : {"libcudart.so.13", "libcudart.so.13.0.96", "libnvrtc.so.13", "libnvrtc.alt.so.13",
                           "libnvrtc-builtins.so.13.0", "libcublas.so.13", "libcublasLt.so.13"}) {
    files[toolkit + name] = kX86;
    files[pip + name] = kX86;
  }
  files["/usr/local/cuda-sbsa/lib64/libcudart.so.13"] = kArm;
  files["/usr/lib/x86_64-linux-gnu/libcudnn.so.9"] = kX86;
  files[kSite + "/nvidia/cudnn/lib/libcudnn.so.9"] = kX86;
  files["/opt/arm/libcudnn.so.9"] = kArm;
  return Tree(std::move(files));
}

std::vector<snapshot::ProbedDevice> Devices(int count) {
  std::vector<snapshot::ProbedDevice> devices(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) devices[static_cast<size_t>(i)].cuda_index = std::to_string(i);
  return devices;
}

TEST(Plan, TheDriversJobNeedsNoFacts) {
  EXPECT_EQ(Join(DriverJob({}).arguments), "driver");
  EXPECT_EQ(Join(DriverJob({.device = "2"}).arguments), "driver --device 2");
  EXPECT_EQ(Join(DriverJob({}).steps), "libcuda nvml init devices context memory copy kernel");
}

TEST(Plan, EveryCopyOfTheLibrariesGetsAJobWithItsFiles) {
  Tree files = Files();
  const Plan plan = PlanJobs(Machine(), files, Devices(1), {});
  ASSERT_EQ(plan.jobs.size(), 4u);
  EXPECT_EQ(plan.jobs[0].name, "runtime " + kSite + "/nvidia") << "this shell's environment first";
  const Job& toolkit = Find(plan, "runtime /usr/local/cuda-13.0");
  const std::string at = "/usr/local/cuda-13.0/lib64/";
  EXPECT_EQ(Join(toolkit.arguments), "runtime --cudart " + at + "libcudart.so.13 --nvrtc " + at +
                                         "libnvrtc.so.13 --cublas " + at + "libcublas.so.13 --cublaslt " +
                                         at + "libcublasLt.so.13 --preload " + at +
                                         "libnvrtc-builtins.so.13.0");
  EXPECT_EQ(Join(toolkit.steps), "cudart nvrtc cublas cublaslt");
}

TEST(Plan, CudnnGetsWhatItsPartsOpenByName) {
  Tree files = Files();
  snapshot::Snapshot machine = Machine();
  Plan plan = PlanJobs(machine, files, Devices(1), {});
  const auto preloaded = [](const Job& job, const std::string& directory) {
    return Join(job.arguments)
        .ends_with(" --preload " + directory + "/libnvrtc-builtins.so.13.0 --preload " + directory +
                   "/libnvrtc.so.13 --preload " + directory + "/libcublasLt.so.13 --preload " + directory +
                   "/libcublas.so.13");
  };
  EXPECT_TRUE(preloaded(Find(plan, "cudnn " + kSite + "/nvidia/cudnn/lib"), kSite + "/nvidia/cu13/lib"));
  EXPECT_TRUE(preloaded(Find(plan, "cudnn /usr/lib/x86_64-linux-gnu"), "/usr/local/cuda-13.0/lib64"));

  machine.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda-13.0/lib64";
  plan = PlanJobs(machine, files, Devices(1), {});
  EXPECT_EQ(Join(Find(plan, "cudnn /usr/lib/x86_64-linux-gnu").arguments),
            "cudnn --cudnn /usr/lib/x86_64-linux-gnu/libcudnn.so.9");
}

TEST(Plan, WhatIsForAnotherCpuIsLeftOutWithTheReason) {
  Tree files = Files();
  const Plan plan = PlanJobs(Machine(), files, Devices(1), {});
  ASSERT_EQ(plan.not_run.size(), 2u);
  EXPECT_EQ(plan.not_run[0].job, "runtime /usr/local/cuda-sbsa");
  EXPECT_EQ(plan.not_run[1].subject, "/opt/arm/libcudnn.so.9");
  EXPECT_EQ(plan.not_run[1].detail, "is for aarch64, this machine is x86-64");
  EXPECT_EQ(plan.not_run[1].outcome, snapshot::StepOutcome::kNotRun);
}

TEST(Plan, WithoutADeviceOnlyLoadingIsTried) {
  Tree files = Files();
  std::vector<snapshot::ProbedDevice> hidden(1);
  hidden[0].nvml_index = "0";
  const Plan plan = PlanJobs(Machine(), files, hidden, {});
  ASSERT_EQ(plan.jobs.size(), 2u);
  for (const Job& job : plan.jobs) EXPECT_EQ(Join(job.steps), "cudnn-load cudnn-parts");
  EXPECT_EQ(
      std::ranges::count(plan.not_run, "needs a device, but CUDA shows none", &snapshot::ProbeStep::detail),
      4);
}

TEST(Plan, FurtherDevicesAndPeersGetJobsUnlessOneIsNamed) {
  Tree none({});
  snapshot::Snapshot empty;
  const Plan plan = PlanJobs(empty, none, Devices(3), {});
  ASSERT_EQ(plan.jobs.size(), 3u);
  EXPECT_EQ(Join(plan.jobs[1].arguments), "driver --device 2");
  EXPECT_EQ(Join(plan.jobs[1].steps), "context memory copy kernel");
  EXPECT_EQ(Join(plan.jobs[2].steps), "peer");
  EXPECT_TRUE(PlanJobs(empty, none, Devices(3), {.device = "1"}).jobs.empty());
}

TEST(Plan, ManyCopiesAreTriedOnlyWithDeep) {
  snapshot::Snapshot machine;
  machine.cpu.machine = "x86_64";
  snapshot::Toolkits toolkits;
  std::map<std::string, uint16_t> files;
  for (int minor = 0; minor < 6; ++minor) {
    const std::string root = "/usr/local/cuda-12." + std::to_string(minor);
    toolkits.copies.push_back({.root = root});
    files[root + "/lib64/libcudart.so.12"] = kX86;
  }
  toolkits.copies.push_back({.root = "/again"});
  machine.stack.toolkits = snapshot::Fact<snapshot::Toolkits>::Of(toolkits, "test");
  Tree tree(files, {{"/again", "/usr/local/cuda-12.0"}});
  EXPECT_EQ(PlanJobs(machine, tree, Devices(1), {}).jobs.size(), 4u);
  EXPECT_EQ(PlanJobs(machine, tree, Devices(1), {}).not_run.size(), 2u);
  EXPECT_EQ(PlanJobs(machine, tree, Devices(1), {.deep = true}).jobs.size(), 6u);
}

TEST(Plan, ANamedCudnnIsTheOnlyOneTried) {
  Tree files = Files();
  const auto jobs = [&](const std::string& wish) {
    const Plan plan = PlanJobs(Machine(), files, Devices(1), {.device = "1", .cudnn = {wish}, .deep = true});
    std::string text;
    for (const Job& job : plan.jobs) {
      if (job.name.name() == "cudnn") text += job.subject + "\n";
    }
    return text;
  };
  EXPECT_EQ(jobs("/usr/lib/x86_64-linux-gnu"), "/usr/lib/x86_64-linux-gnu/libcudnn.so.9\n");
  EXPECT_EQ(jobs("/usr/lib/x86_64-linux-gnu/libcudnn.so.9"), "/usr/lib/x86_64-linux-gnu/libcudnn.so.9\n");
  EXPECT_EQ(jobs("/elsewhere/libcudnn.so.8"), "/elsewhere/libcudnn.so.8\n") << "it will say what is wrong";
  EXPECT_EQ(jobs("/usr/local/cuda-13.0"), "");
}

TEST(Plan, AFrameworkRunsInTheEnvironmentOfThisShell) {
  Tree none({});
  const snapshot::Snapshot machine = Machine();
  const Plan plan =
      PlanJobs(machine, none, Devices(1), {.device = "1", .frameworks = {"torch", "jax", "cupy", "caffe"}});
  const Job& torch = Find(plan, "torch /v/bin/python3");
  EXPECT_EQ(torch.program, "/v/bin/python3");
  EXPECT_EQ(torch.arguments[1], "-c");
  EXPECT_NE(torch.arguments[2].find("import torch"), std::string::npos);
  EXPECT_EQ(torch.arguments.back(), "1");
  EXPECT_EQ(Find(plan, "jax /o/bin/python3").title, "jax 0.4");
  const auto reason = [&](const std::string& job) {
    const auto step = std::ranges::find(plan.not_run, snapshot::ProbeJob(job), &snapshot::ProbeStep::job);
    return step == plan.not_run.end() ? "" : step->detail;
  };
  EXPECT_EQ(reason("cupy"), "no Python environment with cupy found; pass --python");
  EXPECT_EQ(reason("caffe"), "is not a framework that culprit can test");
  EXPECT_EQ(
      Find(PlanJobs(machine, none, {}, {.frameworks = {"cupy"}, .python = "/p/python"}), "cupy /p/python")
          .program,
      "/p/python");
}

}  // namespace
}  // namespace culprit::probe
