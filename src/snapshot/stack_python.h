// Python environments, their packages and frameworks. Plain values; "" and 0 mean "not known" where nothing
// else is said.
#pragma once

#include <string>
#include <vector>

#include "snapshot/kinds.h"

namespace culprit::snapshot {

struct Requirement {
  std::string name;                 // normalised: "nvidia-cudnn-cu12"
  std::string specifier;            // "==9.1.0.70", ">=2,<3", "" any
  std::string marker;               // as written; "" none
  std::string extra;                // only with this extra; "" always
  std::vector<std::string> extras;  // it asks for these extras of `name`: cuda-toolkit[cublas]

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("specifier", self.specifier);
    visit("marker", self.marker);
    visit("extra", self.extra);
    visit("extras", self.extras);
  }
  bool operator==(const Requirement&) const = default;
};

// A file of a package that is not as its RECORD says.
struct DamagedFile {
  std::string path;
  FileDamage problem = FileDamage::kNone;
  std::string expected;
  std::string actual;
  std::string overwritten_by;  // another package, whose RECORD has the file as it is

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("problem", self.problem);
    visit("expected", self.expected);
    visit("actual", self.actual);
    visit("overwritten_by", self.overwritten_by);
  }
  bool operator==(const DamagedFile&) const = default;
};

struct PythonPackage {
  std::string name;  // normalised: lower case, '-' between words
  std::string version;
  std::string record;                     // the dist-info directory or conda-meta file
  std::string installer;                  // "pip", "uv", "conda", ""
  std::vector<Requirement> requirements;  // of packages that matter to CUDA
  std::vector<DamagedFile> damaged;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("version", self.version);
    visit("record", self.record);
    visit("installer", self.installer);
    visit("requirements", self.requirements);
    visit("damaged", self.damaged);
  }
  bool operator==(const PythonPackage&) const = default;
};

struct Framework {
  std::string name;       // "torch", "tensorflow", "jax", "onnxruntime", "ctranslate2", "cupy", "paddle" ...
  std::string package;    // the distribution that brought it: "onnxruntime-gpu"
  std::string version;    // "2.11.0+cu130"
  std::string directory;  // of the module: <site-packages>/torch
  std::string cuda;       // CUDA it was built for: "13.0"; "" not known
  std::string cudnn;      // cuDNN it was built against: "9.19.0"; "" not known
  bool cpu_only = false;  // its own build facts say: no CUDA
  std::string source;     // where these were read
  std::vector<std::string> libraries;  // files of it that hold its CUDA code, if there: libtorch_cuda.so
  bool only_libraries = false;         // it brings no Python module: others load what it has
  NamedVersion built_with;  // the package that its extension was compiled against: "torch 2.5.1+cu124"

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("package", self.package);
    visit("version", self.version);
    visit("directory", self.directory);
    visit("cuda", self.cuda);
    visit("cudnn", self.cudnn);
    visit("cpu_only", self.cpu_only);
    visit("source", self.source);
    visit("libraries", self.libraries);
    visit("only_libraries", self.only_libraries);
    visit("built_with", self.built_with);
  }
  bool operator==(const Framework&) const = default;
};

// A directory that Python searches before the packages of the environment, and who put it there.
struct SearchedFirst {
  std::string directory;
  std::string source;  // "PYTHONPATH", or a .pth file

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("directory", self.directory);
    visit("source", self.source);
  }
  bool operator==(const SearchedFirst&) const = default;
};

struct PythonEnvironment {
  std::string prefix;  // "/home/u/.venv"
  EnvironmentKind kind = EnvironmentKind::kUnknown;
  EnvironmentWhy why = EnvironmentWhy::kUnknown;
  std::string interpreter;  // bin/python3 as a user would start it; "" none
  // Windows: the program that runs when `interpreter` is started, where that is another one: python.exe of a
  // virtual environment only starts that of the installation it was made from. "" = `interpreter` itself.
  std::string process;
  std::string python;                         // "3.12"
  int bits = 0;                               // Windows: 32 or 64, of the interpreter's file; 0 not known
  std::vector<std::string> site_packages;     // what is searched for modules, in the order of sys.path
  std::vector<SearchedFirst> searched_first;  // in that order; all of them are in `site_packages` too
  std::vector<PythonPackage> packages;        // sorted by name
  std::vector<Framework> frameworks;
  std::vector<std::string> problems;  // what could not be read of it

  const PythonPackage* Find(const std::string& name) const {
    for (const PythonPackage& package : packages) {
      if (package.name == name) return &package;
    }
    return nullptr;
  }

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("prefix", self.prefix);
    visit("kind", self.kind);
    visit("why", self.why);
    visit("interpreter", self.interpreter);
    visit("process", self.process);
    visit("python", self.python);
    visit("bits", self.bits);
    visit("site_packages", self.site_packages);
    visit("searched_first", self.searched_first);
    visit("packages", self.packages);
    visit("frameworks", self.frameworks);
    visit("problems", self.problems);
  }
  bool operator==(const PythonEnvironment&) const = default;
};

}  // namespace culprit::snapshot
