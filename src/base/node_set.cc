#include "base/node_set.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace culprit::base {
namespace {

constexpr size_t kMostDigits = 15;

bool IsNumeral(char c) { return c >= '0' && c <= '9'; }

// "n007.rack2": what is before the last number, the number, what is after it.
struct Name {
  std::string_view before, digits, after;

  uint64_t number() const {
    uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  // Numbers without leading zeros are of one kind, whatever their length.
  size_t width() const { return digits.size() > 1 && digits.front() == '0' ? digits.size() : 0; }
};

Name TakeApart(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && !IsNumeral(name[end - 1])) --end;
  if (end == 0) return {name, {}, {}};
  size_t begin = end;
  while (begin > 0 && end - begin < kMostDigits && IsNumeral(name[begin - 1])) --begin;
  return {name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
}

std::string Padded(uint64_t number, size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// "001-003,7"; the numbers are sorted.
std::string Ranges(const std::vector<std::pair<uint64_t, size_t>>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1].first == numbers[last].first + 1 &&
           Padded(numbers[last + 1].first, numbers[i].second) ==
               Padded(numbers[last + 1].first, numbers[last + 1].second))
      ++last;
    text += (text.empty() ? "" : ",") + Padded(numbers[i].first, numbers[i].second);
    if (last > i) text += "-" + Padded(numbers[last].first, numbers[last].second);
    i = last + 1;
  }
  return text;
}

class Unfolding {
 public:
  Unfolding(std::string_view text, size_t most) : text_(text), most_(most) {}

  Result<std::vector<std::string>> Names() {
    for (const std::string_view word : Words()) {
      if (word.empty()) continue;
      if (auto added = AddWord(std::string(word)); !added) return std::unexpected(added.error());
    }
    if (names_.empty()) return Fail(ErrorCode::kBadFormat, "no node is named");
    return std::move(names_);
  }

 private:
  std::unexpected<Error> Wrong(const std::string& why) const {
    return Fail(ErrorCode::kBadFormat, "'" + Printable(text_) + "': " + why);
  }

  // Split at commas that are outside of brackets.
  std::vector<std::string_view> Words() const {
    std::vector<std::string_view> words;
    size_t begin = 0;
    bool inside = false;
    for (size_t i = 0; i <= text_.size(); ++i) {
      if (i == text_.size() || (text_[i] == ',' && !inside)) {
        words.push_back(text_.substr(begin, i - begin));
        begin = i + 1;
      } else if (text_[i] == '[' || text_[i] == ']') {
        inside = text_[i] == '[';
      }
    }
    return words;
  }

  Result<void> AddName(std::string name) {
    if (names_.size() >= most_) return Wrong("more than " + std::to_string(most_) + " nodes");
    if (name.find_first_of("[]") != std::string::npos) return Wrong("a bracket without its other half");
    names_.push_back(std::move(name));
    return {};
  }

  Result<void> AddWord(const std::string& word) {
    const size_t open = word.find('[');
    if (open == std::string::npos) return AddName(word);
    const size_t close = word.find(']', open);
    if (close == std::string::npos) return Wrong("a bracket without its other half");
    const std::string before = word.substr(0, open), after = word.substr(close + 1);
    std::string_view list = std::string_view(word).substr(open + 1, close - open - 1);
    while (!list.empty()) {
      const size_t comma = std::min(list.find(','), list.size());
      if (auto added = AddRange(before, list.substr(0, comma), after); !added) return added;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return {};
  }

  Result<void> AddRange(const std::string& before, std::string_view range, const std::string& after) {
    const size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
    const auto numeral = [](std::string_view digits) {
      return !digits.empty() && digits.size() <= kMostDigits && std::ranges::all_of(digits, IsNumeral);
    };
    if (!numeral(first) || !numeral(last)) return Wrong("'" + Printable(range) + "' is not a range");
    const uint64_t end = Name{{}, last, {}}.number();
    const size_t width = Name{{}, first, {}}.width();
    for (uint64_t i = Name{{}, first, {}}.number(); i <= end; ++i) {
      if (auto added = AddWord(before + Padded(i, width) + after); !added) return added;
    }
    return {};
  }

  std::string_view text_;
  size_t most_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> SortedNodes(std::vector<std::string> names) {
  std::ranges::sort(names, {}, [](const std::string& name) {
    const Name parts = TakeApart(name);
    return std::tuple(parts.before, parts.after, parts.number(), parts.digits.size(), std::string_view(name));
  });
  const auto again = std::ranges::unique(names);
  names.erase(again.begin(), again.end());
  return names;
}

std::string FoldNodes(std::vector<std::string> names) {
  names = SortedNodes(std::move(names));
  std::string text;
  for (size_t i = 0; i < names.size();) {
    const Name first = TakeApart(names[i]);
    std::vector<std::pair<uint64_t, size_t>> numbers;
    size_t end = i;
    for (; end < names.size(); ++end) {
      const Name next = TakeApart(names[end]);
      if (next.before != first.before || next.after != first.after || next.digits.empty()) break;
      numbers.emplace_back(next.number(), next.width());
    }
    text += text.empty() ? "" : ",";
    if (numbers.size() < 2) {
      text += names[i];
      end = i + 1;
    } else {
      text += std::string(first.before) + "[" + Ranges(numbers) + "]" + std::string(first.after);
    }
    i = end;
  }
  return text;
}

std::string FoldNumbers(std::vector<uint64_t> numbers) {
  std::ranges::sort(numbers);
  const auto again = std::ranges::unique(numbers);
  numbers.erase(again.begin(), again.end());
  std::vector<std::pair<uint64_t, size_t>> bare;
  for (const uint64_t number : numbers) bare.emplace_back(number, 0);
  return Ranges(bare);
}

Result<std::vector<std::string>> UnfoldNodes(std::string_view text, size_t most) {
  return Unfolding(text, most).Names();
}

}  // namespace culprit::base
