// What a fix changes on a machine. A rule lists it with its fix; change/whatif builds the changed machine in
// memory, so that the rules can run again before anything is touched, and change/apply makes the changes that
// can be undone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace culprit::report {

// ---- the environment of the program

struct SetVariable {
  std::string name, value;
  bool operator==(const SetVariable&) const = default;
};
struct UnsetVariable {
  std::string name;
  bool operator==(const UnsetVariable&) const = default;
};
// A variable that is a list of directories: LD_LIBRARY_PATH, PATH. Every spelling of `element` is removed; a
// list that becomes empty is unset.
struct DropFromList {
  std::string name, element;
  bool operator==(const DropFromList&) const = default;
};
struct AddToList {  // at the front
  std::string name, element;
  bool operator==(const AddToList&) const = default;
};

// ---- files

struct PutLink {  // replaces whatever is there
  std::string path, target;
  bool operator==(const PutLink&) const = default;
};
struct PutText {
  std::string path, text;
  bool operator==(const PutText&) const = default;
};
struct RemoveFile {  // or symlink, or directory with everything below it
  std::string path;
  bool operator==(const RemoveFile&) const = default;
};
struct SetMode {
  std::string path;
  uint32_t mode = 0;
  bool operator==(const SetMode&) const = default;
};
struct PutDevice {
  std::string path;
  uint32_t mode = 0666;
  bool operator==(const PutDevice&) const = default;
};
// ldconfig: symlinks by soname in its directories, and /etc/ld.so.cache.
struct RefreshCache {
  bool operator==(const RefreshCache&) const = default;
};
// A library or program that somebody installs, builds or copies there, described by what it will claim.
// `like`: an existing file whose claims it has unless stated otherwise. All empty: what the file's name and
// the tables say (libcudnn_ops.so.9 of `version`).
struct PutLibrary {
  std::string path;
  std::string like;
  std::string version;  // of the CUDA library
  std::string soname;
  std::vector<std::string> needed;
  std::string runpath;
  std::vector<std::string> gpu_code;  // "sm_90", "compute_90"
  std::vector<std::string> version_defs;
  bool program = false;
  bool operator==(const PutLibrary&) const = default;
};
// Removes every line of /etc/ld.so.conf, and of the files it includes, that names the directory; RefreshCache
// updates the cache.
struct DropFromLoaderConf {
  std::string directory;
  bool operator==(const DropFromLoaderConf&) const = default;
};
struct SetRegistry {  // Windows
  std::string key, name, value;
  bool operator==(const SetRegistry&) const = default;
};

// ---- packages of a Python environment

struct InstallPackage {     // replaces an installed one; also to reinstall the same version with intact files
  std::string environment;  // prefix
  std::string package, version;
  bool operator==(const InstallPackage&) const = default;
};
struct RemovePackage {
  std::string environment;
  std::string package;
  bool operator==(const RemovePackage&) const = default;
};

// ---- the host

struct InstallDriver {  // module loaded, libraries in place, device nodes exist
  std::string version;
  bool operator==(const InstallDriver&) const = default;
};
// By modprobe or a reboot. "nvidia" then binds every GPU that it supports and that no other driver has bound.
// Others create device nodes (PutDevice).
struct LoadModule {
  std::string name;     // "nvidia", "nvidia-uvm"
  std::string version;  // "" if it has none
  bool operator==(const LoadModule&) const = default;
};
struct BindGpu {  // another kernel driver has bound the GPU
  std::string bus_id, driver;
  bool operator==(const BindGpu&) const = default;
};
struct MakeComputeInstance {  // MIG: in a GPU instance that has none
  std::string instance;       // "gpu0/mig/gi1", as below /proc/driver/nvidia/capabilities
  bool operator==(const MakeComputeInstance&) const = default;
};
// Restart this container with the GPUs of its host: nodes, and the libraries of the host's driver.
struct StartContainer {
  std::string driver;  // version of the host's
  bool operator==(const StartContainer&) const = default;
};
struct InstallToolkit {
  std::string version, root;
  bool operator==(const InstallToolkit&) const = default;
};
struct InstallCudnn {  // all sub-libraries of a release
  std::string version, cuda, directory;
  bool operator==(const InstallCudnn&) const = default;
};
struct StartProcess {  // a service: nvidia-fabricmanager, nvidia-persistenced
  std::string name;
  bool operator==(const StartProcess&) const = default;
};
// What no file shows: another GPU, free memory, a change in a program. `why` says how to find out.
struct NotInFiles {
  std::string what, why;
  bool operator==(const NotInFiles&) const = default;
};

using AnyChange =
    std::variant<SetVariable, UnsetVariable, DropFromList, AddToList, PutLink, PutText, RemoveFile, SetMode,
                 PutDevice, RefreshCache, PutLibrary, SetRegistry, InstallPackage, RemovePackage,
                 InstallDriver, InstallToolkit, InstallCudnn, StartProcess, NotInFiles, DropFromLoaderConf,
                 LoadModule, BindGpu, MakeComputeInstance, StartContainer>;

// One change. Many files create and pass on changes, few look into one. So the contents are behind a pointer,
// and the cost of a variant is compiled once.
class Change {
 public:
  Change(SetVariable change);
  Change(UnsetVariable change);
  Change(DropFromList change);
  Change(AddToList change);
  Change(PutLink change);
  Change(PutText change);
  Change(RemoveFile change);
  Change(SetMode change);
  Change(PutDevice change);
  Change(RefreshCache change);
  Change(PutLibrary change);
  Change(SetRegistry change);
  Change(InstallPackage change);
  Change(RemovePackage change);
  Change(InstallDriver change);
  Change(InstallToolkit change);
  Change(InstallCudnn change);
  Change(StartProcess change);
  Change(NotInFiles change);
  Change(DropFromLoaderConf change);
  Change(LoadModule change);
  Change(BindGpu change);
  Change(MakeComputeInstance change);
  Change(StartContainer change);

  const AnyChange& value() const { return *value_; }
  // nullptr if it is another kind.
  template <typename Kind>
  const Kind* As() const {
    return std::get_if<Kind>(value_.get());
  }
  bool operator==(const Change& other) const;

 private:
  std::shared_ptr<const AnyChange> value_;
};

// "link /usr/lib/libcudnn.so.9 -> libcudnn.so.9.14.0", "install nvidia-cudnn-cu12 9.1.0.70 into /opt/venv"
std::string InWords(const Change& change);
// The variables, files, packages and versions that it names.
std::vector<std::string> NamesIn(const Change& change);

}  // namespace culprit::report
