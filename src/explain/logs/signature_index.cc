#include "explain/logs/signature_index.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>

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
  std::vector<std::string_view> anchors;
  std::unordered_map<std::string_view, size_t> known;
  for (size_t signature = 0; signature < expressions_.size(); ++signature) {
    const auto any = knowledge::Signatures()[signature].any;
    if (any.empty()) loose_.push_back(signature);
    for (const std::string_view anchor : any) {
      const auto [entry, fresh] = known.emplace(anchor, anchors.size());
      if (fresh) {
        anchors.push_back(anchor);
        of_anchor_.emplace_back();
      }
      of_anchor_[entry->second].push_back(signature);
    }
  }
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
