// Every field of every structure of the stack survives being written and read.
#include <gtest/gtest.h>

#include <type_traits>

#include "base/json.h"
#include "snapshot/json/fields.h"
#include "snapshot/json/stack_json.h"

namespace culprit::snapshot {
namespace {

// Gives each field a value other than its default, and counts the leaves.
class Filler {
 public:
  void operator()(const char* key, std::string& value) {
    value = std::string(key) + std::to_string(++leaves_);
  }
  void operator()(const char*, bool& value) { value = !value, ++leaves_; }
  void operator()(const char*, std::integral auto& value) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(++leaves_);
  }
  // The last one: the first is the default, which is left out.
  template <base::Worded T>
  void operator()(const char*, T& value) {
    value = static_cast<T>(WordsOf(value).size() - 1), ++leaves_;
  }
  template <OneText T>
  void operator()(const char* key, T& value) {
    value = T(key + std::string(" ") + std::to_string(++leaves_));
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& values) {
    (*this)(key, values.emplace_back());
    (*this)(key, values.emplace_back());
  }
  template <typename T>
  void operator()(const char* key, std::map<std::string, T>& values) {
    (*this)(key, values[key]);
  }
  template <typename T>
  void operator()(const char* key, Fact<T>& fact) {
    fact.state = FactState::kValue;
    (*this)(key, fact.value.emplace());
    (*this)(key, fact.source);
  }
  template <typename T>
    requires(std::is_class_v<T> && !OneText<T>)
  void operator()(const char*, T& value) {
    T::Fields(value, *this);
  }
  size_t leaves() const { return leaves_; }

 private:
  size_t leaves_ = 0;
};

Stack RoundTrip(const Stack& stack, std::string& error) {
  const base::Json json = ToJson(stack);
  Stack back;
  ReadStackJson(JsonReader(json, error), back);
  return back;
}

TEST(Stack, EveryFieldSurvivesJson) {
  Stack stack;
  Filler filler;
  Stack::Fields(stack, filler);
  ASSERT_GT(filler.leaves(), 150u);
  std::string error;
  EXPECT_EQ(RoundTrip(stack, error), stack);
  EXPECT_EQ(error, "");
}

TEST(Stack, EmptyStackIsAnEmptyObject) { EXPECT_EQ(ToJson(Stack{}).dump(), "{}"); }

TEST(Stack, AFactThatCouldNotBeHadKeepsItsReason) {
  Stack stack;
  stack.driver = Fact<Driver>::Unreadable("Permission denied", "/proc");
  stack.cudnn = {FactState::kTimedOut, std::nullopt, "no answer within 5 s", "/mnt/dead"};
  std::string error;
  EXPECT_EQ(RoundTrip(stack, error), stack);
}

TEST(Stack, ComplainsAboutWrongTypesWithThePlace) {
  const base::Json json = base::Json::parse(R"({"gpus": {"state": "value", "value": [{"name": 7}]}})");
  std::string error;
  Stack stack;
  ReadStackJson(JsonReader(json, error), stack);
  EXPECT_NE(error.find("gpus.value[0].name"), std::string::npos) << error;
}

std::string ErrorOf(const std::string& text) {
  const base::Json json = base::Json::parse(text);
  std::string error;
  Stack stack;
  ReadStackJson(JsonReader(json, error), stack);
  return error;
}

TEST(Stack, AnUnknownWordIsAnErrorAndNoDefault) {
  for (const auto& [field, word] : {std::pair{"name", "levitate"}, {"outcome", "fine"}}) {
    EXPECT_EQ(ErrorOf(std::string(R"({"probe": {"state": "value", "value": {"steps": [{")") + field +
                      R"(": ")" + word + R"("}]}}})"),
              std::string("probe.value.steps[0].") + field + ": unknown name \"" + word + "\"");
  }
  for (const char* field : {"compute_mode", "mig", "ecc"}) {
    EXPECT_EQ(ErrorOf(std::string(R"({"probe": {"state": "value", "value": {"devices": [{")") + field +
                      R"(": "maybe"}]}}})"),
              std::string("probe.value.devices[0].") + field + ": unknown name \"maybe\"");
  }
}

}  // namespace
}  // namespace culprit::snapshot
