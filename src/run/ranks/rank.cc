#include "run/ranks/rank.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/product_version.h"
#include "base/text.h"
#include "snapshot/json/fields.h"

namespace culprit::snapshot {

template <>
struct FieldsOf<report::RankFinding> {
  template <typename Self, typename Visit>
  static void List(Self& self, Visit& visit) {
    visit("headline", self.headline);
    visit("cause", self.cause);
    visit("code", self.code);
    visit("because", self.because);
    visit("evidence", self.evidence);
    visit("fix", self.fix);
    visit("commands", self.commands);
    visit("last_words", self.last_words);
  }
};

}  // namespace culprit::snapshot

namespace culprit::ranks {
namespace {

std::string Text(const Rank& rank) {
  base::Json json = {{"schema", kSchema}};
  json.update(snapshot::FieldsToJson(rank));
  return json.dump(-1, ' ', false, base::Json::error_handler_t::replace);
}

// Leaves the last facts away until it fits, then what says more than the headline.
std::string Fitting(Rank& rank) {
  std::string text = Text(rank);
  while (text.size() > kMostBytes && !rank.facts.empty()) {
    const size_t half = rank.facts.size() / 2;
    rank.left_out += rank.facts.size() - half;
    rank.facts.resize(half);
    text = Text(rank);
  }
  if (text.size() <= kMostBytes) return text;
  rank.finding = {.headline = rank.finding.headline, .cause = rank.finding.cause, .code = rank.finding.code};
  rank.devices.clear();
  rank.waits.clear();
  return Text(rank);
}

}  // namespace

std::string ToLine(Rank rank) { return Fitting(rank); }

base::Result<Rank> ReadRank(std::string_view text) {
  const auto bad = [](std::string why) { return base::Fail(base::ErrorCode::kBadFormat, std::move(why)); };
  if (text.size() > kMostBytes) return bad("too large for a rank record");
  const base::Json json = base::ParseJson(text);
  if (!json.is_object()) return bad("not JSON");
  std::string wrong, schema;
  const snapshot::JsonReader reader(json, wrong);
  reader.Require("schema");
  reader.Field("schema", schema);
  if (wrong.empty() && schema != kSchema) return bad("its \"schema\" is not " + std::string(kSchema));
  reader.Require("rank");
  Rank rank;
  snapshot::ReadFields(reader, rank);
  if (!wrong.empty()) return bad(wrong);
  if (rank.size > kMostRanks || rank.rank >= rank.size) return bad("its rank number does not fit its job");
  std::ranges::sort(rank.facts);
  return rank;
}

}  // namespace culprit::ranks
