#include "cli/page_facts.h"

#include <fmt/format.h>

#include <chrono>

#include "base/product_version.h"
#include "base/text.h"
#include "picture/picture.h"
#include "render/edition.h"

namespace culprit::cli {
namespace {

void Add(const std::string& more, std::string& words) {
  if (!more.empty()) words += (words.empty() ? "" : ", ") + more;
}

// "Debian GNU/Linux 12 (bookworm), x86_64"; what is not known is left out.
std::string SystemInWords(const snapshot::Snapshot& snapshot) {
  std::string words;
  const auto& context = snapshot.stack.context;
  if (context) Add(context->distribution, words);
  Add(snapshot.cpu.machine, words);
  if (context && !context->container.empty()) Add("in " + context->container, words);
  return words;
}

// The same, "driver 580.95.05, NVIDIA H200".
std::string MachineInWords(const snapshot::Snapshot& snapshot) {
  std::string words = SystemInWords(snapshot);
  const auto add = [&](const std::string& more) { Add(more, words); };
  const snapshot::Stack& stack = snapshot.stack;
  if (stack.driver && stack.driver->kernel_version) add("driver " + *stack.driver->kernel_version);
  if (stack.gpus) {
    for (size_t i = 0; i < stack.gpus->size() && i < 4; ++i) add((*stack.gpus)[i].name);
    if (stack.gpus->size() > 4) add("and " + std::to_string(stack.gpus->size() - 4) + " more GPUs");
  }
  return words;
}

std::string Now() {
  namespace chrono = std::chrono;
  const auto now = chrono::floor<chrono::minutes>(chrono::system_clock::now());
  const auto day = chrono::floor<chrono::days>(now);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss time(now - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count());
}

std::string MadeInWords() {
  return "culprit " + std::string(base::ProductVersion()) + ", " + Now() + "; " + render::EditionText();
}

}  // namespace

render::PageFacts FactsForHosts(const snapshot::Snapshot& snapshot, bool redact) {
  return {.machine = SystemInWords(snapshot),
          .made = MadeInWords(),
          .pictures = {},
          .timeline = {},
          .redact = redact,
          .home = std::string(base::ValueOf(snapshot.environment, "HOME")),
          .user = std::string(base::ValueOf(snapshot.environment, "USER")),
          .windows = snapshot.windows() != nullptr};
}

render::PageFacts FactsForFleet() {
  render::PageFacts facts;
  facts.made = MadeInWords();
  return facts;
}

render::PageFacts FactsForPage(const rules::Scene& scene, const report::CheckReport& check, bool redact,
                               const record::Run* run) {
  return {.machine = MachineInWords(scene.snapshot),
          .made = MadeInWords(),
          .pictures = picture::Pictures(scene, check, run),
          .timeline = run == nullptr ? std::vector<report::TimelineEvent>() : picture::Timeline(*run),
          .redact = redact,
          .home = std::string(scene.Variable("HOME")),
          .user = std::string(scene.Variable("USER")),
          .windows = scene.OnWindows()};
}

}  // namespace culprit::cli
