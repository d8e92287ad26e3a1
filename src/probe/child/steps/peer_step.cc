// A copy from the device to its neighbour. Without direct access the driver copies through host memory:
// slower, but still correct.
#include "probe/child/device_memory.h"
#include "probe/child/pattern.h"
#include "probe/child/step.h"

namespace culprit::prober {
namespace {

// The other device's primary context for as long as the copy takes; the own one is current again afterwards.
class OtherContext {
 public:
  OtherContext(Session& session, int index) : session_(session), driver_(session.driver()) {
    if ((failure = Try(driver_, driver_.cuDeviceGet, &device, index))) return;
    if ((failure = Try(driver_, driver_.cuDevicePrimaryCtxRetain, &context, device))) context = nullptr;
  }
  ~OtherContext() {
    Back();
    if (context != nullptr && driver_.cuDevicePrimaryCtxRelease) driver_.cuDevicePrimaryCtxRelease(device);
  }
  std::optional<Failure> Enter() { return Try(driver_, driver_.cuCtxSetCurrent, context); }
  std::optional<Failure> Back() { return Try(driver_, driver_.cuCtxSetCurrent, session_.context()); }

  std::optional<Failure> failure;
  int device = 0;
  void* context = nullptr;

 private:
  Session& session_;
  const cuda::Driver& driver_;
};

}  // namespace

Outcome PeerStep(Session& session) {
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  const cuda::Driver& driver = session.driver();
  int count = 0;
  if (auto failure = Try(driver, driver.cuDeviceGetCount, &count)) return std::unexpected(*failure);
  if (count < 2) return std::unexpected(Failure{OwnStatus::kNotRun, "", "there is only one device"});
  const int peer = session.device_index() == 0 ? 1 : 0;
  OtherContext other(session, peer);
  if (other.failure) return std::unexpected(*other.failure);
  int direct = 0;
  if (auto failure = Try(driver, driver.cuDeviceCanAccessPeer, &direct, session.device(), other.device)) {
    return std::unexpected(*failure);
  }
  session.teller().Figure("direct_access", direct != 0 ? "yes" : "no");

  const std::vector<uint32_t> sent = Pattern(1 << 20, 3);
  const size_t bytes = sent.size() * sizeof(uint32_t);
  std::vector<uint32_t> received(sent.size());
  DeviceMemory here(driver), there(driver);
  if (auto failure = here.AllocateAndFill(sent)) return std::unexpected(*failure);
  if (auto failure = other.Enter()) return std::unexpected(*failure);
  if (auto failure = there.Allocate(bytes)) return std::unexpected(*failure);
  if (auto failure = Try(driver, driver.cuMemcpyPeer, there.address(), other.context, here.address(),
                         session.context(), bytes)) {
    return std::unexpected(*failure);
  }
  if (auto failure = there.Read(received.data(), bytes)) return std::unexpected(*failure);
  if (auto failure = there.Free()) return std::unexpected(*failure);
  if (auto failure = other.Back()) return std::unexpected(*failure);
  if (const std::string difference = Difference(sent, received); !difference.empty()) {
    return std::unexpected(Failure{OwnStatus::kWrongResult, "cuMemcpyPeer",
                                   "from device " + std::to_string(session.device_index()) + " to device " +
                                       std::to_string(peer) + ": " + difference});
  }
  return "4 MiB from device " + std::to_string(session.device_index()) + " to device " +
         std::to_string(peer) + (direct != 0 ? ", directly" : ", through host memory");
}

}  // namespace culprit::prober
