// A system call again and again while a signal interrupts it.
#pragma once

#include <errno.h>

namespace culprit::system {

template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace culprit::system
