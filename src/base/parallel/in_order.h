// Sorting that keeps the order of equals. std::stable_sort of libstdc++ 12 uses what C++20 removed, and
// clang says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace culprit::base {

template <typename T, typename Less>
void SortInOrder(std::vector<T>& items, Less less) {
  std::vector<std::pair<size_t, T>> numbered;
  numbered.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) numbered.emplace_back(i, std::move(items[i]));
  std::sort(numbered.begin(), numbered.end(), [&](const auto& a, const auto& b) {
    if (less(a.second, b.second)) return true;
    return !less(b.second, a.second) && a.first < b.first;
  });
  for (size_t i = 0; i < items.size(); ++i) items[i] = std::move(numbered[i].second);
}

}  // namespace culprit::base
