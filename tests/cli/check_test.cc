// `culprit check`, `explain` and `rules` on a made-up image with PyTorch in a virtual environment and without
// a driver, as images are.
#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "binfmt/write_elf_sections.h"
#include "made_up_root.h"

namespace culprit {
namespace {

constexpr const char* kHost = "driver=580.95.05,gpu=sm_90";
constexpr const char* kSite = "/opt/venv/lib/python3.11/site-packages/";

class Check : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteFile(root_ / "etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    Add("/usr/bin/python3.11", {.needed = {"libc.so.6"}, .interpreter = kLoader});
    WriteFile(root_ / "opt/venv/pyvenv.cfg",
              "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
    fs::create_directories(root_ / "opt/venv/bin");
    fs::create_symlink("/usr/bin/python3.11", root_ / "opt/venv/bin/python3");
    AddTorch();
    AddCudnn(std::string(kSite) + "nvidia/cudnn/lib", 19);
  }

  void AddPackage(const std::string& name, const std::string& version, const std::string& record,
                  const std::string& requires_dist = "") {
    std::string directory = name;
    for (char& c : directory) c = c == '-' ? '_' : c;
    directory = root_.string() + kSite + directory + "-" + version + ".dist-info/";
    WriteFile(directory + "METADATA",
              "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n" + requires_dist + "\n");
    WriteFile(directory + "INSTALLER", "pip\n");
    WriteFile(directory + "RECORD", record);
  }

  void AddTorch() {
    AddPackage("torch", "2.11.0", "torch/lib/libtorch_cuda.so,,\n",
               "Requires-Dist: nvidia-cudnn-cu13 (==9.19.0.56) ; platform_system == \"Linux\"\n"
               "Requires-Dist: nvidia-cublas (==13.1.0.3) ; platform_system == \"Linux\"\n"
               "Requires-Dist: nvidia-cuda-runtime (==13.0.96) ; platform_system == \"Linux\"\n");
    AddPackage("nvidia-cudnn-cu13", "9.19.0.56", "nvidia/cudnn/lib/libcudnn.so.9,,\n");
    AddPackage("nvidia-cublas", "13.1.0.3",
               "nvidia/cu13/lib/libcublas.so.13,,\nnvidia/cu13/lib/libcublasLt.so.13,,\n");
    AddPackage("nvidia-cuda-runtime", "13.0.96", "nvidia/cu13/lib/libcudart.so.13,,\n");
    const std::string torch = std::string(kSite) + "torch/", cuda = std::string(kSite) + "nvidia/cu13/lib/";
    WriteFile(root_.string() + torch + "__init__.py", "");
    WriteFile(root_.string() + torch + "version.py",
              "__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n");
    const std::string rpath = "$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/cu13/lib:$ORIGIN";
    const auto library = [&](const std::string& name, std::vector<std::string> needed) {
      return ElfSpec{.soname = name, .needed = std::move(needed), .rpath = rpath};
    };
    Add(torch + "_C.cpython-311-x86_64-linux-gnu.so",
        {.needed = {"libtorch_python.so"}, .rpath = "$ORIGIN:$ORIGIN/lib"});
    Add(torch + "lib/libtorch_global_deps.so",
        library("libtorch_global_deps.so", {"libcudart.so.13", "libcublas.so.13", "libcudnn.so.9"}));
    Add(torch + "lib/libtorch_python.so", library("libtorch_python.so", {"libtorch_cuda.so"}));
    const std::string code = BuildFatbin({.entries = {{.arch = 80}, {.arch = 90}, {.arch = 100}}});
    WriteFile(root_.string() + torch + "lib/libtorch_cuda.so",
              binfmt::AddSections(BuildElf(library("libtorch_cuda.so", {"libcudart.so.13", "libcublas.so.13",
                                                                        "libcudnn.so.9", "libc.so.6"})),
                                  {{".nv_fatbin", code}}));
    Add(cuda + "libcudart.so.13", {.soname = "libcudart.so.13"});
    Add(cuda + "libcublas.so.13",
        {.soname = "libcublas.so.13", .needed = {"libcublasLt.so.13"}, .runpath = "$ORIGIN"});
    Add(cuda + "libcublasLt.so.13", {.soname = "libcublasLt.so.13"});
  }

  // check --root root --host ... and what is given.
  static std::vector<std::string> Ask(std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "--root", "root", "--host", kHost});
    return more;
  }

  // JSON without what changes from one release to the next.
  void ExpectGoldenJson(const std::string& name, const std::vector<std::string>& arguments,
                        int status) const {
    Output output = Run(arguments);
    EXPECT_EQ(output.status, status);
    EXPECT_EQ(output.err, "");
    EXPECT_EQ(output.out.find(top_.string()), std::string::npos) << "names the directory of the test";
    base::Json json = base::Json::parse(output.out);
    EXPECT_FALSE(json.at("snapshot").at("tool_version").get<std::string>().empty());
    json["snapshot"]["tool_version"] = "VERSION";
    const std::string text = json.dump(2) + "\n";
    const fs::path golden = fs::path(CULPRIT_GOLDEN) / name;
    if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) WriteFile(golden, text);
    EXPECT_EQ(text, ReadFile(golden)) << "tools/update-golden writes it anew";
  }
};

