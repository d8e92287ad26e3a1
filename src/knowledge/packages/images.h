// data/images.toml: what is in a container image, by its name alone:
// "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace culprit::knowledge {

enum class ImageTags : uint8_t { kCuda, kPytorch, kTensorflow, kMonth, kGpu };

struct ImageRepository {
  std::string_view name;  // without docker.io/
  ImageTags tags;         // how they are read
  std::string_view framework;
  bool compat;  // has the libcuda of cuda-compat in it
  bool devel;   // has nvcc, where the tag has no word for that
  std::string_view source;
};
std::span<const ImageRepository> ImageRepositories();

// Images without CUDA whose names have no slash.
struct OfficialImages {
  std::span<const std::string_view> names;
  std::string_view source;
};
std::span<const OfficialImages> OfficialImageLists();

// What an image of nvidia/cuda requires of the host: its own CUDA, or one of these.
struct ImageRequirement {
  std::string_view cuda;                       // "12.6.3"
  std::span<const std::string_view> branches;  // of the driver: "550"
  std::span<const std::string_view> brands;    // of the GPU, for each of the branches
  std::string_view source;
};
std::span<const ImageRequirement> ImageRequirements();
// As the image has it in NVIDIA_REQUIRE_CUDA: "cuda>=12.6 brand=tesla,driver>=550,driver<551 ...".
std::string RequirementText(const ImageRequirement& row);

// What NVIDIA's framework containers of one month share.
struct ImageMonth {
  std::string_view release;  // "24.05"
  std::string_view cuda;
  std::string_view cudnn;  // "" = not known
  std::string_view source;
};
std::span<const ImageMonth> ImageMonths();

// "docker.io/nvidia/cuda:12.4.1-base@sha256:..." -> "nvidia/cuda", "12.4.1-base".
struct ImageName {
  std::string repository, tag;  // the tag is "" if there is none
  bool digest = false;          // pinned by a digest, which may be another image than the tag says
};
ImageName ParseImageName(std::string_view text);

enum class ImageHas : uint8_t {
  kUnknown,  // no row knows the repository, or none the tag
  kNothing,  // no CUDA
  kGpu,      // it needs a GPU; which CUDA it has is not known
  kCuda,
};
enum class ImageFlavour : uint8_t { kUnknown, kBase, kRuntime, kDevel };

struct ImageFacts {
  ImageHas has = ImageHas::kUnknown;
  std::string cuda;   // "12.4.1"
  std::string cudnn;  // "9", "9.1.0.70"; "" = none, or not known
  ImageFlavour flavour = ImageFlavour::kUnknown;
  std::string framework, framework_version;  // "torch", "2.4.0"
  bool compat = false;
  bool of_nvidia_cuda = false;                    // an image of nvidia/cuda
  const ImageRequirement* requirement = nullptr;  // of those; nullptr if no row knows it
  std::string source;
};
ImageFacts FactsOfImage(std::string_view name);

}  // namespace culprit::knowledge
