#include "explain/logs/signature_index.h"

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace culprit::logs {
namespace {

RE2::Options Options(int64_t memory) {
  RE2::Options options(RE2::Latin1);  // bytes: text in a wrong encoding matches like any other
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return options;
}

}  // namespace

const SignatureIndex& SignatureIndex::The() {
  static const SignatureIndex kIndex;
  return kIndex;
}

SignatureIndex::SignatureIndex() : expressions_(knowledge::Signatures().size()) {
  constexpr size_t kUsualAnchors = 1 << 14;
  std::vector<std::string_view> anchors;
  std::vector<std::pair<size_t, size_t>> uses;  // anchor, signature
  std::unordered_map<std::string_view, size_t> known(kUsualAnchors);
  for (size_t signature = 0; signature < expressions_.size(); ++signature) {
    const auto any = knowledge::Signatures()[signature].any;
    if (any.empty()) loose_.push_back(signature);
    for (const std::string_view anchor : any) {
      const auto [entry, fresh] = known.emplace(anchor, anchors.size());
      if (fresh) anchors.push_back(anchor);
      uses.emplace_back(entry->second, signature);
    }
  }
  first_.resize(anchors.size() + 1);
  for (const auto& [anchor, signature] : uses) ++first_[anchor + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<size_t> next(first_.begin(), first_.end() - 1);
  signatures_.resize(uses.size());
  for (const auto& [anchor, signature] : uses) signatures_[next[anchor]++] = signature;
  finder_ = std::make_unique<AnchorFinder>(anchors);
}

const RE2& SignatureIndex::Expression(size_t signature) const {
  Lazy& lazy = expressions_[signature];
  std::call_once(lazy.once, [&] {
    const std::string_view pattern = knowledge::Signatures()[signature].pattern;
    lazy.expression =
        std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), Options(1 << 20));
  });
  return *lazy.expression;
}

std::unique_ptr<RE2::Set> SignatureIndex::Together(std::span<const size_t> signatures) const {
  auto set = std::make_unique<RE2::Set>(Options(4 << 20), RE2::UNANCHORED);
  bool any = false;
  for (const size_t signature : signatures) {
    const std::string pattern = fmt::format("(?m:{})", knowledge::Signatures()[signature].pattern);
    any = set->Add(pattern, nullptr) >= 0;
    if (!any) return nullptr;
  }
  if (!any || !set->Compile()) return nullptr;
  return set;
}

}  // namespace culprit::logs
