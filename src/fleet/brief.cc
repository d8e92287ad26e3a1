#include "fleet/brief.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/product_version.h"
#include "base/text.h"
#include "collect/record.h"
#include "snapshot/json/fields.h"
#include "snapshot/secrets/hide.h"

namespace culprit::snapshot {

template <>
struct FieldsOf<report::NodeFact> {
  template <typename Self, typename Visit>
  static void List(Self& self, Visit& visit) {
    visit("what", self.what);
    visit("value", self.value);
  }
};

}  // namespace culprit::snapshot

namespace culprit::fleet {
namespace {

using report::NodeFact;
using report::StackKind;
using report::StackRow;

constexpr size_t kLongestValue = 2000;

std::string Joined(const std::string& value, const std::string& more, const char* before, const char* after) {
  return more.empty() ? value : value + before + more + after;
}

// Collects facts; the first that has a name keeps it, the others are numbered.
class Facts {
 public:
  void Add(const std::string& what, const std::string& value) {
    if (value.empty()) return;
    std::string name = what;
    for (size_t i = 2; facts_.contains(name); ++i) name = what + " (" + std::to_string(i) + ")";
    facts_[name] = value.substr(0, kLongestValue);
  }

  // Rows below an environment are its frameworks, and below one of those the libraries that it loads.
  void AddStack(const std::vector<StackRow>& rows) {
    std::string environment, framework;
    for (const StackRow& row : rows) {
      const std::string value = Joined(row.value, row.detail, ", ", "");
      switch (row.kind) {
        case StackKind::kDriver:
          Add(std::string(report::kDriverFact), row.value);
          Add("driver: libcuda", row.where);
          break;
        case StackKind::kGpu:  // on which bus it is may differ
        case StackKind::kOther:
          Add(row.what, value);
          break;
        case StackKind::kToolkit:
        case StackKind::kCudnn:
        case StackKind::kBuild:
          Add(Joined(row.what, row.where, " ", ""), value);
          break;
        case StackKind::kPython:
          environment = row.where;
          Add(Joined(row.what, row.where, " ", ""), value);
          break;
        case StackKind::kFramework:
          framework = row.what + " in " + environment;
          Add(framework, value);
          break;
        case StackKind::kLibrary:
          Add(Joined("", framework, "", ": ") + row.what, Joined(row.value, row.where, " (", ")"));
          break;
      }
    }
  }

  std::vector<NodeFact> Take() {
    std::vector<NodeFact> list;
    for (auto& [what, value] : facts_) list.push_back({what, std::move(value)});
    return list;
  }

