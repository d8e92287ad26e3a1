// Which of the recorded symptoms count: what happened, what is only spoken of, what is said twice.
#include <re2/re2.h>

#include <algorithm>

#include "explain/logs/error_lines.h"
#include "explain/logs/log_reader.h"
#include "explain/logs/mention.h"
#include "explain/logs/re2_piece.h"

namespace culprit::logs {
namespace {

using knowledge::Role;

// Names of errors that stand alone, one to a line: a list of what there is, not of what happened.
void DropListed(std::vector<Symptom>& symptoms) {
  constexpr std::ptrdiff_t kAList = 3;
  static const RE2 kName(R"(\w+)");
  const auto is_bare = [](const Symptom& symptom) {
    return symptom.role() == Role::kFailure && RE2::FullMatch(Piece(symptom.text), kName);
  };
  if (std::ranges::count_if(symptoms, is_bare) < kAList) return;
  std::erase_if(symptoms,
                [&](const Symptom& symptom) { return is_bare(symptom) || symptom.role() == Role::kHint; });
}

// Takes out what is denied, and the vague words of the same line with it.
void DropDenied(std::vector<Symptom>& symptoms) {
  std::vector<uint64_t> lines;
  for (const Symptom& symptom : symptoms) {
    if (symptom.mention == Mention::kDenied) lines.push_back(symptom.line);
  }
  std::erase_if(symptoms, [&](const Symptom& symptom) {
    return symptom.mention == Mention::kDenied ||
           (symptom.role() == Role::kHint && std::ranges::find(lines, symptom.line) != lines.end());
  });
}

// Two signatures may match the same thing in a line: the more specific one is kept, or the first.
void DropRepeated(std::vector<Symptom>& symptoms) {
  const auto tells_less = [&](const Symptom& symptom) {
    return std::ranges::any_of(symptoms, [&](const Symptom& other) {
      if (&other == &symptom || other.line != symptom.line || other.kind() != symptom.kind()) return false;
      if (other.role() != symptom.role() || other.mention != symptom.mention) return false;
      return std::ranges::includes(other.attributes, symptom.attributes) &&
             (other.attributes.size() > symptom.attributes.size() || &other < &symptom);
    });
  };
  std::vector<bool> dropped;
  for (const Symptom& symptom : symptoms) dropped.push_back(tells_less(symptom));
  size_t index = 0;
  std::erase_if(symptoms, [&](const Symptom&) { return dropped[index++]; });
}

}  // namespace

bool LogReader::Happened(const Symptom& symptom) const {
  return !only_mentions_ && symptom.mention == Mention::kNone;
}

bool LogReader::Tells() const {
  return std::ranges::any_of(symptoms_,
                             [&](const Symptom& symptom) { return Happened(symptom) && symptom.speaks(); });
}

bool LogReader::Asks(std::string_view beginning) const {
  return AsksForHelp(beginning) || (!only_mentions_ && IntroducesError(beginning));
}

bool LogReader::asks_for_help() const {
  if (lines() > kLongestRequest) return false;
  if (!asks_for_help_) asks_for_help_ = Asks(std::string_view(buffer_).substr(0, size_));
  return *asks_for_help_;
}

const Symptom* LogReader::Mentioned() const {
  const auto first = std::ranges::find_if(symptoms_, [](const Symptom& symptom) {
    return symptom.role() == Role::kFailure && symptom.mention <= Mention::kTalk;
  });
  return first == symptoms_.end() ? nullptr : &*first;
}

bool LogReader::Denies(const knowledge::Signature& signature) const {
  return std::ranges::any_of(symptoms_, [&](const Symptom& symptom) {
    return symptom.mention == Mention::kDenied && symptom.signature == &signature;
  });
}

std::vector<Symptom> LogReader::SymptomsWith(bool talk) const {
  std::vector<Symptom> told = symptoms_;
  // Where somebody tells of a failure of their own, what stands in a sentence counts, if nothing else does.
  const bool asks = talk && !Tells();
  const bool few = shown_lines() < kFewLines && !only_mentions_;
  DropDenied(told);
  DropListed(told);
  if (other_gpu_) {
    std::erase_if(told,
                  [](const Symptom& symptom) { return symptom.speaks() || symptom.role() == Role::kHint; });
  }
  if (no_nvidia_) {
    std::erase_if(told, [](const Symptom& symptom) {
      return symptom.role() == Role::kConsequence || symptom.role() == Role::kHint;
    });
  }
  if (!few) {
    std::erase_if(told, [&](const Symptom& symptom) {
      // What people say of their machine holds, in a sentence too.
      const bool stated = !only_mentions_ && symptom.role() == Role::kContext;
      return asks || stated ? symptom.mention == Mention::kNever : !Happened(symptom);
    });
  }
  if (lines() > kShortText || std::ranges::any_of(told, &Symptom::speaks)) {
    std::erase_if(told, [](const Symptom& symptom) { return symptom.role() == Role::kHint; });
  }
  std::erase_if(told, [&](const Symptom& symptom) {
    if (symptom.role() == Role::kContext || symptom.role() == Role::kHarmless) return false;
    return IsWhollyHarmless(symptom) ||
           (symptom.role() == Role::kHint &&
            (IsBesideThePoint(symptom.text) || (IsHarmless(symptom.line) && IsHarmless(symptom.last_line))));
  });
  // Words that fit anything are about CUDA only if something else in the text is.
  if (!of_cuda_) {
    std::erase_if(told, [&](const Symptom& symptom) {
      const bool general = symptom.role() == Role::kConsequence || symptom.attribute("general") == "yes";
      return symptom.role() == Role::kHint || (general && !few);
    });
  }
  // Sorts by line, in place and stable. Nearly all are in order already.
  const auto earlier = [](const Symptom& a, const Symptom& b) { return a.line < b.line; };
  for (auto at = told.begin(); at != told.end(); ++at) {
    std::rotate(std::upper_bound(told.begin(), at, *at, earlier), at, at + 1);
  }
  DropRepeated(told);
  return told;
}

}  // namespace culprit::logs
