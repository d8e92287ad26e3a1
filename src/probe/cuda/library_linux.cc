// Libraries by dlopen. Their names are those of the link map: as the search put them together, links not
// followed.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "probe/cuda/library.h"

namespace culprit::cuda {

const char* const kLoaderCall = "dlopen";

namespace {

// A relative path was relative when it was opened; nothing here changes the directory since.
std::string Absolute(const char* path) {
  char directory[PATH_MAX];
  if (path[0] == '/' || getcwd(directory, sizeof(directory)) == nullptr) return path;
  return std::string(directory) + "/" + path;
}

std::string PathOf(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return "";
  return Absolute(map->l_name);
}

}  // namespace

Library Library::Open(const std::string& name, bool global) {
  Library library;
  library.name_ = name;
  dlerror();
  library.handle_ = dlopen(name.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library.handle_ != nullptr) {
    library.path_ = PathOf(library.handle_);
  } else {
    const char* error = dlerror();
    library.error_ = error != nullptr ? error : "the loader gives no reason";
  }
  return library;
}

Library Library::Mapped(const std::string& path) {
  Library library;
  library.name_ = path;
  library.handle_ = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library.handle_ != nullptr) library.path_ = PathOf(library.handle_);
  return library;
}

void* Library::Find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

std::vector<std::string> MappedLibraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        // Neither the program itself nor the kernel's vdso has a slash.
        if (info->dlpi_name != nullptr && strchr(info->dlpi_name, '/') != nullptr) {
          static_cast<std::vector<std::string>*>(data)->push_back(Absolute(info->dlpi_name));
        }
        return 0;
      },
      &paths);
  return paths;
}

std::string RealDirectory(const std::string& path) {
  const std::string directory = path.substr(0, path.find_last_of('/') + 1);
  char real[PATH_MAX];
  return realpath(directory.c_str(), real) != nullptr ? real : directory;
}

}  // namespace culprit::cuda
