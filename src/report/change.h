// What is different on a machine once a fix was carried out. A rule says it with its fix; whatif/ makes the
// machine of which it is true, so that the rules can be asked again before anything is touched, and apply/
// carries out what can be taken back.
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
// A variable that is a list of directories: LD_LIBRARY_PATH, PATH. Every spelling of `element` goes; a list
// that becomes empty is unset.
struct DropFromList {
  std::string name, element;
  bool operator==(const DropFromList&) const = default;
};
struct AddToList {  // in front
  std::string name, element;
  bool operator==(const AddToList&) const = default;
};

// ---- files

struct PutLink {  // in place of whatever stands there
  std::string path, target;
  bool operator==(const PutLink&) const = default;
};
struct PutText {
  std::string path, text;
  bool operator==(const PutText&) const = default;
};
struct RemoveFile {  // or link, or directory with everything below
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
// ldconfig: links by sonames in its directories, and /etc/ld.so.cache.
struct RefreshCache {
  bool operator==(const RefreshCache&) const = default;
};
// A library or program that somebody installs, builds or copies there, by what it will claim. `like`: a file
// of the machine whose claims it has, where nothing else is said. Everything empty: what the file's name and
// the tables tell (libcudnn_ops.so.9 of `version`).
struct PutLibrary {
  std::string path;
  std::string like;
  std::string version;  // of the CUDA library that it is
  std::string soname;
  std::vector<std::string> needed;
  std::string runpath;
  std::vector<std::string> gpu_code;  // "sm_90", "compute_90"
  std::vector<std::string> version_defs;
  bool program = false;
  bool operator==(const PutLibrary&) const = default;
};
// Every line of /etc/ld.so.conf and the files that it includes which names the directory goes; the cache is
// brought up to date by RefreshCache.
struct DropFromLoaderConf {
  std::string directory;
  bool operator==(const DropFromLoaderConf&) const = default;
};
struct SetRegistry {  // Windows
  std::string key, name, value;
  bool operator==(const SetRegistry&) const = default;
};

// ---- packages of a Python environment

struct InstallPackage {     // one that is there goes first; also the same version again, with sound files
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

struct InstallDriver {  // module loaded, libraries in place, device nodes there
  std::string version;
  bool operator==(const InstallDriver&) const = default;
};
// By modprobe or a reboot. "nvidia" then holds every GPU that it drives and no other driver holds. Device
// nodes are made by others (PutDevice).
struct LoadModule {
  std::string name;     // "nvidia", "nvidia-uvm"
  std::string version;  // "" where it has none
  bool operator==(const LoadModule&) const = default;
};
struct BindGpu {  // another kernel driver holds the GPU
  std::string bus_id, driver;
  bool operator==(const BindGpu&) const = default;
};
struct MakeComputeInstance {  // MIG: in a GPU instance that has none
  std::string instance;       // "gpu0/mig/gi1", as below /proc/driver/nvidia/capabilities
  bool operator==(const MakeComputeInstance&) const = default;
};
// Start this container again and give it the GPUs of its host: nodes, and the libraries of the host's driver.
struct StartContainer {
  std::string driver;  // version of the host's
  bool operator==(const StartContainer&) const = default;
};
struct InstallToolkit {
  std::string version, root;
  bool operator==(const InstallToolkit&) const = default;
};
struct InstallCudnn {  // all parts of a release
  std::string version, cuda, directory;
  bool operator==(const InstallCudnn&) const = default;
};
struct StartProcess {  // a service: nvidia-fabricmanager, nvidia-persistenced
  std::string name;
  bool operator==(const StartProcess&) const = default;
};
// What no file shows: another GPU, free memory, a change in a program. `why` says what would tell.
struct NotInFiles {
  std::string what, why;
  bool operator==(const NotInFiles&) const = default;
};

using AnyChange =
    std::variant<SetVariable, UnsetVariable, DropFromList, AddToList, PutLink, PutText, RemoveFile, SetMode,
                 PutDevice, RefreshCache, PutLibrary, SetRegistry, InstallPackage, RemovePackage,
                 InstallDriver, InstallToolkit, InstallCudnn, StartProcess, NotInFiles, DropFromLoaderConf,
                 LoadModule, BindGpu, MakeComputeInstance, StartContainer>;

// One change. Many files make changes and hand them on, few look into one: so what it is stands behind a
// pointer, and all that a variant costs is compiled once.
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
  // nullptr when it is of another kind.
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
