#include "cli/deadline.h"

#include <fmt/format.h>

#include <cstdio>
#include <thread>

#include "base/in_time.h"
#include "cli/command.h"
#include "cli/console.h"

namespace culprit::cli {

void EndWithin(std::chrono::seconds limit) {
  base::StartAside([limit] {
    std::this_thread::sleep_for(limit);
    fmt::print(stderr, "culprit: no answer within {} s; a file system may not be responding\n",
               limit.count());
    EndAtOnce(kExitCannot);
  });
}

}  // namespace culprit::cli
