// How NVIDIA's repository for Debian and Ubuntu calls what a plan names.
//
// CUDA Installation Guide for Linux (docs.nvidia.com/cuda/cuda-installation-guide-linux): the repository
// .../repos/$distro/$arch with its package cuda-keyring, cuda-toolkit-X-Y, and the drivers of a branch as
// cuda-drivers-NNN (proprietary kernel modules) and nvidia-open-NNN (open ones; Turing and newer, and the
// only ones for Blackwell). CUDA on WSL User Guide: $distro is wsl-ubuntu there. cuDNN Installation Guide:
// libcudnn8=8.x.y.*+cudaX.Y; from 9 on libcudnn9-cuda-12.
#pragma once

#include <string>
#include <vector>

#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

// Commands that make the repository known.
std::vector<std::string> AddAptRepository(const Host& host);
// Where it lies for a distribution: "https://.../repos/ubuntu2204/x86_64".
std::string AptRepository(const std::string& distribution, Machine machine);
inline constexpr const char* kKeyring = "cuda-keyring_1.1-1_all.deb";

// "12.4.1" -> "cuda-toolkit-12-4=12.4.1-*"
std::vector<std::string> AptToolkit(const std::string& version);
// "9.5.1" for CUDA "12.4" -> "libcudnn9-cuda-12=9.5.1.*" and its headers.
std::vector<std::string> AptCudnn(const std::string& version, const std::string& cuda);
// The cuDNN of a plan, for the toolkit of it; empty where there is none.
std::vector<std::string> AptCudnnOf(const report::Plan& plan);
// The newest branch of the tables that is new enough and drives every GPU; "" where none is, or no GPU is
// known.
std::string AptDriver(const std::string& lowest, const Host& host);

}  // namespace culprit::plan
