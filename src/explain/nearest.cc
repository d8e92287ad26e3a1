#include "explain/nearest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "knowledge/messages/causes.h"

namespace culprit::explain {
namespace {

using knowledge::Role;
using WordSet = std::set<std::string, std::less<>>;

constexpr size_t kShortest = 4;   // letters of a word
constexpr double kTelling = 2.5;  // "error", "cuda" and "memory" tell nothing
constexpr double kEnough = 8;     // two words that one symptom in fifty has
constexpr double kRareWord = 3;   // and one of them that one in twenty has
constexpr size_t kMostWords = 4;  // to show

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

WordSet WordsOf(std::string_view text) {
  WordSet words;
  std::string word;
  const auto end_word = [&] {
    const bool exception =
        word.ends_with("error") || word.ends_with("exception");  // any kind of fault has one
    if (word.size() >= kShortest && !exception) words.insert(word);
    word.clear();
  };
  for (const char c : text) {
    if (IsLetter(c)) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

// What an expression has in letters; names of groups, classes and escapes are blanked.
std::string Literals(std::string_view expression) {
  std::string text;
  for (size_t i = 0; i < expression.size(); ++i) {
    const std::string_view rest = expression.substr(i);
    size_t skip = 0;
    if (rest.starts_with("(?P<")) skip = rest.find('>');
    if (rest.starts_with('[')) skip = rest.find(']', 1);
    if (rest.starts_with('\\')) skip = 1;
    if (skip == std::string_view::npos) break;
    text += skip == 0 ? rest.front() : ' ';
    i += skip;
  }
  return text;
}

struct Known {
  WordSet words;
  std::string_view cause;
  int32_t weight = 0;
};

// By symptom, of those that fail.
std::map<std::string_view, Known> KnownSymptoms() {
  std::map<std::string_view, Known> known;
  for (const knowledge::Signature& signature : knowledge::Signatures()) {
    if (signature.role == Role::kFailure || signature.role == Role::kConsequence)
      known[signature.symptom].words.merge(WordsOf(Literals(signature.pattern)));
  }
  for (const knowledge::Story& story : knowledge::Stories()) {
    const auto found = known.find(story.symptom);
    if (found == known.end() || story.weight <= found->second.weight) continue;
    found->second.cause = story.cause;
    found->second.weight = story.weight;
  }
  return known;
}

}  // namespace

std::vector<Nearby> NearestSymptoms(std::string_view line, size_t most) {
  const auto known = KnownSymptoms();
  std::vector<std::pair<std::string, double>> rarities;  // of the line's words
  for (const std::string& word : WordsOf(line)) {
    const auto having =
        std::ranges::count_if(known, [&](const auto& entry) { return entry.second.words.contains(word); });
    const double rarity = std::log(static_cast<double>(known.size()) / static_cast<double>(having));
    if (having > 0 && rarity >= kTelling) rarities.emplace_back(word, rarity);
  }
  std::ranges::sort(rarities, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<Nearby> near;
  for (const auto& [symptom, of] : known) {
    Nearby nearby{.symptom = symptom, .cause = of.cause, .words = {}, .weight = 0};
    bool rare = false;
    for (const auto& [word, rarity] : rarities) {
      if (!of.words.contains(word)) continue;
      nearby.weight += rarity;
      rare = rare || rarity >= kRareWord;
      if (nearby.words.size() < kMostWords) nearby.words.push_back(word);
    }
    if (rare && nearby.words.size() > 1 && nearby.weight >= kEnough && !nearby.cause.empty())
      near.push_back(std::move(nearby));
  }
  std::ranges::sort(near, [](const Nearby& a, const Nearby& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.symptom < b.symptom;
  });
  std::vector<Nearby> chosen;
  for (Nearby& nearby : near) {
    if (chosen.size() < most && std::ranges::find(chosen, nearby.cause, &Nearby::cause) == chosen.end())
      chosen.push_back(std::move(nearby));
  }
  return chosen;
}

}  // namespace culprit::explain
