// A made-up image with PyTorch in a virtual environment and without a driver, as images are.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "binfmt/elf/write_sections.h"
#include "made_up_root.h"

namespace culprit {

constexpr const char* kHost = "driver=580.95.05,gpu=sm_90";
constexpr const char* kSite = "/opt/venv/lib/python3.11/site-packages/";

class TorchImage : public Cli {
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

  // check --root root --host ... and the given arguments.
  static std::vector<std::string> Ask(std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "--root", "root", "--host", kHost});
    return more;
  }

  // JSON without what changes between releases.
  void ExpectGoldenJson(const std::string& name, const std::vector<std::string>& arguments,
                        int status) const {
    Output output = Run(arguments);
    EXPECT_EQ(output.status, status);
    EXPECT_EQ(output.err, "");
    EXPECT_EQ(output.out.find(top_.string()), std::string::npos) << "names the directory of the test";
    base::Json json = base::Json::parse(output.out);
    EXPECT_FALSE(json.at("snapshot").at("tool_version").get<std::string>().empty());
    json["snapshot"]["tool_version"] = "VERSION";
    EXPECT_FALSE(json.at("knowledge").at("date").get<std::string>().empty());
    json["knowledge"] = "DAY";
    const std::string text = json.dump(2) + "\n";
    const fs::path golden = fs::path(CULPRIT_GOLDEN) / name;
    if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) WriteFile(golden, text);
    EXPECT_EQ(text, ReadFile(golden)) << "tools/update-golden writes it anew";
  }
};

}  // namespace culprit
