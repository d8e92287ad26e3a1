// A context on the device, memory from it, and copies there and back with every word compared.
#include <algorithm>
#include <chrono>

#include "probe/child/device_memory.h"
#include "probe/child/pattern.h"
#include "probe/child/step.h"

namespace culprit::prober {
namespace {

constexpr size_t kMebibyte = 1 << 20;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Most of what is free, in pieces as an allocator takes them.
std::optional<Failure> TakeMost(Session& session, size_t& taken) {
  const cuda::Driver& driver = session.driver();
  size_t free = 0, total = 0;
  if (auto failure = Try(driver, driver.cuMemGetInfo, &free, &total)) return failure;
  const size_t wanted = free / 10 * 8;
  std::vector<cuda::DevicePointer> pieces;
  std::optional<Failure> failure;
  while (!failure && taken < wanted) {
    const size_t piece = std::min<size_t>(wanted - taken, 1024 * kMebibyte);
    cuda::DevicePointer address = 0;
    if (!(failure = Try(driver, driver.cuMemAlloc, &address, piece))) {
      pieces.push_back(address);
      taken += piece;
    }
  }
  for (const cuda::DevicePointer address : pieces) {
    auto freed = Try(driver, driver.cuMemFree, address);
    if (!failure) failure = freed;
  }
  if (failure) failure->detail += " after " + std::to_string(taken) + " bytes";
  return failure;
}

}  // namespace

Outcome ContextStep(Session& session) {
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  size_t free = 0, total = 0;
  const cuda::Driver& driver = session.driver();
  if (auto failure = Try(driver, driver.cuMemGetInfo, &free, &total)) return std::unexpected(*failure);
  session.teller().Figure("memory_free", std::to_string(free));
  session.teller().Figure("memory_total", std::to_string(total));
  return std::to_string(free / kMebibyte) + " of " + std::to_string(total / kMebibyte) + " MiB are free";
}

Outcome MemoryStep(Session& session) {
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  DeviceMemory memory(session.driver());
  if (auto failure = memory.Allocate(16 * kMebibyte)) return std::unexpected(*failure);
  if (auto failure = memory.Free()) return std::unexpected(*failure);
  if (!session.arguments().deep) return "16 MiB";
  size_t taken = 0;
  const auto failure = TakeMost(session, taken);
  session.teller().Figure("taken", std::to_string(taken));
  if (failure) return std::unexpected(*failure);
  return std::to_string(taken / kMebibyte) + " MiB";
}

Outcome CopyStep(Session& session) {
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  const cuda::Driver& driver = session.driver();
  const std::vector<uint32_t> sent = Pattern(kMebibyte, 1);
  const size_t bytes = sent.size() * sizeof(uint32_t);
  std::vector<uint32_t> received(sent.size());
  DeviceMemory there(driver), beside(driver);
  if (auto failure = there.AllocateAndFill(sent)) return std::unexpected(*failure);
  if (auto failure = beside.Allocate(bytes)) return std::unexpected(*failure);
  if (auto failure = Try(driver, driver.cuMemcpyDtoD, beside.address(), there.address(), bytes)) {
    return std::unexpected(*failure);
  }
  if (auto failure = beside.Read(received.data(), bytes)) return std::unexpected(*failure);
  if (const std::string difference = Difference(sent, received); !difference.empty()) {
    return std::unexpected(Failure{OwnStatus::kWrongResult, "cuMemcpyDtoH_v2", difference});
  }
  // The first copy has set everything up; this one is for the figures.
  auto start = std::chrono::steady_clock::now();
  if (auto failure = there.Write(sent.data(), bytes)) return std::unexpected(*failure);
  const double up = SecondsSince(start);
  start = std::chrono::steady_clock::now();
  if (auto failure = there.Read(received.data(), bytes)) return std::unexpected(*failure);
  const double down = SecondsSince(start);
  if (Checksum(sent) != Checksum(received)) {
    return std::unexpected(Failure{OwnStatus::kWrongResult, "cuMemcpyDtoH_v2", Difference(sent, received)});
  }
  const auto rate = [bytes](double seconds) {
    return Short(static_cast<double>(bytes) / 1e9 / std::max(seconds, 1e-9));
  };
  session.teller().Figure("host_to_device_gbps", rate(up));
  session.teller().Figure("device_to_host_gbps", rate(down));
  return "4 MiB in each direction, " + rate(up) + " and " + rate(down) + " GB/s";
}

}  // namespace culprit::prober