 private:
  std::map<std::string, std::string> facts_;
};

void AddPackages(const snapshot::Snapshot& snapshot, Facts& facts) {
  if (!snapshot.stack.environments) return;
  for (const snapshot::PythonEnvironment& environment : *snapshot.stack.environments) {
    for (const snapshot::PythonPackage& package : environment.packages)
      facts.Add(std::string(report::kPackageFacts) + package.name + " in " + environment.prefix,
                package.version);
  }
}

void AddSystem(const snapshot::Snapshot& snapshot, Facts& facts) {
  facts.Add("CPU", snapshot.cpu.machine);
  if (!snapshot.stack.context) return;
  const snapshot::Context& context = *snapshot.stack.context;
  facts.Add(std::string(report::kSystemFact), context.distribution);
  facts.Add("kernel", context.kernel);
  facts.Add("container", context.container);
  facts.Add("virtual machine", context.virtual_machine);
  facts.Add("secure boot", context.secure_boot);
  facts.Add("Jetson", context.jetson);
}

// Sub-libraries that differ from the rest of their cuDNN, such as a file that an update left behind or
// truncated: maybe no program on the node uses it yet, so it is not a finding, but other nodes do not have
// it.
void AddOddParts(const snapshot::Snapshot& snapshot, Facts& facts) {
  if (!snapshot.stack.cudnn) return;
  for (const snapshot::CudnnCopy& copy : *snapshot.stack.cudnn) {
    const std::string of = std::string(report::kPartFacts) + copy.directory;
    for (const snapshot::CudnnPart& part : copy.parts) {
      if (part.problem) {
        facts.Add(part.name + of, part.problem.text());
      } else if (part.version != copy.version) {
        facts.Add(part.name + of, part.version);
      }
    }
    for (const std::string& part : copy.missing_parts) facts.Add(part + of, "missing");
  }
}

// Removes the last facts until it fits: packages come after everything more important.
void Fit(Brief& brief) {
  const auto of_packages = [](const NodeFact& fact) { return fact.what.starts_with(report::kPackageFacts); };
  for (size_t size = ToLine(brief).size(); size > kMostBytes; size = ToLine(brief).size()) {
    const size_t over = size - kMostBytes;
    auto& facts = brief.facts;
    size_t gone = 0;
    for (size_t i = facts.size(); i > 0 && gone < over + 64; --i) {
      const bool packages = std::ranges::any_of(facts, of_packages);
      if (packages && !of_packages(facts[i - 1])) continue;
      gone += facts[i - 1].what.size() + facts[i - 1].value.size() + sizeof(R"({"what":"","value":""},)");
      facts.erase(facts.begin() + static_cast<std::ptrdiff_t>(i - 1));
      ++brief.left_out;
    }
    if (gone == 0) {
      if (brief.findings.empty()) return;
      brief.left_out += brief.findings.size() - brief.findings.size() / 2;
      brief.findings.resize(brief.findings.size() / 2);
    }
  }
}

}  // namespace

Brief MakeBrief(const snapshot::Snapshot& snapshot, const report::CheckReport& report, const Hide& hide,
                std::string node, std::string taken) {
  Facts facts;
  AddSystem(snapshot, facts);
  facts.AddStack(report.stack);
  AddOddParts(snapshot, facts);
  for (const auto& [name, value] : collect::RelevantEnvironment(snapshot.environment)) {
    if (!name.starts_with("SLURM"))  // each node has its own
      facts.Add("variable " + name, snapshot::HideVariable(name, value));
  }
  AddPackages(snapshot, facts);
  Brief brief{.node = std::move(node),
              .taken = std::move(taken),
              .error = "",
              .version = std::string(base::ProductVersion()),
              .verdict = report.verdict,
              .facts = facts.Take()};
  for (NodeFact& fact : brief.facts) fact = {hide(fact.what), hide(fact.value)};
  std::ranges::sort(brief.facts);  // what is left out is the end of the list
  for (const report::Finding& finding : report.findings)
    brief.findings.push_back(
        {finding.code, finding.cause, finding.severity, hide(finding.summary), hide(finding.subject)});
  Fit(brief);
  return brief;
}

std::string ToLine(const Brief& brief) {
  base::Json json = {{"schema", kSchema}};
  json.update(snapshot::FieldsToJson(brief));
  return json.dump(-1, ' ', false, base::Json::error_handler_t::replace);
}

base::Result<Brief> ReadBrief(std::string_view text) {
  if (text.size() > kMostBytes)
    return base::Fail(base::ErrorCode::kBadFormat, "too large for a brief snapshot");
  const base::Json json = base::ParseJson(text);
  if (!json.is_object()) return base::Fail(base::ErrorCode::kBadFormat, "not JSON");
  std::string wrong, schema;
  const snapshot::JsonReader reader(json, wrong);
  reader.Require("schema");
  reader.Field("schema", schema);
  if (wrong.empty() && schema != kSchema)
    return base::Fail(base::ErrorCode::kBadFormat, "its \"schema\" is not " + std::string(kSchema));
  reader.Require("node");
  Brief brief;
  snapshot::ReadFields(reader, brief);
  if (!wrong.empty()) return base::Fail(base::ErrorCode::kBadFormat, wrong);
  if (brief.node.empty()) return base::Fail(base::ErrorCode::kBadFormat, "it has no node name");
  std::ranges::sort(brief.facts);
  return brief;
}

}  // namespace culprit::fleet
