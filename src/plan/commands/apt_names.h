// The package names of a plan in NVIDIA's repository for Debian and Ubuntu: data/packages.toml, and the
// address of the repository, which is that of the CUDA Installation Guide for Linux (and of the CUDA on WSL
// User Guide).
#pragma once

#include <string>
#include <vector>

#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

// Commands that add the repository.
std::vector<report::Command> AddAptRepository(const Host& host);
// Where it lies for a distribution: "https://.../repos/ubuntu2204/x86_64".
std::string AptRepository(const std::string& distribution, Machine machine);
inline constexpr const char* kKeyring = "cuda-keyring_1.1-1_all.deb";

// "12.4.1" -> "cuda-toolkit-12-4"; the newest update of that release is had.
std::vector<std::string> AptToolkit(const std::string& version);
// The cuDNN of a plan for the toolkit of it, and its headers: "libcudnn9-cuda-12=9.5.1.17-1"; empty where the
// plan has none.
std::vector<std::string> AptCudnn(const report::Plan& plan);
// Of the newest branch of the tables that is kept up for long, new enough and drives every GPU, each to be
// installed before the next; empty where none is, or no GPU is known.
std::vector<std::string> AptDriver(const std::string& lowest, const Host& host);

// The Ubuntu whose repository has this release of CUDA, as images call it: "20.04".
std::string UbuntuWith(const std::string& cuda);

}  // namespace culprit::plan
