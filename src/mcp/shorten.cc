#include "mcp/shorten.h"

#include <algorithm>
#include <string>

#include "base/json.h"

namespace culprit::mcp {
namespace {

using base::Json;

struct List {
  Json* values = nullptr;
  std::string pointer;
  size_t size = 0;  // in bytes
};

// The largest list with more than one element. The one around it is larger, so it is cut first.
void FindLargest(Json& value, const std::string& pointer, List& largest) {
  if (!value.is_structured()) return;
  if (value.is_array() && value.size() > 1) {
    if (const size_t size = Dump(value).size(); size > largest.size) largest = {&value, pointer, size};
    return;
  }
  for (auto item = value.begin(); item != value.end(); ++item) {
    const std::string key = value.is_array() ? "0" : item.key();
    FindLargest(*item, pointer + "/" + key, largest);
  }
}

}  // namespace

std::string Dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string Shortened(std::string text) {
  if (text.size() <= kMostText) return text;
  const size_t end = text.rfind('\n', kMostText);
  const size_t kept = end == std::string::npos ? kMostText : end + 1;
  const auto left = std::ranges::count(text.begin() + static_cast<std::ptrdiff_t>(kept), text.end(), '\n');
  text.resize(kept);
  return text + "[" + std::to_string(left) +
         " more lines were left out; ask about one target, library or file]\n";
}

bool ShortenLists(Json& answer) {
  while (Dump(answer).size() > kMostText) {
    List largest;
    FindLargest(answer, "", largest);
    if (largest.values == nullptr) return false;
    const size_t kept = largest.values->size() / 2, cut = largest.values->size() - kept;
    largest.values->erase(largest.values->begin() + static_cast<std::ptrdiff_t>(kept), largest.values->end());
    Json& left_out = answer["left_out"][largest.pointer];
    left_out = (left_out.is_number() ? left_out.get<size_t>() : 0) + cut;
  }
  return true;
}

}  // namespace culprit::mcp
