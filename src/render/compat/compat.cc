#include "render/compat/compat.h"

#include <fmt/format.h>

#include "base/json.h"
#include "render/document.h"
#include "render/edition.h"

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

}  // namespace

std::string ToText(const report::CompatAnswer& answer, const Style& style) {
  std::string text = Painted(answer.verdict, 0, style) + "\n";
  for (const auto& pair : answer.pairs) {
    text += fmt::format("\n  {} {}\n", Painted(pair.verdict, 7, style),
                        style.Bold(pair.one + " and " + pair.other));
    text += "          " + base::Printable(pair.why) + "\n";
    if (!pair.source.empty()) text += "          " + style.Dim("source: " + pair.source) + "\n";
  }
  if (!answer.notes.empty()) text += "\n";
  for (const std::string& note : answer.notes) text += "  note: " + base::Printable(note) + "\n";
  return text;
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
  json["notes"] = answer.notes;
  json["knowledge"] = EditionJson();
  return JsonDocument(json);
}

}  // namespace culprit::render
