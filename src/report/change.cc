#include "report/change.h"

#include <utility>

namespace culprit::report {
namespace {

struct Words {
  std::string operator()(const SetVariable& c) const { return "set " + c.name + "=" + c.value; }
  std::string operator()(const UnsetVariable& c) const { return "unset " + c.name; }
  std::string operator()(const DropFromList& c) const { return "remove " + c.element + " from " + c.name; }
  std::string operator()(const AddToList& c) const { return "prepend " + c.element + " to " + c.name; }
  std::string operator()(const PutLink& c) const { return "symlink " + c.path + " -> " + c.target; }
  std::string operator()(const PutText& c) const { return "write " + c.path; }
  std::string operator()(const RemoveFile& c) const { return "remove " + c.path; }
  std::string operator()(const SetMode& c) const { return "change the permissions of " + c.path; }
  std::string operator()(const PutDevice& c) const { return "create the device node " + c.path; }
  std::string operator()(const RefreshCache&) const { return "refresh the loader cache (ldconfig)"; }
  std::string operator()(const PutLibrary& c) const {
    return "install " + c.path + (c.version.empty() ? "" : " " + c.version);
  }
  std::string operator()(const SetRegistry& c) const {
    return "set " + c.name + " of " + c.key + " in the registry";
  }
  std::string operator()(const InstallPackage& c) const {
    return "install " + c.package + (c.version.empty() ? "" : " " + c.version) + " into " + c.environment;
  }
  std::string operator()(const RemovePackage& c) const {
    return "uninstall " + c.package + " from " + c.environment;
  }
  std::string operator()(const InstallDriver& c) const { return "install driver " + c.version; }
  std::string operator()(const DropFromLoaderConf& c) const {
    return "remove " + c.directory + " from /etc/ld.so.conf and the files it includes";
  }
  std::string operator()(const LoadModule& c) const {
    return "load the kernel module " + c.name + (c.version.empty() ? "" : " " + c.version);
  }
  std::string operator()(const BindGpu& c) const { return "bind GPU " + c.bus_id + " to " + c.driver; }
  std::string operator()(const MakeComputeInstance& c) const {
    return "create a compute instance in " + c.instance;
  }
  std::string operator()(const StartContainer&) const {
    return "restart the container with access to the host's GPUs";
  }
  std::string operator()(const InstallToolkit& c) const {
    return "install CUDA " + c.version + " in " + c.root;
  }
  std::string operator()(const InstallCudnn& c) const {
    return "install cuDNN " + c.version + (c.cuda.empty() ? "" : " for CUDA " + c.cuda) + " in " +
           c.directory;
  }
  std::string operator()(const StartProcess& c) const { return "start " + c.name; }
  std::string operator()(const NotInFiles& c) const { return c.what; }
};

struct Names {
  using List = std::vector<std::string>;
  List operator()(const SetVariable& c) const { return {c.name, c.value}; }
  List operator()(const UnsetVariable& c) const { return {c.name}; }
  List operator()(const DropFromList& c) const { return {c.element, c.name}; }
  List operator()(const AddToList& c) const { return {c.element, c.name}; }
  List operator()(const PutLink& c) const { return {c.path, c.target}; }
  List operator()(const PutText& c) const { return {c.path}; }
  List operator()(const RemoveFile& c) const { return {c.path}; }
  List operator()(const SetMode& c) const { return {c.path}; }
  List operator()(const PutDevice& c) const { return {c.path}; }
  List operator()(const RefreshCache&) const { return {}; }
  List operator()(const PutLibrary& c) const { return {c.path, c.version}; }
  List operator()(const SetRegistry& c) const { return {c.name, c.key}; }
  List operator()(const InstallPackage& c) const { return {c.package, c.version, c.environment}; }
  List operator()(const RemovePackage& c) const { return {c.package, c.environment}; }
  List operator()(const InstallDriver& c) const { return {"driver", c.version}; }
  List operator()(const DropFromLoaderConf& c) const { return {c.directory, "/etc/ld.so.conf"}; }
  List operator()(const LoadModule& c) const { return {c.name, c.version}; }
  List operator()(const BindGpu& c) const { return {c.bus_id, c.driver}; }
  List operator()(const MakeComputeInstance& c) const { return {c.instance}; }
  List operator()(const StartContainer&) const { return {}; }
  List operator()(const InstallToolkit& c) const { return {c.version, c.root}; }
  List operator()(const InstallCudnn& c) const { return {c.version, c.cuda, c.directory}; }
  List operator()(const StartProcess& c) const { return {c.name}; }
  List operator()(const NotInFiles&) const { return {}; }
};

}  // namespace

Change::Change(SetVariable change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(UnsetVariable change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(DropFromList change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(AddToList change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(PutLink change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(PutText change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(RemoveFile change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(SetMode change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(PutDevice change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(RefreshCache change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(PutLibrary change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(SetRegistry change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(InstallPackage change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(RemovePackage change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(InstallDriver change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(InstallToolkit change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(InstallCudnn change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(StartProcess change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(NotInFiles change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(DropFromLoaderConf change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(LoadModule change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(BindGpu change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(MakeComputeInstance change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}
Change::Change(StartContainer change) : value_(std::make_shared<const AnyChange>(std::move(change))) {}

bool Change::operator==(const Change& other) const { return *value_ == *other.value_; }

std::string InWords(const Change& change) { return std::visit(Words{}, change.value()); }

std::vector<std::string> NamesIn(const Change& change) { return std::visit(Names{}, change.value()); }

}  // namespace culprit::report
