#include <dlfcn.h>
#include <link.h>

#include "cuda/library.h"

namespace culprit::cuda {

const char* const kLoaderCall = "dlopen";

namespace {

std::string PathOf(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return "";
  return map->l_name;
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
    library.error_ = error != nullptr ? error : "the loader does not say why";
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
        if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
          static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &paths);
  return paths;
}

}  // namespace culprit::cuda
