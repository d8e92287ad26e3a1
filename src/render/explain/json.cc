// The explanation in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/cause.h"
#include "render/document.h"
#include "render/explain/explain.h"

namespace culprit::render {
namespace {

using base::Json;

Json LineJson(const report::LogLine& line) {
  Json json = {{"line", line.line}, {"text", line.text}};
  if (!line.file.empty()) json["file"] = line.file;
  if (line.count > 1) json["count"] = line.count;
  return json;
}

}  // namespace

base::Json CauseJson(const report::LikelyCause& cause) {
  Json evidence = Json::array();
  for (const report::LogLine& line : cause.evidence) evidence.push_back(LineJson(line));
  return {
      {"cause", cause.cause},
      {"code", cause.code.empty() ? Json(nullptr) : Json(cause.code)},
      {"confidence", cause.confidence},
      {"strength", report::Strength(cause.confidence)},
      {"summary", cause.summary},
      {"because", cause.because},
      {"evidence", std::move(evidence)},
      {"known", cause.known},
      {"settled", cause.settled},
      {"separate_by", cause.separate_by},
      {"fix", {{"text", cause.fix}, {"commands", report::Texts(cause.commands)}, {"avoid", cause.avoid}}}};
}

base::Json SymptomJson(const report::SeenSymptom& symptom) {
  Json json = {{"symptom", symptom.symptom}, {"signature", symptom.signature}, {"role", symptom.role}};
  json.update(LineJson(symptom.where));
  json["captures"] = symptom.captures;
  if (!symptom.note.empty()) json["note"] = symptom.note;
  return json;
}

namespace {

Json PageJson(const report::StatusPage& page) {
  Json causes = Json::array();
  for (const auto& [slug, title] : page.causes) causes.push_back(slug);
  return {{"name", page.name},           {"of", page.of},
          {"number", page.number},       {"meaning", page.meaning},
          {"causes", std::move(causes)}, {"source", page.source}};
}

}  // namespace

std::string ToJson(const report::Explanation& explanation) {
  Json inputs = Json::array(), causes = Json::array(), symptoms = Json::array(), pages = Json::array(),
       unknown = Json::array(), mentioned = Json::array(), near = Json::array();
  for (const report::LogInput& input : explanation.inputs) {
    inputs.push_back({{"name", input.name}, {"lines", input.lines}});
  }
  for (const report::LikelyCause& cause : explanation.causes) causes.push_back(CauseJson(cause));
  for (const report::SeenSymptom& symptom : explanation.symptoms) symptoms.push_back(SymptomJson(symptom));
  for (const report::StatusPage& page : explanation.pages) pages.push_back(PageJson(page));
  for (const report::LogLine& line : explanation.unknown) unknown.push_back(LineJson(line));
  for (const report::LogLine& line : explanation.mentioned) mentioned.push_back(LineJson(line));
  for (const report::LikelyCause& cause : explanation.near) near.push_back(CauseJson(cause));
  const char* verdict = !explanation.causes.empty() ? "errors" : unknown.empty() ? "ok" : "unknown";
  Json json = {{"schema", "culprit.explain/1"},
               {"verdict", verdict},
               {"causes", std::move(causes)},
               {"symptoms", std::move(symptoms)},
               {"unknown", std::move(unknown)},
               {"mentioned", std::move(mentioned)},
               {"near", std::move(near)},
               {"inputs", std::move(inputs)},
               {"with_facts", explanation.with_facts}};
  if (!explanation.pages.empty()) json["pages"] = std::move(pages);
  return JsonDocument(json);
}

}  // namespace culprit::render
