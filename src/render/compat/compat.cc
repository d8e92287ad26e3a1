#include "render/compat/compat.h"

#include <fmt/format.h>

#include "base/json.h"
#include "render/document.h"
#include "render/edition.h"
#include "render/markdown.h"

namespace culprit::render {
namespace {

using base::Json;

std::string Painted(report::Compatible verdict, size_t width, const Style& style) {
  const std::string word(base::Word(verdict));
  const std::string padding(width > word.size() ? width - word.size() : 0, ' ');
  if (verdict == report::Compatible::kYes) return style.Good(word) + padding;
  if (verdict == report::Compatible::kNo) return style.Bad(word) + padding;
  return style.Warn(word) + padding;
}

std::string_view Fits(report::Compatible verdict) {
  switch (verdict) {
    case report::Compatible::kYes:
      return "the build that fits";
    case report::Compatible::kNo:
      return "no build fits; the nearest";
    case report::Compatible::kUnknown:
      break;
  }
  return "the nearest build";
}

std::string List(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string BuildText(const report::CompatBuild& build, const Style& style) {
  std::string text = fmt::format("\n  {}: {}\n", Fits(build.verdict), style.Bold(build.build));
  if (const auto command = build.install.Text(); command && !command->empty())
    text += "          " + *command + "\n";
  else if (build.verdict == report::Compatible::kYes)
    text += "          the tables do not say where it is published\n";
  if (!build.others.empty()) text += "          other builds: " + List(build.others) + "\n";
  return text;
}

// What stands in the second column.
std::string Shown(const report::GoesWith& line) {
  return line.range.empty() ? List(line.values) : line.range;
}

std::string ListText(const report::CompatAnswer& answer, const Style& style) {
  size_t width = 0;
  for (const auto& line : answer.goes_with) width = std::max(width, line.what.size());
  std::string text = style.Bold(answer.about) + " works with:\n\n";
  for (const auto& line : answer.goes_with) {
    text += fmt::format("  {}{}  {}\n", line.what, std::string(width - line.what.size(), ' '),
                        base::Printable(Shown(line)));
    if (!line.why.empty()) text += std::string(width + 4, ' ') + style.Dim(base::Printable(line.why)) + "\n";
  }
  return text;
}

std::string NotesText(const report::CompatAnswer& answer) {
  std::string text = answer.notes.empty() ? "" : "\n";
  for (const std::string& note : answer.notes) text += "  note: " + base::Printable(note) + "\n";
  return text;
}

Json BuildJson(const report::CompatBuild& build) {
  const auto command = build.install.Text();
  const bool installs = command && !command->empty();
  return {{"package", build.package},
          {"build", build.build},
          {"verdict", base::Word(build.verdict)},
          {"default", build.is_default},
          {"others", build.others},
          {"install", installs ? Json(*command) : Json(nullptr)}};
}

}  // namespace

std::string ToText(const report::CompatAnswer& answer, const Style& style) {
  if (!answer.goes_with.empty()) return ListText(answer, style) + NotesText(answer);
  std::string text = Painted(answer.verdict, 0, style) + "\n";
  for (const auto& pair : answer.pairs) {
    text += fmt::format("\n  {} {}\n", Painted(pair.verdict, 7, style),
                        style.Bold(pair.one + " and " + pair.other));
    text += "          " + base::Printable(pair.why) + "\n";
    if (!pair.source.empty()) text += "          " + style.Dim("source: " + pair.source) + "\n";
  }
  for (const auto& build : answer.builds) text += BuildText(build, style);
  return text + NotesText(answer);
}

std::string ToJson(const report::CompatAnswer& answer) {
  Json json = {
      {"schema", "culprit.compat/1"}, {"verdict", base::Word(answer.verdict)}, {"pairs", Json::array()}};
  for (const auto& pair : answer.pairs) {
    Json between = Json::array();
    between.push_back(pair.one);
    between.push_back(pair.other);
    Json one = {{"between", between}, {"verdict", base::Word(pair.verdict)}, {"why", pair.why}};
    one["source"] = pair.source.empty() ? Json(nullptr) : Json(pair.source);
    json["pairs"].push_back(one);
  }
  json["builds"] = Json::array();
  for (const auto& build : answer.builds) json["builds"].push_back(BuildJson(build));
  json["goes_with"] = Json::array();
  for (const auto& line : answer.goes_with) {
    Json one = {{"what", line.what}, {"values", line.values}, {"why", line.why}};
    one["range"] = line.range.empty() ? Json(nullptr) : Json(line.range);
    one["source"] = line.source.empty() ? Json(nullptr) : Json(line.source);
    json["goes_with"].push_back(one);
  }
  json["notes"] = answer.notes;
  json["knowledge"] = EditionJson();
  return JsonDocument(json);
}

std::string ToMarkdown(const report::CompatAnswer& answer) {
  std::string text;
  if (!answer.goes_with.empty()) {
    text = "# " + Plain(answer.about) + " works with\n\n| what | versions | |\n|---|---|---|\n";
    for (const auto& line : answer.goes_with)
      text += "| " + Plain(line.what) + " | " + Plain(Shown(line)) + " | " + Plain(line.why) + " |\n";
  } else {
    text = "# culprit compat: " + std::string(base::Word(answer.verdict)) + "\n\n";
    text += "| | between | why | source |\n|---|---|---|---|\n";
    for (const auto& pair : answer.pairs) {
      text += "| " + std::string(base::Word(pair.verdict)) + " | " + Plain(pair.one) + " and " +
              Plain(pair.other) + " | " + Plain(pair.why) + " | " + Plain(pair.source) + " |\n";
    }
    for (const auto& build : answer.builds) {
      text += "\n" + std::string(Fits(build.verdict)) + ": " + Plain(build.build) + "\n";
      if (const auto command = build.install.Text(); command && !command->empty())
        text += "\n" + ShellBlock({*command});
    }
  }
  for (const std::string& note : answer.notes) text += "\nNote: " + Plain(note) + "\n";
  return text;
}

}  // namespace culprit::render
