// What a dynamic loader was built with, read from its own file: which libc it belongs to, its version, and
// the directories compiled into it. Reads: the loader, and for musl its path file under /etc.
#pragma once

#include <cstdint>
#include <string>

#include "binfmt/elf/elf.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::collect {

// Programs of a machine mostly run under one of these.
inline constexpr const char* kUsualLoaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
                                                "/lib/ld-linux.so.2", "/lib/ld-musl-x86_64.so.1",
                                                "/lib/ld-musl-aarch64.so.1"};

// Never fails: what could not be read is assumed, and `assumptions` says so. `like` is the file that asks for
// this loader; if the loader does not exist, machine and bits come from there.
snapshot::LoaderFacts ReadLoaderFacts(const system::System& system, const std::string& path,
                                      const binfmt::ElfFile& like);

// The loader that a file without PT_INTERP (a library) would run under: musl's if it needs musl's libc,
// otherwise glibc's usual path for its machine. "" for an unknown machine.
std::string UsualInterpreter(const binfmt::ElfFile& elf);

}  // namespace culprit::collect
