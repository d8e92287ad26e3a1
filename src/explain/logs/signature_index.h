// The table of signatures, indexed: which ones may match where an anchor was found, and their expressions,
// each compiled on first use. Most are never used.
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "explain/logs/anchors.h"
#include "knowledge/messages/signatures.h"

namespace culprit::logs {

class SignatureIndex {
 public:
  static const SignatureIndex& The();

  size_t size() const { return expressions_.size(); }
  const AnchorFinder& finder() const { return *finder_; }
  size_t anchors() const { return first_.size() - 1; }
  // Indices of signatures.
  std::span<const size_t> OfAnchor(size_t anchor) const {
    return std::span(signatures_).subspan(first_[anchor], first_[anchor + 1] - first_[anchor]);
  }
  std::span<const size_t> loose() const { return loose_; }  // those without an anchor
  const RE2& Expression(size_t signature) const;
  // Matches where one of them does in some of the lines of a text, as if these were alone; nullptr if there
  // is none or they are too many.
  std::unique_ptr<RE2::Set> Together(std::span<const size_t> signatures) const;

 private:
  struct Lazy {
    std::once_flag once;
    std::unique_ptr<RE2> expression;
  };

  SignatureIndex();

  std::unique_ptr<AnchorFinder> finder_;
  std::vector<size_t> signatures_;  // of the first anchor, the second, ...
  std::vector<size_t> first_;       // where those of each anchor begin; and the end
  std::vector<size_t> loose_;
  mutable std::vector<Lazy> expressions_;
};

}  // namespace culprit::logs
