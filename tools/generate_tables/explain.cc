// A [[symptom]] has patterns, which show it, and conditions, each of which says something about several
// causes. The program wants flat rows: a signature for every pattern, a story for every cause of a condition.
// Causes and advice are named in one file and used in another, so they are read from all files first.
#include "explain.h"

#include "rows.h"
#include "schema_parts.h"

namespace generate {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

enum : size_t { kCauses, kAdvice, kSignatures, kStories };
const std::string kNone = "none";  // no advice

// Words that stand for themselves.
Words Names(std::initializer_list<std::string_view> names) {
  Words words;
  for (const std::string_view name : names) words.emplace_back(name, Literal(name));
  return words;
}

Table CauseRows() {
  return {.key = "cause",
          .type = "Cause",
          .function = "Causes",
          .fields = {{"slug", Form::kText, kRequired},
                     {"title", Form::kText, kRequired},
                     {"check", Form::kText, kRequired},
                     {"fix", Form::kText, kRequired},
                     {"avoid"},
                     {"code"},
                     {"windows_check"},
                     {"windows_fix"},
                     {"on_linux", Form::kFlag}},
          .unique = {"slug"},
          .kept = true};
}

Table AdviceRows() {
  return {.key = "advice",
          .type = "Advice",
          .function = "Advices",
          .fields = {{"name", Form::kText, kRequired},
                     {"says"},
                     {"because"},
                     {"check"},
                     {"fix"},
                     {"commands", Form::kTexts},
                     {"avoid"},
                     {"code"},
                     {"on_linux", Form::kFlag}},
          .unique = {"name"},
          .packed = true};
}

Table SignatureRows() {
  return {.key = "pattern",
          .type = "Signature",
          .function = "Signatures",
          .fields = {{"id", Form::kText, kRequired},
                     {"symptom", Form::kText, kRequired},
                     {"subject", Form::kWord, kRequired,
                      Names({"library", "cudnn", "driver", "kernel-module", "gpu", "toolkit", "host-compiler",
                             "build", "container", "framework", "package", "network", "host", "program"})},
                     {"role",
                      Form::kWord,
                      false,
                      {{"failure", "Role::kFailure"},
                       {"consequence", "Role::kConsequence"},
                       {"hint", "Role::kHint"},
                       {"context", "Role::kContext"},
                       {"harmless", "Role::kHarmless"}}},
                     {"lacks",
                      Form::kWord,
                      false,
                      {{"nothing", "Lacks::kNothing"},
                       {"link-name", "Lacks::kLinkName"},
                       {"header", "Lacks::kHeader"},
                       {"nvcc", "Lacks::kNvcc"},
                       {"architecture", "Lacks::kArchitecture"},
                       {"host-compiler", "Lacks::kHostCompiler"}}},
                     {.name = "match", .form = Form::kPattern, .required = kRequired, .member = "pattern"},
                     {"any", Form::kAnchors},
                     {"lines", Form::kNumber},
                     {"set", Form::kPairs},
                     kNote,
                     {"example"},
                     DataOnly({"examples", Form::kTexts, kRequired}),
                     DataOnly({"silent", Form::kTexts})},
          .unique = {"id"},
          .packed = true};
}

Table StoryRows(Words causes, Words advice) {
  return {.key = "when",
          .type = "Story",
          .function = "Stories",
          .fields = {{"cause", Form::kWord, kRequired, std::move(causes)},
                     {"symptom", Form::kText, kRequired},
                     {"where", Form::kPairs},
                     {"with", Form::kTexts},
                     {"weight", Form::kWeight, kRequired},
                     {.name = "advice", .form = Form::kWord, .words = std::move(advice), .row_of = "advice"},
                     DataOnly({"example"})},
          .packed = true};
}

class Explainer {
 public:
  explicit Explainer(Errors& errors)
      : subject_{.name = "explain",
                 .header = "messages/causes.h",
                 .tables = {CauseRows(), AdviceRows(), SignatureRows(), {}}},
        writer_(subject_, errors),
        errors_(errors) {}

