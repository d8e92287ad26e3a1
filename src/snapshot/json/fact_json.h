// Fact<T> in JSON: {"state": "value", "value": ..., "source": "..."} or {"state": "unreadable", "why": "...",
// ...}.
#pragma once

#include "snapshot/fact.h"
#include "snapshot/json/json_reader.h"
#include "snapshot/json/json_writer.h"

namespace culprit::snapshot {

// `write` makes the JSON of a T.
template <typename T, typename Write>
base::Json FactToJson(const Fact<T>& fact, Write write) {
  JsonWriter json;
  json.Value("state", base::Word(fact.state));
  if (fact.value) json.Value("value", write(*fact.value));
  json.Text("why", fact.why);
  json.Text("source", fact.source);
  return json.Take();
}

// `read(reader, T&)` reads a T.
template <typename T, typename Read>
void ReadFact(const JsonReader& json, Fact<T>& fact, Read read) {
  fact = {};
  json.Require("state");
  json.Field("state", fact.state);
  if (fact.state == FactState::kValue) {
    json.Require("value");
    json.With("value", [&](const JsonReader& value) { read(value, fact.value.emplace()); });
  } else if (json.Has("value")) {
    json.Fail("a value although the state is " + std::string(base::Word(fact.state)));
  }
  json.Field("why", fact.why);
  json.Field("source", fact.source);
}

}  // namespace culprit::snapshot
