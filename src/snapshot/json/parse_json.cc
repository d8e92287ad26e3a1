// The library's own builder looks for each key among those that an object already has, which takes forever on
// an object with a million keys; so the tree is built here from the parser's events. Of a key that comes
// twice both are kept, and readers see the first.
#include "snapshot/json/parse_json.h"

#include <vector>

namespace culprit::snapshot {
namespace {

using base::Json;

class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  Json& root() { return root_; }
  const base::Error& error() const { return error_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool parse_error(size_t byte, const std::string&, const Json::exception& problem) override {
    const bool at_end = std::string_view(problem.what()).find("unexpected end of input") != std::string::npos;
    return Refuse(base::ErrorCode::kBadFormat,
                  at_end ? "JSON ends unexpectedly after byte " : "invalid JSON at byte ", byte);
  }

 private:
  bool Refuse(base::ErrorCode code, const char* what, size_t number) {
    error_ = {code, what + std::to_string(number)};
    return false;
  }

  bool Add(Json value) {
    if (++values_ > limits_.values) {
      return Refuse(base::ErrorCode::kTooLarge, "JSON with more values than ", limits_.values);
    }
    if (open_.empty()) {
      root_ = std::move(value);
      added_ = &root_;
    } else if (open_.back()->is_object()) {
      added_ =
          &open_.back()->get_ref<Json::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
    } else {
      open_.back()->push_back(std::move(value));
      added_ = &open_.back()->back();
    }
    return true;
  }

  bool Open(Json container) {
    if (open_.size() >= limits_.depth) {
      return Refuse(base::ErrorCode::kBadFormat, "JSON nested deeper than ", limits_.depth);
    }
    if (!Add(std::move(container))) return false;
    open_.push_back(added_);
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  Json root_;
  Json* added_ = nullptr;
  std::vector<Json*> open_;  // only the last one grows, so the others stay where they are
  std::string key_;
  size_t values_ = 0;
  base::Error error_{base::ErrorCode::kBadFormat, "not JSON"};
};

}  // namespace

base::Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return base::Fail(base::ErrorCode::kTooLarge,
                      "JSON of more than " + std::to_string(limits.bytes >> 20) + " MiB");
  }
  Builder builder(limits);
  if (!Json::sax_parse(text, &builder)) return std::unexpected(builder.error());
  return std::move(builder.root());
}

}  // namespace culprit::snapshot
