// The CUDA stack of a machine as the collectors found it: driver, GPUs, toolkits, cuDNN, Python environments,
// and the circumstances (container, WSL, sudo ...). Every part is a Fact, because every part can be out of
// reach. Each structure describes its fields once, for JSON both ways (fields.h).
#pragma once

#include <string>
#include <vector>

#include "snapshot/fact.h"
#include "snapshot/probe.h"
#include "snapshot/stack_build.h"
#include "snapshot/stack_driver.h"
#include "snapshot/stack_libraries.h"
#include "snapshot/stack_python.h"
#include "snapshot/stack_recipe.h"
#include "snapshot/windows.h"

namespace culprit::snapshot {

// Container, WSL, Jetson, user: what surrounds the stack. "" means "not seen".
struct Context {
  std::string container;  // "docker", "podman", "kubernetes", "singularity", "lxc", "image"; "" none seen
  std::string container_source;  // how that is known
  std::string virtual_machine;   // "KVM", "VMware", "Amazon EC2"; "" none seen. WSL is not one of them
  std::string virtual_machine_source;
  bool wsl = false;
  std::string jetson;  // L4T release, "" no Jetson
  bool root = false;
  std::string sudo_user;  // set when started by sudo
  std::string slurm_job;
  std::string distribution;           // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;                 // uname -r
  std::string secure_boot;            // "on", "off", "" not known
  std::vector<std::string> injected;  // driver files mounted into this container

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("container", self.container);
    visit("container_source", self.container_source);
    visit("virtual_machine", self.virtual_machine);
    visit("virtual_machine_source", self.virtual_machine_source);
    visit("wsl", self.wsl);
    visit("jetson", self.jetson);
    visit("root", self.root);
    visit("sudo_user", self.sudo_user);
    visit("slurm_job", self.slurm_job);
    visit("distribution", self.distribution);
    visit("kernel", self.kernel);
    visit("secure_boot", self.secure_boot);
    visit("injected", self.injected);
  }
  bool operator==(const Context&) const = default;
};

struct Stack {
  Fact<Driver> driver;
  Fact<std::vector<Gpu>> gpus;
  Fact<Toolkits> toolkits;
  Fact<std::vector<CudnnCopy>> cudnn;
  Fact<std::vector<PythonEnvironment>> environments;
  Fact<Context> context;
  Fact<WindowsFacts> windows;             // has a value exactly when the machine is one with Windows
  Fact<ProbeFacts> probe;                 // has a value when `culprit probe` or `check --live` ran
  Fact<std::vector<BuildFolder>> builds;  // has a value when build folders were named
  Fact<std::vector<Recipe>> recipes;      // has a value when these are looked at, instead of a machine

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("driver", self.driver);
    visit("gpus", self.gpus);
    visit("toolkits", self.toolkits);
    visit("cudnn", self.cudnn);
    visit("environments", self.environments);
    visit("context", self.context);
    visit("windows", self.windows);
    visit("probe", self.probe);
    visit("builds", self.builds);
    visit("recipes", self.recipes);
  }
  // The programs in the build folders.
  std::vector<std::string> BuiltPrograms() const {
    std::vector<std::string> programs;
    if (!builds) return programs;
    for (const BuildFolder& folder : *builds)
      programs.insert(programs.end(), folder.programs.begin(), folder.programs.end());
    return programs;
  }
  bool operator==(const Stack&) const = default;
};

}  // namespace culprit::snapshot
