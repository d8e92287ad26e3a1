#include "cli/image/image_layer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "loader/glibc/tokens.h"
#include "snapshot/secrets/hide.h"

namespace culprit::cli {
namespace {

constexpr std::string_view kSearchPath = "search-path";  // a library is there, but not searched for there

// The topmost layer that brought one of the files that show it, or removed what is missing; -1: none did.
int TopLayer(const image::Tree& tree, const report::Finding& finding) {
  int top = -1;
  const bool missing = finding.cause.ends_with("-missing");
  const auto count_file = [&](const std::string& file) {
    if (!file.starts_with('/')) return;
    top = std::max(top, tree.TopLayerOf(file));
    if (missing) top = std::max(top, tree.RemoverIn(std::string(base::DirName(file))));
  };
  const auto count_name = [&](const std::string& name) {
    count_file(name);
    top = std::max(top, tree.RemoverOf(name));
    if (missing) top = std::max(top, tree.ReplacerOf(name));  // there is a file, and it is damaged
  };
  count_name(finding.subject);
  std::ranges::for_each(finding.about, count_name);
  for (const report::Evidence& item : finding.evidence) {
    count_file(std::string(report::FileNamedIn(item.source)));
    if (report::VariableOf(item).empty()) continue;
    const std::string_view value = std::string_view(item.fact).substr(item.fact.find('=') + 1);
    for (const std::string& path : base::SplitWords(value, ":")) count_file(path);  // its target
  }
  if (top < 0 && missing) {  // none of the places where it could be was ever filled: it lay elsewhere
    for (const report::Evidence& item : finding.evidence) {
      const std::string_view file = report::FileNamedIn(item.source);
      if (!file.empty()) top = std::max(top, tree.RemoverOfAnyVersion(base::BaseName(file)));
    }
  }
  if (finding.cause == kSearchPath) top = std::max(top, tree.RemoverIn("/etc/ld.so.conf.d"));
  return top;
}

// "$HOME/lib" as it stands: nobody expands that but the loader's own names, so whoever set the value took the
// directory away.
bool HasUnexpandedName(std::string_view value) {
  return base::Contains(loader::ExpandTokens(value, {.origin = "", .platform = ""}), "$");
}

// The last step that set a variable of the finding.
std::optional<image::VariableStep> LastSetting(const image::Image& image,
                                               const std::map<std::string, std::string>& environment,
                                               const report::Finding& finding) {
  std::optional<image::VariableStep> last;
  using Setting = image::ImageConfig::Setting;
  const auto count = [&](std::string_view name, Setting kind) {
    const auto said = image.config.environment.find(std::string(name));
    const auto used = environment.find(std::string(name));
    if (said == image.config.environment.end() || used == environment.end() || said->second != used->second)
      return;
    auto step = image.config.SetBy(name, image.layers.size(), kind);
    if (step && (!last || step->layers >= last->layers)) last = std::move(step);
  };
  count(finding.subject, Setting::kAny);
  for (const report::Evidence& item : finding.evidence) count(report::VariableOf(item), Setting::kAny);
  if (finding.cause == kSearchPath) {
    const auto path = environment.find("LD_LIBRARY_PATH");
    const bool unexpanded = path != environment.end() && HasUnexpandedName(path->second);
    count("LD_LIBRARY_PATH", unexpanded ? Setting::kAny : Setting::kWithoutADirectory);
  }
  return last;
}

}  // namespace

std::optional<report::Layer> LayerAt(const image::Image& image, int number) {
  if (number < 0) return std::nullopt;
  const auto at = static_cast<size_t>(number);
  const std::string made = base::Printable(snapshot::HideSecrets(image.layers[at].created_by));
  return report::Layer{.index = at + 1,
                       .count = image.layers.size(),
                       .digest = image.layers[at].digest,
                       .created_by = made,
                       .instruction = image::Instruction(made)};
}

std::optional<report::Layer> LayerOf(const image::Image& image,
                                     const std::map<std::string, std::string>& environment,
                                     const report::Finding& finding) {
  const int top = TopLayer(*image.tree, finding);
  const auto setting = LastSetting(image, environment, finding);
  if (!setting || std::cmp_less(setting->layers, top + 1)) return LayerAt(image, top);
  report::Layer layer{.index = std::max<size_t>(setting->layers, 1), .count = image.layers.size()};
  layer.configuration = true;
  layer.created_by = base::Printable(snapshot::HideSecrets(setting->created_by));
  layer.instruction = image::Instruction(layer.created_by);
  return layer;
}

}  // namespace culprit::cli
