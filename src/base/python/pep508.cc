#include "base/python/pep508.h"

#include <cctype>

#include "base/python/pep440.h"
#include "base/text.h"

namespace culprit::base {
namespace {

using Truth = std::optional<bool>;

Truth And(Truth a, Truth b) {
  if (a == false || b == false) return false;
  return a && b ? Truth(true) : std::nullopt;
}

Truth Or(Truth a, Truth b) {
  if (a == true || b == true) return true;
  return a && b ? Truth(false) : std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const MarkerFacts& facts) : rest_(Trim(text)), facts_(facts) {}

  Truth Whole() {
    const Truth truth = Alternatives(0);
    return bad_ || !rest_.empty() ? std::nullopt : truth;
  }

 private:
  static constexpr int kDeepest = 32;

  void Skip() { rest_ = Trim(rest_); }

  bool TakeWord(std::string_view word) {
    Skip();
    if (!rest_.starts_with(word)) return false;
    const std::string_view after = rest_.substr(word.size());
    if (!after.empty() && (std::isalnum(static_cast<unsigned char>(after[0])) != 0 || after[0] == '_'))
      return false;
    rest_ = after;
    return true;
  }

  Truth Alternatives(int depth) {
    Truth truth = Conjunction(depth);
    while (!bad_ && TakeWord("or")) truth = Or(truth, Conjunction(depth));
    return truth;
  }

  Truth Conjunction(int depth) {
    Truth truth = Atom(depth);
    while (!bad_ && TakeWord("and")) truth = And(truth, Atom(depth));
    return truth;
  }

  Truth Atom(int depth) {
    Skip();
    if (depth > kDeepest || rest_.empty()) return Bad();
    if (rest_.front() != '(') return Comparison();
    rest_.remove_prefix(1);
    const Truth truth = Alternatives(depth + 1);
    Skip();
    if (!rest_.starts_with(')')) return Bad();
    rest_.remove_prefix(1);
    return truth;
  }

  struct Operand {
    std::string variable;  // "" for a literal
    std::string value;
    bool known = true;
  };

  Operand TakeOperand() {
    Skip();
    if (rest_.empty()) return Bad(), Operand{};
    if (rest_.front() == '\'' || rest_.front() == '"') {
      const size_t end = rest_.find(rest_.front(), 1);
      if (end == std::string_view::npos) return Bad(), Operand{};
      Operand literal{.variable = "", .value = std::string(rest_.substr(1, end - 1))};
      rest_.remove_prefix(end + 1);
      return literal;
    }
    size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 ||
                                  rest_[end] == '_' || rest_[end] == '.')) {
      ++end;
    }
    Operand operand{.variable = std::string(rest_.substr(0, end)), .value = ""};
    if (end == 0) Bad();
    rest_.remove_prefix(end);
    if (operand.variable == "platform_system")
      operand.value = facts_.windows ? "Windows" : "Linux";
    else if (operand.variable == "sys_platform")
      operand.value = facts_.windows ? "win32" : "linux";
    else if (operand.variable == "os_name")
      operand.value = facts_.windows ? "nt" : "posix";
    else if (operand.variable == "implementation_name")
      operand.value = "cpython";
    else if (operand.variable == "platform_python_implementation")
      operand.value = "CPython";
    else if (operand.variable == "platform_machine")
      operand.value = Machine();
    else if (operand.variable == "python_version" || operand.variable == "python_full_version")
      operand.value = facts_.python;
    operand.known = !operand.value.empty();
    return operand;
  }

  // platform.machine() of Python.
  std::string Machine() const {
    if (!facts_.windows) return facts_.cpu;
    return facts_.cpu == "x86_64" ? "AMD64" : facts_.cpu == "aarch64" ? "ARM64" : "";
  }

  std::string TakeOperator() {
    Skip();
    for (const std::string_view op : {"===", "==", "!=", "<=", ">=", "~=", "<", ">"}) {
      if (!rest_.starts_with(op)) continue;
      rest_.remove_prefix(op.size());
      return std::string(op);
    }
    if (TakeWord("in")) return "in";
    if (TakeWord("not") && TakeWord("in")) return "not in";
    Bad();
    return "";
  }

  Truth Comparison() {
    Operand left = TakeOperand();
    const std::string op = TakeOperator();
    Operand right = TakeOperand();
    if (bad_) return std::nullopt;
    if (left.variable == "extra" || right.variable == "extra") {
      const std::string& wanted = left.variable == "extra" ? right.value : left.value;
      if (op != "==" && op != "!=") return std::nullopt;
      return facts_.extras.contains(wanted) == (op == "==");
    }
    if (!left.known || !right.known) return std::nullopt;
    if (op == "in" || op == "not in") {
      return (right.value.find(left.value) != std::string::npos) == (op == "in");
    }
    if (left.variable == "python_version") return Meets(left.value, op + right.value);
    if (left.variable == "python_full_version") {
      // Which patch release it is is not known: "3.12.4" cannot be decided, "3.12" can.
      if (Split(right.value, '.').size() > 2 && !right.value.ends_with(".*")) return std::nullopt;
      return Meets(left.value, op + right.value);
    }
    if (op == "==") return left.value == right.value;
    if (op == "!=") return left.value != right.value;
    return std::nullopt;
  }

  Truth Bad() {
    bad_ = true;
    return std::nullopt;
  }

  std::string_view rest_;
  const MarkerFacts& facts_;
  bool bad_ = false;
};

}  // namespace

std::optional<bool> Holds(std::string_view marker, const MarkerFacts& facts) {
  if (Trim(marker).empty()) return true;
  return Parser(marker, facts).Whole();
}

}  // namespace culprit::base
