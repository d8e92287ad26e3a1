#include "cli/image_layer.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "snapshot/secrets/hide.h"

namespace culprit::cli {
namespace {

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
  };
  count_name(finding.subject);
  std::ranges::for_each(finding.about, count_name);
  for (const report::Evidence& item : finding.evidence)
    count_file(std::string(report::FileNamedIn(item.source)));
  return top;
}

// The last step that set a variable of the finding.
std::optional<image::VariableStep> LastSetting(const image::Image& image,
                                               const std::map<std::string, std::string>& environment,
                                               const report::Finding& finding) {
  std::optional<image::VariableStep> last;
  const auto count = [&](std::string_view name) {
    const auto said = image.config.environment.find(std::string(name));
    const auto used = environment.find(std::string(name));
    if (said == image.config.environment.end() || used == environment.end() || said->second != used->second)
      return;
    auto step = image.config.SetBy(name, image.layers.size());
    if (step && (!last || step->layers >= last->layers)) last = std::move(step);
  };
  count(finding.subject);
  for (const report::Evidence& item : finding.evidence) count(report::VariableOf(item));
  return last;
}

}  // namespace

std::optional<report::Layer> LayerOf(const image::Image& image,
                                     const std::map<std::string, std::string>& environment,
                                     const report::Finding& finding) {
  const auto top = static_cast<size_t>(TopLayer(*image.tree, finding) + 1);  // 0: no layer
  const auto setting = LastSetting(image, environment, finding);
  const bool set = setting && setting->layers >= top;
  if (top == 0 && !set) return std::nullopt;
  report::Layer layer{.index = top, .count = image.layers.size()};
  if (set) {
    layer.index = std::max<size_t>(setting->layers, 1);
    layer.configuration = true;
  } else {
    layer.digest = image.layers[top - 1].digest;
  }
  layer.created_by =
      base::Printable(snapshot::HideSecrets(set ? setting->created_by : image.layers[top - 1].created_by));
  layer.instruction = image::Instruction(layer.created_by);
  return layer;
}

}  // namespace culprit::cli
