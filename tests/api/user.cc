// A user's program; its arguments say what to do with libculprit. It prints one fact per line, so that a test
// can check each. Arguments: `preflight [WANT=VALUE]...`, `devices`, `error INTERFACE STATUS CALL
// [LIBRARY]...` (loads the libraries first), `off ...` (the same without explaining), `threads`, `throw`.
#include <culprit/culprit.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

culprit::Wants Parse(int argc, char** argv, int first) {
  culprit::Wants wants;
  for (int i = first; i < argc; ++i) {
    const std::string word = argv[i], value = word.substr(word.find('=') + 1);
    const std::string name = word.substr(0, word.find('='));
    if (name == "policy") wants.policy = static_cast<culprit::Policy>(std::stoi(value));
    if (name == "index") wants.index = std::stoi(value);
    if (name == "uuid") wants.uuid = value;
    if (name == "free") wants.min_free_memory = std::stoull(value);
    if (name == "capability") wants.min_capability = {std::stoi(value) / 10, std::stoi(value) % 10};
    if (name == "driver") wants.min_driver = value;
    if (name == "cudnn") wants.cudnn = value;
    if (name == "prove") wants.prove = true;
    if (name == "fallback") wants.fallback = value;
  }
  return wants;
}

void Tell(const culprit::Reason& reason) {
  std::cout << "cause " << reason.cause << "\ncode " << reason.code << "\nproven " << reason.proven
            << "\nsummary " << reason.summary << "\nfix " << reason.fix << '\n';
  for (const std::string& command : reason.commands) std::cout << "command " << command << '\n';
}

int Preflight(int argc, char** argv) {
  const culprit::Readiness gpu = culprit::Preflight(Parse(argc, argv, 2));
  std::cout << "usable " << gpu.usable() << "\nline " << gpu.line() << "\nfallback " << gpu.fallback()
            << "\ndriver " << gpu.driver_version() << "\ncuda " << gpu.cuda_version() << '\n';
  if (!gpu.cudnn_path().empty())
    std::cout << "cudnn " << gpu.cudnn_version() << ' ' << gpu.cudnn_path() << '\n';
  if (gpu) {
    std::cout << "device " << gpu.device().index << ' ' << gpu.device().uuid << ' ' << gpu.device().bus_id
              << '\n';
  } else {
    Tell(gpu.reason());
  }
  return 0;
}

int Devices() {
  for (const culprit::Device& device : culprit::Devices()) {
    std::cout << device.index << ' ' << device.name << " sm_" << device.capability.major
              << device.capability.minor << '\n';
  }
  return 0;
}

int Error(int argc, char** argv) {
  if (argc < 5) return 64;
  for (int i = 5; i < argc; ++i) {
    if (dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL) == nullptr) std::cout << "dlerror " << dlerror() << '\n';
  }
  const culprit::Status status =
      culprit::internal::Try(std::atoi(argv[2]), std::atoi(argv[3]), argv[4], "train.cc", 42);
  if (status) {
    std::cout << "ok\n";
    return 0;
  }
  const culprit::Error& error = status.error();
  std::cout << "what " << error.what() << "\nname " << error.status_name() << "\nmeaning " << error.meaning()
            << '\n';
  Tell(error.reason());
  return 0;
}

// The threads of this process: a library must leave none behind.
std::ptrdiff_t Threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

int InThreads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      const culprit::Readiness gpu = culprit::Preflight();
      const culprit::Status status = CULPRIT_TRY_CUDA(i % 2 == 0 ? 35 : 803);
      if (status || status.error().call() != "i % 2 == 0 ? 35 : 803" || gpu.line().empty()) std::abort();
    });
  }
  for (std::thread& thread : threads) thread.join();
  // A thread disappears shortly after it was joined or delivered its result.
  for (int i = 0; i < 100 && Threads() > 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::cout << "threads left " << Threads() - 1 << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1 && std::strcmp(argv[1], "off") == 0) {
    culprit::SetExplain(false);
    --argc;
    ++argv;
  }
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "preflight") return Preflight(argc, argv);
  if (what == "devices") return Devices();
  if (what == "error") return Error(argc, argv);
  if (what == "threads") return InThreads();
  if (what == "throw") CULPRIT_CUDNN(1000 + 1);
  return 64;
} catch (const culprit::Error& error) {
  std::cout << "caught " << error.call() << ' ' << error.status() << ' ' << error.status_name() << ' '
            << error.line() << '\n';
  return 0;
}
