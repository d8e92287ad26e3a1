// The kinds that facts of the stack are told apart by. They travel as types; the names stand in JSON alone.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/words.h"

namespace culprit::snapshot {

enum class ToolkitKind { kUnknown, kToolkit, kConda, kHpcSdk, kPip, kDistribution /* nvidia-cuda-toolkit */ };
constexpr std::array<std::string_view, 6> WordsOf(ToolkitKind) {
  return {"", "toolkit", "conda", "hpc-sdk", "pip", "distribution"};
}

enum class DriverLibraryKind {
  kUnknown,
  kDriver,
  kCompat,
  kStub,
  kWsl,
  kTegra,
  kContainer,  // /usr/local/nvidia
  kStore,      // Windows: DriverStore
  kCopy,       // Windows: anywhere else
};
constexpr std::array<std::string_view, 9> WordsOf(DriverLibraryKind) {
  return {"", "driver", "compat", "stub", "wsl", "tegra", "container", "store", "copy"};
}

// Whose copy of a driver library a program in a container gets.
enum class GivenFrom { kHost, kCompat /* of the image's cuda-compat */, kImage };
constexpr std::array<std::string_view, 3> WordsOf(GivenFrom) { return {"host", "compat", "image"}; }

enum class EnvironmentKind { kUnknown, kVenv, kConda, kSystem, kDirectory, kWheel, kStore, kEmbedded };
constexpr std::array<std::string_view, 8> WordsOf(EnvironmentKind) {
  return {"", "venv", "conda", "system", "directory", "wheel", "store", "embedded"};
}

// Why an environment is looked at.
enum class EnvironmentWhy { kUnknown, kActive, kGiven, kFound };
constexpr std::array<std::string_view, 4> WordsOf(EnvironmentWhy) { return {"", "active", "given", "found"}; }

// How a file of a package differs from its RECORD.
enum class FileDamage { kNone, kMissing, kSize, kHash };
constexpr std::array<std::string_view, 4> WordsOf(FileDamage) { return {"", "missing", "size", "hash"}; }

enum class PackageManager { kNone, kPip, kConda, kDpkg, kRpm };
constexpr std::array<std::string_view, 5> WordsOf(PackageManager) {
  return {"", "pip", "conda", "dpkg", "rpm"};
}

// The package that brought a file.
struct Owner {
  PackageManager manager = PackageManager::kNone;
  std::string package;  // "libcudnn9-cuda-12", "nvidia-cudnn-cu12"; "" not known: rpm's database is not read
  std::string version;  // "9.14.0.64-1"; "" not known

  Owner() = default;
  Owner(PackageManager by, std::string name, std::string number);
  // As a snapshot has it: "pip nvidia-cudnn-cu12 9.1.0.70", "dpkg libcudnn9-cuda-12 9.14.0.64-1"; "" nobody
  // known. Any other text is kept as it is.
  explicit Owner(std::string stored);
  std::string text() const;

  bool operator==(const Owner&) const = default;

 private:
  std::string other_;
};

// A package and its version: "torch 2.5.1+cu124".
struct NamedVersion {
  std::string name, version;

  NamedVersion() = default;
  NamedVersion(std::string package, std::string number)
      : name(std::move(package)), version(std::move(number)) {}
  explicit NamedVersion(const std::string& stored)
      : name(stored.substr(0, stored.find(' '))),
        version(stored.contains(' ') ? stored.substr(stored.find(' ') + 1) : "") {}
  std::string text() const { return version.empty() ? name : name + " " + version; }

  bool operator==(const NamedVersion&) const = default;
};

// What is wrong with a file or symlink of cuDNN.
struct PartProblem {
  enum class Kind {
    kNone,
    kDangling,  // detail: where the symlink leads
    kLinkLoop,  // the same
    kNotAFile,
    kEmpty,
    kNotALibrary,
    kNotADll,
    kLinuxLibrary,  // on Windows
    k32BitDll,
    kCutShort,
    kUnreadable,
    kNoSoname,    // neither file nor symlink has the name that programs ask for; detail: that name
    kSecondFile,  // a file where a symlink should be; detail: the file beside it
    kRenamed,     // detail: what it is
    kOther,       // detail: the system's words, or those of a newer culprit
  };
  Kind kind = Kind::kNone;
  std::string detail;

  PartProblem() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  PartProblem(Kind what, std::string more = "") : kind(what), detail(std::move(more)) {}
  explicit PartProblem(std::string stored);  // as a snapshot has it
  std::string text() const;                  // "leads nowhere: -> libcudnn.so.8", "is empty" ...

  explicit operator bool() const { return kind != Kind::kNone; }
  bool operator==(const PartProblem&) const = default;
};

}  // namespace culprit::snapshot
