#include "explain/logs/candidates.h"

#include <algorithm>

#include "explain/logs/re2_piece.h"
#include "explain/logs/signature_index.h"

namespace culprit::logs {
namespace {

constexpr uint32_t kOften = 64;  // lines with the same candidates
constexpr size_t kMostTogether = 32;
constexpr char kNotAsked = 0, kYes = 1, kNo = 2;

uint32_t LinesOf(size_t signature) { return std::max(knowledge::Signatures()[signature].lines, 1u); }

std::unique_ptr<Candidates::Group> MakeGroup(const std::vector<size_t>& signatures) {
  auto group = std::make_unique<Candidates::Group>();
  for (const size_t signature : signatures) {
    group->reach = std::max(group->reach, LinesOf(signature));
    (LinesOf(signature) > 1 ? group->of_window : group->of_line).signatures.push_back(signature);
  }
  for (Candidates::Group::Part* part : {&group->of_line, &group->of_window})
    part->set = SignatureIndex::The().Together(part->signatures);
  group->covers.assign(SignatureIndex::The().anchors(), kNotAsked);
  return group;
}

}  // namespace

Candidates::Candidates() : done_(SignatureIndex::The().size()), matches_(done_.size()) {}

std::vector<size_t> Candidates::In(std::string_view segment) const {
  std::vector<size_t> found;
  SignatureIndex::The().finder().Find(segment, 0, [&](const AnchorFinder::Hit& hit) {
    const auto of_anchor = SignatureIndex::The().OfAnchor(hit.anchor);
    found.insert(found.end(), of_anchor.begin(), of_anchor.end());
    return true;
  });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<size_t> Candidates::Live(std::vector<size_t> signatures) const {
  std::erase_if(signatures, [&](size_t signature) { return done_[signature]; });
  return signatures;
}

bool Candidates::IsLive(size_t anchor) const {
  return std::ranges::any_of(SignatureIndex::The().OfAnchor(anchor),
                             [&](size_t signature) { return !done_[signature]; });
}

void Candidates::Matched(size_t signature, uint32_t enough) {
  done_[signature] = ++matches_[signature] >= enough;
}

Candidates::Group* Candidates::GroupOf(const std::vector<size_t>& candidates) {
  Together& together = together_[candidates];
  if (++together.uses == kOften && groups_ < kMostTogether) {
    ++groups_;
    together.group = MakeGroup(Live(candidates));
  }
  return together.group.get();
}

bool Candidates::IsCovered(size_t anchor, Group& group) const {
  char& covers = group.covers[anchor];
  if (covers == kNotAsked) {
    const bool all = std::ranges::all_of(SignatureIndex::The().OfAnchor(anchor), [&](size_t signature) {
      return done_[signature] || std::ranges::binary_search(group.of_line.signatures, signature) ||
             std::ranges::binary_search(group.of_window.signatures, signature);
    });
    covers = all ? kYes : kNo;
  }
  return covers == kYes;
}

std::vector<size_t> Candidates::Matching(const Group& group, const std::string& lines,
                                         const std::string& windows) const {
  std::vector<size_t> found = Matching(group.of_line, lines);
  const std::vector<size_t> of_window = Matching(group.of_window, windows);
  found.insert(found.end(), of_window.begin(), of_window.end());
  std::ranges::sort(found);
  return found;
}

bool Candidates::MayMatch(const Group& group, const std::string& lines, const std::string& windows) const {
  return MayMatch(group.of_line, lines) || MayMatch(group.of_window, windows);
}

std::vector<size_t> Candidates::Matching(const Group::Part& part, const std::string& text) const {
  if (part.set == nullptr) return Live(part.signatures);
  std::vector<int> matched;
  RE2::Set::ErrorInfo failure{RE2::Set::kNoError};
  part.set->Match(Piece(text), &matched, &failure);
  if (failure.kind != RE2::Set::kNoError) return Live(part.signatures);
  std::vector<size_t> signatures;
  for (const int index : matched) signatures.push_back(part.signatures[static_cast<size_t>(index)]);
  return Live(std::move(signatures));
}

bool Candidates::MayMatch(const Group::Part& part, const std::string& text) const {
  const bool all_live =
      std::ranges::none_of(part.signatures, [&](size_t signature) { return done_[signature]; });
  if (part.set == nullptr || !all_live) return !Matching(part, text).empty();
  // Whether, and not which: the first match ends the search.
  RE2::Set::ErrorInfo failure{RE2::Set::kNoError};
  return part.set->Match(Piece(text), nullptr, &failure) || failure.kind != RE2::Set::kNoError;
}

}  // namespace culprit::logs