TEST_F(Check, AHealthyImage) {
  ExpectGolden("check_ok.txt", Ask({}), 0);
  ExpectGolden("check_ok.md", Ask({"--format", "markdown"}), 0);
  ExpectGoldenJson("check_ok.json", Ask({"--format", "json"}), 0);
}

TEST_F(Check, LdLibraryPathMixesTwoCopiesOfCudnn) {
  ExpectGolden("check_mixed.txt", Ask({"--env", "shadow.env"}), 1);
  ExpectGolden("check_mixed.md", Ask({"--env", "shadow.env", "--format", "markdown"}), 1);
  ExpectGoldenJson("check_mixed.json", Ask({"--env", "shadow.env", "--format", "json"}), 1);
}

TEST_F(Check, TheMixIsOneErrorUnderItsCode) {
  const base::Json json = base::Json::parse(Run(Ask({"--env", "shadow.env", "--format", "json"})).out);
  std::vector<std::string> errors;
  for (const base::Json& finding : json.at("findings")) {
    if (finding.at("severity") == "error") errors.push_back(finding.at("code"));
  }
  EXPECT_EQ(errors, std::vector<std::string>{"CUL3004"});
}

TEST_F(Check, AnEnvironmentAsTarget) { ExpectGolden("check_environment.txt", Ask({"/opt/venv"}), 0); }

TEST_F(Check, AProgramAsTarget) { ExpectGolden("check_program.txt", Ask({"/app/broken"}), 1); }

TEST_F(Check, WithoutAHostItIsNotToldAsFine) {
  ExpectGolden("check_no_host.txt", {"check", "--root", "root"}, 0);
}

TEST_F(Check, StrictCountsWarnings) {
  WriteFile(top_ / "preload.env", "LD_PRELOAD=/nowhere/libtcmalloc.so.4\n");
  const Output lenient = Run(Ask({"--env", "preload.env"}));
  EXPECT_EQ(lenient.status, 0) << lenient.out;
  ExpectGolden("check_strict.txt", Ask({"--env", "preload.env", "--strict"}), 1);
  EXPECT_EQ(Run(Ask({"--strict"})).status, 0);
}

TEST_F(Check, AHostThatIsNoneIsWrongUsage) {
  for (const char* host : {"driver", "driver=", "gpu=sm_", "gpu=Voodoo2", "cuda=13.0", "driver=abc", ","}) {
    const Output output = Run({"check", "--root", "root", "--host", host});
    EXPECT_EQ(output.status, 64) << host;
    EXPECT_EQ(output.out, "") << host;
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
  }
  ExpectGolden("check_bad_host.txt", {"check", "--root", "root", "--host", "gpu=Voodoo2"}, 64);
}

TEST_F(Check, ATargetThatIsNothingToLookAt) {
  ExpectGolden("check_text_target.txt", Ask({"/app/notes.txt"}), 2);
  ExpectGolden("check_directory_target.txt", Ask({"/app"}), 2);
  ExpectGolden("check_no_target.txt", Ask({"/none"}), 2);
}

TEST_F(Check, ASnapshotGivesTheSameFindings) {
  ASSERT_EQ(Run({"snapshot", "--root", "root", "--env", "shadow.env", "-o", "machine.json"}).status, 0);
  const Output live = Run(Ask({"--env", "shadow.env", "--format", "json"}));
  const Output recorded = Run({"check", "machine.json", "--host", kHost, "--format", "json"});
  EXPECT_EQ(recorded.status, live.status);
  EXPECT_EQ(base::Json::parse(recorded.out).at("findings"), base::Json::parse(live.out).at("findings"));
}

TEST_F(Check, Explain) {
  ExpectGolden("explain.txt", {"explain", "CUL3004"}, 0);
  ExpectGolden("explain_unknown.txt", {"explain", "CUL9999"}, 2);
  EXPECT_EQ(std::ranges::count(Run({"explain", "CUL9999"}).err, '\n'), 1);
}

TEST_F(Check, RulesAsJson) {
  const Output output = Run({"rules", "--format", "json"});
  EXPECT_EQ(output.status, 0);
  const base::Json json = base::Json::parse(output.out);
  std::set<std::string> codes;
  for (const base::Json& rule : json.at("rules")) codes.insert(rule.at("code").get<std::string>());
  EXPECT_GT(codes.size(), 60u);
  EXPECT_EQ(codes.size(), json.at("rules").size()) << "a code stands there twice";
}

}  // namespace
}  // namespace culprit
