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
  size_t anchors() const { return of_anchor_.size(); }
  // Indices of signatures.
  std::span<const size_t> OfAnchor(size_t anchor) const { return of_anchor_[anchor]; }
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
  std::vector<std::vector<size_t>> of_anchor_;
  std::vector<size_t> loose_;
  mutable std::vector<Lazy> expressions_;
};

}  // namespace culprit::logs
