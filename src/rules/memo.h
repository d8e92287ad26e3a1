// What rules compute from the files and the simulated loads alone, kept for the next host: `check` for forty
// hosts computes it once (engine/hosts.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace culprit::rules {

class Memo {
 public:
  // What `make` returns, made once for each key. It must not depend on the driver or the GPUs; one key has
  // one type.
  template <typename Make>
  const auto& Once(std::string_view key, Make make) {
    using Kept = std::remove_cvref_t<decltype(make())>;
    auto kept = kept_.find(key);
    if (kept == kept_.end()) kept = kept_.emplace(key, std::make_shared<const Kept>(make())).first;
    return *static_cast<const Kept*>(kept->second.get());
  }

 private:
  std::map<std::string, std::shared_ptr<const void>, std::less<>> kept_;
};

}  // namespace culprit::rules