  void ReadNames(Reader& root) {
    for (const toml::table* row : root.Tables("cause", false)) {
      const std::string slug = Add(kCauses, *row, "slug");
      causes_.emplace_back(slug, Literal(slug));
    }
    for (const toml::table* row : root.Tables("advice", false)) {
      const std::string at = std::to_string(advice_.size() - 1);
      const std::string name = Add(kAdvice, *row, "name");
      advice_.emplace_back(name, "&" + writer_.NameOf(kAdvice) + "[" + at + "]");
      unused_.emplace(name, std::pair(errors_.file(), LineOf(*row)));
    }
  }

  void NamesAreComplete() { subject_.tables[kStories] = StoryRows(causes_, advice_); }

  void ReadSymptoms(Reader& root) {
    for (const toml::table* row : root.Tables("symptom", false)) {
      Reader symptom(*row, errors_);
      const std::string name = symptom.Text("name", true);
      const auto [first, fresh] = symptoms_.emplace(name, errors_.Place(LineOf(*row)));
      if (!fresh) errors_.Add(LineOf(*row), "the symptom " + Quote(name) + " is already in " + first->second);
      for (const toml::table* pattern : symptom.Tables("pattern", true)) AddPattern(symptom, *pattern);
      for (const toml::table* when : symptom.Tables("when", false)) AddWhen(symptom, *when);
      symptom.Finish();
    }
  }

  std::string Finish() {
    for (const auto& [name, at] : unused_) {
      errors_.Enter(at.first);
      errors_.Add(at.second, "nothing uses the advice " + Quote(name));
    }
    return writer_.Text();
  }

 private:
  std::string Add(size_t table, const toml::table& row, std::string_view key) {
    Reader reader(row, errors_);
    writer_.Add(table, reader);
    reader.Finish();
    return reader.Text(key, false);
  }

  void AddPattern(Reader& symptom, const toml::table& row) {
    Reader pattern(row, errors_);
    pattern.Give("symptom", symptom.Text("name", true));
    pattern.Give("subject", symptom.Text("subject", true));
    const std::string role = symptom.Text("role", false);
    if (!role.empty() && !pattern.Has("role")) pattern.Give("role", role);
    const std::string lacks = symptom.Text("lacks", false);
    if (!lacks.empty()) pattern.Give("lacks", lacks);
    // The first is enough for a reader, and for a search by words; the tests take them all.
    const Texts examples = pattern.List("examples", false);
    if (symptom.Has("when") && !examples.empty()) pattern.Give("example", examples.front());
    writer_.Add(kSignatures, pattern);
    pattern.Finish();
  }

  void AddWhen(Reader& symptom, const toml::table& row) {
    static const toml::table kNothing;
    Reader when(row, errors_);
    const toml::table* causes = when.Table("causes", true);
    const toml::table* advice = when.Table("advice", false);
    if (causes == nullptr) return;
    Reader weights(*causes, errors_), names(advice == nullptr ? kNothing : *advice, errors_);
    when.Give("symptom", symptom.Text("name", true));
    for (auto&& [cause, weight] : *causes) {
      const std::string name = names.Text(cause.str(), false);
      unused_.erase(name);
      when.Give("cause", std::string(cause.str()));
      when.Give("weight", weights.Number(cause.str(), true).value_or(0));
      when.Give("advice", name.empty() ? kNone : name);
      writer_.Add(kStories, when);
    }
    names.Finish();
    when.Finish();
  }

  Subject subject_;
  RowWriter writer_;
  Errors& errors_;
  Words causes_ = {{kNone, ""}}, advice_ = {{kNone, "nullptr"}};
  std::map<std::string, std::string> symptoms_;                // -> place
  std::map<std::string, std::pair<std::string, int>> unused_;  // advice -> file and line
};

}  // namespace

std::string Explain(const std::vector<Input>& inputs, Errors& errors) {
  Explainer explainer(errors);
  std::vector<Reader> roots;
  for (const Input& input : inputs) {
    errors.Enter(input.file);
    explainer.ReadNames(roots.emplace_back(input.root, errors));
  }
  explainer.NamesAreComplete();
  for (size_t i = 0; i < inputs.size(); ++i) {
    errors.Enter(inputs[i].file);
    explainer.ReadSymptoms(roots[i]);
    roots[i].Finish();
  }
  return explainer.Finish();
}

}  // namespace generate
