// Which GPUs does this process have, and which one should it use? Needs no CUDA to build or start.
#include <culprit/culprit.h>

#include <iostream>

int main() {
  culprit::Wants wants;
  wants.prove = true;  // run a small kernel, do not only count devices
  const culprit::Readiness gpu = culprit::Preflight(wants);
  std::cout << gpu.line() << '\n';

  if (!gpu) {
    const culprit::Reason& reason = gpu.reason();
    std::cout << "cause: " << reason.cause << "\nfix: " << reason.fix << '\n';
    for (const std::string& command : reason.commands) std::cout << "  $ " << command << '\n';
    return 1;
  }
  for (const culprit::Device& device : culprit::Devices()) {
    std::cout << device.index << ": " << device.name << ", " << device.uuid
              << (device.index == gpu.device().index ? "  <- this one\n" : "\n");
  }
}
