// `culprit probe` end to end on a made-up machine: the files of a driver and a GPU, fake CUDA libraries, and
// one fault at a time. Each fault must be named with its step, status and cause, and the healthy machine must
// be clean.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "fake_world.h"

namespace culprit {
namespace {

using base::Json;
using Words = std::vector<std::string>;

// The files of the machine, made once: made_up_machine fills it and mounts it over the real ones.
const fs::path& MachineDirectory() {
  static const FakeWorld keeper;
  return keeper.directory();
}

Words InTheMachine(Words command) {
  Words words = {"/usr/bin/unshare", "--mount", "--propagation", "private"};
  if (geteuid() != 0) words.insert(words.begin() + 1, "--map-root-user");
  words.insert(words.end(), {CULPRIT_MADE_UP_MACHINE, (MachineDirectory() / "machine").string()});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

class ProbeCli : public testing::Test {
 protected:
  void SetUp() override {
    static const Ran possible = FakeWorld().Run(InTheMachine({"/bin/true"}));
    if (possible.status != 0) GTEST_SKIP() << "no mount namespace can be made here: " << possible.err;
    // As a driver installs itself: the file name contains the version.
    driver_ = world_.directory() / "driver";
    toolkit_ = world_.directory() / "toolkit";
    fs::create_directory(driver_);
    fs::create_directory(toolkit_);
    for (const std::string name : {"libcuda.so", "libnvidia-ml.so"}) {
      fs::copy(kFakes + "/driver/" + name + ".1", driver_ / (name + ".580.95.05"));
      fs::create_symlink(name + ".580.95.05", driver_ / (name + ".1"));
    }
    fs::create_directory_symlink(kFakes + "/cuda", toolkit_ / "lib64");
    std::ofstream(toolkit_ / "version.json") << R"({"cuda": {"name": "CUDA SDK", "version": "13.0.2"}})";
    world_.Set("LD_LIBRARY_PATH", driver_.string() + ":" + kFakes + "/cuda");
    world_.Set("CUDA_HOME", toolkit_.string()).Set("CULPRIT_PROBE", CULPRIT_PROBE_PROGRAM);
  }

  // The program to use as culprit-probe from now on.
  void Script(const std::string& text) {
    const fs::path script = world_.directory() / "script";
    std::ofstream(script) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(script, fs::perms::owner_all);
    world_.Set("CULPRIT_PROBE", script.string());
  }

  Json Probe(int status, const std::string& cudnn = FakeCudnn(91900), const Words& more = {}) {
    Words command = {CULPRIT_PROGRAM, "probe", "--format", "json", "--cudnn", cudnn};
    command.insert(command.end(), more.begin(), more.end());
    ran_ = world_.Run(InTheMachine(command));
    EXPECT_EQ(ran_.status, status) << ran_.err;
    Json report = Json::parse(ran_.out, nullptr, false);
    EXPECT_FALSE(report.is_discarded()) << ran_.out << ran_.err;
    if (report.is_discarded())
      return {{"steps", Json::array()}, {"findings", Json::array()}, {"verdict", ""}};
    EXPECT_EQ(report["schema"], "culprit.probe/1");
    return report;
  }

  // The first step with that name.
  static Json Step(const Json& report, const std::string& name) {
    for (const Json& step : report["steps"])
      if (step["name"] == name) return step;
    ADD_FAILURE() << "no step " << name;
    return {{"ok", nullptr}, {"status", ""}, {"detail", ""}, {"cause", ""}};
  }
  static std::set<std::string> Failed(const Json& report) {
    std::set<std::string> names;
    for (const Json& step : report["steps"])
      if (step["ok"] == false) names.insert(step["name"].get<std::string>());
    return names;
  }
  static std::string Detail(const Json& report, const std::string& name) {
    return Step(report, name)["detail"].get<std::string>();
  }
  // The step failed with this status, and the report has a finding with one of these causes that explains it.
  static void ExpectFault(const Json& report, const std::string& name, const std::string& status,
                          const std::set<std::string>& causes) {
    const Json step = Step(report, name);
    EXPECT_EQ(step["ok"], false) << step;
    EXPECT_EQ(step["status"], status) << step;
    EXPECT_TRUE(step["cause"].is_string() && causes.contains(step["cause"].get<std::string>())) << step;
    EXPECT_TRUE(std::ranges::any_of(report["findings"], [&](const Json& finding) {
      return finding["code"] == step["code"];
    })) << report["findings"];
    EXPECT_EQ(report["verdict"], "errors");
  }

  // The step about the sub-libraries fails, nothing else, and the finding names both versions and the odd
  // directory.
  static void ExpectMixed(const Json& report, const std::string& status, const std::string& directory) {
    ExpectFault(report, "cudnn-parts", status, {"cudnn-mixed-versions"});
    EXPECT_EQ(Failed(report), (std::set<std::string>{"cudnn-parts"}));
    const std::string summary = Explaining(report, "cudnn-parts");
    for (const std::string& part : {std::string("9.14.0"), std::string("9.19.0"), directory})
      EXPECT_NE(summary.find(part), std::string::npos) << summary;
  }
  // The summary of the finding that a step names.
  static std::string Explaining(const Json& report, const std::string& name) {
    const Json code = Step(report, name)["code"];
    for (const Json& finding : report["findings"])
      if (finding["code"] == code) return finding["summary"].get<std::string>();
    return "";
  }
  std::string Variable(const std::string& name) const { return world_.Get(name); }

  FakeWorld world_;
  fs::path driver_, toolkit_;
  Ran ran_;
};

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ProbeCli, AHealthyMachineIsClean) {
  for (const int version : {91900, 8907}) {
    const Json report = Probe(0, FakeCudnn(version));
    EXPECT_EQ(report["verdict"], "ok") << report;
    EXPECT_TRUE(report["findings"].empty()) << report["findings"];
    EXPECT_EQ(report["steps"].size(), 16U);
    for (const Json& step : report["steps"]) EXPECT_EQ(step["ok"], true) << step;
    EXPECT_EQ(report["devices"].size(), 1U);
  }
  // The output of a library is not mistaken for the protocol, and nobody waits for a child that it leaves
  // behind.
  world_.Misbehave("cuInit=flood,cuMemAlloc_v2=fork");
  EXPECT_EQ(Probe(0)["verdict"], "ok");
}

TEST_F(ProbeCli, CudaVisibleDevices) {
  for (const auto& [list, code] : {std::pair{"-1", "CUL2001"}, std::pair{"7", "CUL2002"}}) {
    SCOPED_TRACE(list);
    world_.Set("CUDA_VISIBLE_DEVICES", list);
    const Json report = Probe(1);
    ExpectFault(report, "init", "CUDA_ERROR_NO_DEVICE", {"gpu-not-visible"});
    EXPECT_EQ(Step(report, "init")["code"], code);
    EXPECT_EQ(Step(report, "context")["ok"], nullptr) << "what was not run is not fine";
  }
}

TEST_F(ProbeCli, PartsOfAnotherCudnnInLdLibraryPath) {
  // All of 9.14 before 9.19: its sub-libraries agree with each other, but not with the shim.
  const std::string before = Variable("LD_LIBRARY_PATH");
  world_.Prepend(FakeCudnn(91400));
  ExpectMixed(Probe(1), "mixed-versions", FakeCudnn(91400));

  // Only some of it, so that sub-libraries of both are mixed.
  const fs::path odd = world_.CopyOfCudnn(91400, "odd");
  for (const char* name : {"libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_adv.so.9"})
    fs::remove(odd / name);
  world_.Set("LD_LIBRARY_PATH", odd.string() + ":" + before);
  ExpectMixed(Probe(1), "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", odd.string());
}

TEST_F(ProbeCli, APartOfCudnnThatIsMissing) {
  const fs::path copy = world_.CopyOfCudnn(91900, "copy");
  fs::remove(copy / "libcudnn_cnn.so.9");
  const Json report = Probe(1, copy.string());
  ExpectFault(report, "cudnn-convolution", "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
              {"cudnn-sublibrary-missing"});
  EXPECT_TRUE(Contains(Detail(report, "cudnn-parts"), "libcudnn_cnn")) << Detail(report, "cudnn-parts");
  EXPECT_EQ(Failed(report), (std::set<std::string>{"cudnn-parts", "cudnn-convolution"}));
}

TEST_F(ProbeCli, APartOfCudnnThatIsCutOff) {
  const fs::path copy = world_.CopyOfCudnn(91900, "copy");
  fs::resize_file(copy / "libcudnn_ops.so.9", 400);  // not even its headers are complete
  const Json refused = Probe(1, copy.string());
  ExpectFault(refused, "cudnn-convolution", "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
              {"corrupt-library"});
  EXPECT_TRUE(Contains(Explaining(refused, "cudnn-convolution"), "libcudnn_ops.so.9"));

  // The headers are intact but the contents are missing: the loader itself crashes.
  const fs::path other = world_.CopyOfCudnn(91900, "other");
  fs::resize_file(other / "libcudnn_graph.so.9", 4096);
  const Json crashed = Probe(1, other.string());
  ExpectFault(crashed, "cudnn-load", "SIGBUS", {"corrupt-library"});
  EXPECT_TRUE(Contains(Detail(crashed, "cudnn-load"), (other / "libcudnn_graph.so.9").string()));
  EXPECT_EQ(Failed(crashed), (std::set<std::string>{"cudnn-load"}));
  EXPECT_TRUE(Contains(Explaining(crashed, "cudnn-load"), "libcudnn_graph.so.9 is truncated"));
}

TEST_F(ProbeCli, StubOfTheToolkitFirst) {
  world_.Prepend(kFakes + "/stubs");
  const Json report = Probe(1);
  ExpectFault(report, "init", "CUDA_ERROR_STUB_LIBRARY", {"search-path"});
  EXPECT_EQ(Step(report, "libcuda")["ok"], true);
  EXPECT_EQ(Step(report, "libcuda")["libraries"][0]["path"], kFakes + "/stubs/libcuda.so.1");
}

TEST_F(ProbeCli, MemoryHeldByAnotherProcessNamesIt) {
  world_.Set("FAKE_CUDA_HOLDER", "4242:85363523584:train.py").Set("FAKE_CUDA_FREE", "1048576");
  const Json report = Probe(1);
  ExpectFault(report, "context", "CUDA_ERROR_OUT_OF_MEMORY", {"out-of-memory"});
  EXPECT_EQ(report["devices"][0]["holders"][0]["pid"], 4242);
  EXPECT_TRUE(Contains(report["findings"][0]["summary"], "4242")) << report["findings"];
}

TEST_F(ProbeCli, NoDriverAtAll) {
  world_.Set("LD_LIBRARY_PATH", kFakes + "/cuda");
  const Json report = Probe(1);
  // Which one depends on whether this is a container.
  ExpectFault(report, "libcuda", "not-found", {"container-runtime", "driver-missing", "library-missing"});
  EXPECT_EQ(Step(report, "init")["ok"], nullptr);
}

TEST_F(ProbeCli, ALibraryThatCrashes) {
  world_.Misbehave("cudnnConvolutionForward=crash");
  const Json report = Probe(1);
  ExpectFault(report, "cudnn-convolution", "SIGSEGV", {"library-bug"});
  EXPECT_TRUE(Contains(Detail(report, "cudnn-convolution"), FakeCudnn(91900) + "/libcudnn_cnn.so.9"));
  EXPECT_EQ(Failed(report), (std::set<std::string>{"cudnn-convolution"}))
      << "the others were tried all the same";
}

TEST_F(ProbeCli, ALibraryThatHangs) {
  world_.Misbehave("cublasCreate_v2=hang");
  const Json report = Probe(1, FakeCudnn(91900), {"--timeout", "5"});
  const Json step = Step(report, "cublas");
  ExpectFault(report, "cublas", "hung", {"library-bug", "driver-wedged"});
  EXPECT_TRUE(Contains(Detail(report, "cublas"), "libcublas.so.13")) << step;
  EXPECT_EQ(Step(report, "cublaslt")["ok"], true) << "behind it the job goes on";
  EXPECT_GE(ran_.seconds, 5);
}

TEST_F(ProbeCli, ALibraryThatSpoilsTheProtocol) {
  world_.Misbehave("cudnnCreate=garbage");
  const Json report = Probe(1);
  EXPECT_EQ(Step(report, "cudnn-create")["status"], "garbage");
  EXPECT_EQ(Step(report, "cudnn-create")["ok"], false);
  EXPECT_EQ(Step(report, "kernel")["ok"], true);
}

TEST_F(ProbeCli, AChildThatGoesAway) {
  world_.Misbehave("cudnnCreate=exit,cublasCreate_v2=oom-kill");
  const Json report = Probe(1);
  EXPECT_EQ(Step(report, "cudnn-create")["status"], "ended");
  EXPECT_EQ(Step(report, "cublas")["status"], "SIGKILL");
  EXPECT_EQ(Step(report, "cublaslt")["ok"], true);
  EXPECT_EQ(Failed(report), (std::set<std::string>{"cudnn-create", "cublas"}));
}

TEST_F(ProbeCli, AWrongResult) {
  world_.Misbehave("cuLaunchKernel=wrong");
  ExpectFault(Probe(1), "kernel", "wrong-result", {"hardware-fault"});
}

// The real interpreter with a fake torch.
TEST_F(ProbeCli, TheFrameworkOfTheUser) {
  const Words torch = {"--framework", "torch", "--python", CULPRIT_PYTHON};
  world_.Set("PYTHONPATH", kFakes + "/python");
  const Json healthy = Probe(0, FakeCudnn(91900), torch);
  EXPECT_EQ(healthy["verdict"], "ok") << healthy["findings"];
  EXPECT_EQ(Step(healthy, "framework-convolution")["ok"], true);
  EXPECT_EQ(Step(healthy, "import")["figures"]["cudnn"], "91900");

  const struct {
    std::string how, step, status;
  } faults[] = {{"cpu", "framework-devices", "cpu-only"},
                {"import", "import", "ImportError"},
                {"crash", "framework-convolution", "SIGSEGV"},
                {"wrong", "framework-convolution", "wrong-result"}};
  for (const auto& fault : faults) {
    SCOPED_TRACE(fault.how);
    world_.Set("FAKE_TORCH", fault.how);
    const Json report = Probe(1, FakeCudnn(91900), torch);
    EXPECT_EQ(Step(report, fault.step)["status"], fault.status);
    EXPECT_EQ(Failed(report), (std::set<std::string>{fault.step}));
    EXPECT_TRUE(Step(report, fault.step)["code"].is_string()) << "a finding explains it";
  }
}

TEST_F(ProbeCli, ACompilerThatCompilesLinksAndRunsIsToldApart) {
  fs::create_directory(toolkit_ / "bin");
  fs::copy(CULPRIT_FAKE_SOURCES "/nvcc", toolkit_ / "bin/nvcc");
  const Json healthy = Probe(0, FakeCudnn(91900), {"--compile"});
  EXPECT_EQ(Step(healthy, "run-cuda")["ok"], true) << healthy["steps"];
  EXPECT_EQ(Step(healthy, "run-cudnn")["ok"], true);
  EXPECT_TRUE(Contains(healthy["advice"].dump(), "CMAKE_CUDA_ARCHITECTURES=90")) << healthy["advice"];
  for (const std::string where : {"compile", "link", "run"}) {
    SCOPED_TRACE(where);
    world_.Set("FAKE_NVCC", where);
    const Json report = Probe(1, FakeCudnn(91900), {"--compile"});
    EXPECT_EQ(Step(report, where + "-cuda")["ok"], false);
    EXPECT_EQ(Failed(report), (std::set<std::string>{where + "-cuda", where + "-cudnn"}));
    EXPECT_TRUE(Step(report, where + "-cuda")["code"].is_string()) << "a finding explains it";
  }
}

TEST_F(ProbeCli, AProbeThatDoesNotKeepTheProtocol) {
  const struct {
    const char *text, *status, *limit;
  } scripts[] = {
      {"echo hello", "garbage", "60"},
      {"echo culprit-probe 2; echo done", "garbage", "60"},
      {"head -c 100000000 /dev/zero", "garbage", "60"},
      {"exit 0", "ended", "60"},
      {"kill -9 $$", "SIGKILL", "60"},
      {"test $1 = cudnn && exit; sleep 3600 & sleep 3600", "hung", "1"},
  };
  for (const auto& [text, status, limit] : scripts) {
    SCOPED_TRACE(text);
    Script(text);
    const Json report = Probe(1, FakeCudnn(91900), {"--timeout", limit});
    EXPECT_EQ(Step(report, "libcuda")["status"], status);
    EXPECT_EQ(report["verdict"], "errors");
    for (const Json& step : report["steps"]) EXPECT_NE(step["ok"], true) << step;
  }
  world_.Set("CULPRIT_PROBE", "/nowhere/culprit-probe");
  ran_ = world_.Run(InTheMachine({CULPRIT_PROGRAM, "probe"}));
  EXPECT_EQ(ran_.status, 2);
  EXPECT_TRUE(Contains(ran_.err, "/nowhere/culprit-probe")) << ran_.err;
}

}  // namespace
}  // namespace culprit
