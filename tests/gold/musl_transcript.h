// The transcript of musl's loader. It has no audit interface, so the candidates are seen as system calls:
//   open @/a/libone.so                        every path that was opened or could not be, in order
//   dlopen libtwo.so by <program>
//     opened @/b/libtwo.so                    or "error TEXT"
//   loaded @/a/libone.so                      the list at the end
//   stderr TEXT
//   trace libone.so => @/a/libone.so          what ld-musl --list prints
#pragma once

#include "transcript.h"

namespace culprit::gold {

Truth AskMusl(const RealLoader& loader, const Tree& tree, const std::string& root);
Transcript FromMuslGraph(const loader::LoadGraph& graph, const Tree& tree, const std::string& root);

}  // namespace culprit::gold
