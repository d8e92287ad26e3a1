#include "cli/page_facts.h"

#include <ctime>

#include "base/product_version.h"
#include "diagnose/picture.h"

namespace culprit::cli {
namespace {

// "Debian GNU/Linux 12 (bookworm), x86_64, driver 580.95.05, NVIDIA H200"; what is not known is left out.
std::string MachineInWords(const snapshot::Snapshot& snapshot) {
  std::string words;
  const auto add = [&](const std::string& more) {
    if (more.empty()) return;
    words += (words.empty() ? "" : ", ") + more;
  };
  const snapshot::Stack& stack = snapshot.stack;
  if (stack.context) add(stack.context->distribution);
  add(snapshot.cpu.machine);
  if (stack.context && !stack.context->container.empty()) add("in " + stack.context->container);
  if (stack.driver && stack.driver->kernel_version) add("driver " + *stack.driver->kernel_version);
  if (stack.gpus) {
    for (size_t i = 0; i < stack.gpus->size() && i < 4; ++i) add((*stack.gpus)[i].name);
    if (stack.gpus->size() > 4) add("and " + std::to_string(stack.gpus->size() - 4) + " more GPUs");
  }
  return words;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
#ifdef _WIN32
  gmtime_s(&utc, &now);
#else
  gmtime_r(&now, &utc);
#endif
  char text[40];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc));
}

}  // namespace

render::PageFacts FactsForPage(const rules::Scene& scene, const report::CheckReport& check, bool redact,
                               const record::Run* run) {
  const auto variable = [&](const char* name) {
    const auto found = scene.snapshot.environment.find(name);
    return found == scene.snapshot.environment.end() ? std::string() : found->second;
  };
  return {.machine = MachineInWords(scene.snapshot),
          .made = "culprit " + std::string(base::ProductVersion()) + ", " + Now(),
          .pictures = diagnose::Pictures(scene, check, run),
          .timeline = run == nullptr ? std::vector<report::TimelineEvent>() : diagnose::Timeline(*run),
          .redact = redact,
          .home = variable("HOME"),
          .user = variable("USER"),
          .windows = scene.OnWindows()};
}

}  // namespace culprit::cli
