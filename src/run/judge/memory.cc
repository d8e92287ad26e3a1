// Out of memory: one request that no device could fill, another process that holds the memory, or the
// program's own use. PyTorch's message has the numbers; otherwise a probe of the device (snapshot/probe.h),
// if there is one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "run/judge/parts.h"

namespace culprit::run {
namespace {

// "16384.00 GiB" -> bytes; 0 when it is no size.
double Bytes(std::string_view text) {
  const std::string number(text.substr(0, std::min<size_t>(text.find(' '), 24)));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (end == number.c_str() || text.size() <= number.size()) return 0;
  const std::string_view unit = text.substr(number.size() + 1);
  double scale = 0;
  if (unit.starts_with("bytes")) scale = 1;
  if (unit.starts_with("Ki")) scale = 1024.0;
  if (unit.starts_with("Mi")) scale = 1024.0 * 1024;
  if (unit.starts_with("Gi")) scale = 1024.0 * 1024 * 1024;
  if (unit.starts_with("Ti")) scale = 1024.0 * 1024 * 1024 * 1024;
  return value * scale;
}

std::string Size(double bytes) {
  const double gib = bytes / (1024.0 * 1024 * 1024);
  if (gib >= 1024) return fmt::format("{:.1f} TiB", gib / 1024);
  if (gib >= 1) return fmt::format("{:.1f} GiB", gib);
  return fmt::format("{:.0f} MiB", gib * 1024);
}

double After(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  return at == std::string_view::npos ? 0 : Bytes(text.substr(at + words.size(), 32));
}

// The numbers of PyTorch's allocator; 0 if unknown.
struct AllocatorMessage {
  double wanted = 0, total = 0, free = -1, own = 0;
  std::string holder;  // its number; "" none is named
  double held = 0;     // by the biggest other process that it names
};

AllocatorMessage ReadMessage(const record::Run& run) {
  AllocatorMessage told;
  for (const record::Text& text : run.texts) {
    if (text.name != record::Channel::kOutput) continue;
    const std::string whole = WholeText(text);
    const size_t begin = whole.rfind("Tried to allocate ");
    if (begin == std::string::npos) continue;
    const std::string_view message = std::string_view(whole).substr(begin, 1500);
    told.wanted = After(message, "Tried to allocate ");
    told.total = After(message, "total capacity of ");
    if (message.find(" is free") != std::string_view::npos) told.free = After(message, " of which ");
    told.own = After(message, "this process has ");
    for (size_t at = message.find("Process "); at != std::string_view::npos;
         at = message.find("Process ", at + 1)) {
      const size_t has = message.find(" has ", at);
      if (has == std::string_view::npos || has - at > 30) continue;
      const double held = Bytes(message.substr(has + 5, 32));
      if (held <= told.held) continue;
      told.held = held;
      told.holder = message.substr(at + 8, has - at - 8);
    }
  }
  return told;
}

MemoryVerdict OneRequest(const AllocatorMessage& told) {
  return {.says = fmt::format(
              "the program requested {} in one allocation, and {}", Size(told.wanted),
              told.total > 0 ? "the GPU has " + Size(told.total) + " in all" : "no GPU has that much"),
          .because = "no GPU can satisfy this request, even when empty: the size is wrong or too large",
          .fix = {.text = "check the line that allocates: a shape, batch size or index is far too large. "
                          "Freeing memory or using another GPU does not help",
                  .commands = {},
                  .risk = report::Risk::kNone}};
}

// `process`: its number, "" not known.
MemoryVerdict HeldByOthers(const std::string& process, double held, double total, double wanted) {
  MemoryVerdict verdict{
      .says = fmt::format("{} uses {}{} of the GPU's memory{}",
                          process.empty() ? "another process" : "process " + process, Size(held),
                          total > 0 ? fmt::format(" of {}", Size(total)) : "",
                          wanted > 0 ? fmt::format(", so {} could not be allocated", Size(wanted)) : ""),
      .because = "not this program: it uses little memory itself",
      .fix = {.text = "stop the process that uses the memory if you do not need it, or use another GPU "
                      "(CUDA_VISIBLE_DEVICES). Smaller batches do not help while it runs",
              .commands = {"nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv"},
              .risk = report::Risk::kMedium}};
  if (!process.empty())
    verdict.fix.commands.insert(verdict.fix.commands.begin(), "ps -fp " + report::Plain(process));
  return verdict;
}

MemoryVerdict OwnUse(const AllocatorMessage& told) {
  return {.says = fmt::format("the program itself filled the GPU: it used {} of {} and requested {} more",
                              Size(told.own), Size(told.total), Size(told.wanted)),
          .because = "no other process uses much of the memory",
          .fix = {.text = "use smaller batches or inputs, half precision or activation checkpointing; free "
                          "tensors kept across steps (losses and outputs in lists)",
                  .commands = {},
                  .risk = report::Risk::kNone}};
}

// If the program gives no numbers, a probe may have them.
MemoryVerdict ByProbe(const rules::Scene& scene, double wanted) {
  if (!scene.stack().probe) return {};
  for (const snapshot::ProbedDevice& device : scene.stack().probe->devices) {
    const auto biggest = std::ranges::max_element(device.holders, {}, &snapshot::MemoryHolder::bytes);
    if (device.memory_total == 0 || biggest == device.holders.end()) continue;
    const auto held = static_cast<double>(biggest->bytes), total = static_cast<double>(device.memory_total);
    if (held * 4 < total) continue;
    return HeldByOthers(std::to_string(biggest->pid), held, total, wanted);
  }
  return {};
}

}  // namespace

MemoryVerdict WhyOutOfMemory(const record::Run& run, const rules::Scene& scene,
                             const std::optional<report::RunCall>& call) {
  AllocatorMessage told = ReadMessage(run);
  if (told.wanted == 0 && call && !call->detail.empty()) told.wanted = Bytes(call->detail);
  if (told.total == 0 && scene.stack().probe && !scene.stack().probe->devices.empty())
    told.total = static_cast<double>(scene.stack().probe->devices.front().memory_total);
  constexpr double kMoreThanAnyGpu = 1024.0 * 1024 * 1024 * 1024;
  if (told.wanted > (told.total > 0 ? told.total : kMoreThanAnyGpu)) return OneRequest(told);
  if (told.total > 0 && told.free >= 0) {
    const double others = told.total - told.free - told.own;
    if (others > told.own && others * 5 > told.total) {
      return HeldByOthers(told.holder, std::max(told.held, told.holder.empty() ? others : 0.0), told.total,
                          told.wanted);
    }
    if (told.own * 2 > told.total) return OwnUse(told);
  }
  return ByProbe(scene, told.wanted);
}

}  // namespace culprit::run
