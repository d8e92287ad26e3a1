// The programs and libraries that travel inside this one (cmake/culprit_embed.cmake): unpacked once, at first
// use, and kept until the program ends. Empty where there is none.
#pragma once

#include <span>

namespace culprit::cli {

using Inside = std::span<const unsigned char>;

Inside ProbeInside();      // culprit-probe
Inside AuditInside();      // culprit-audit.so
Inside InjectionInside();  // culprit-injection.so

}  // namespace culprit::cli
