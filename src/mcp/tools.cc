// No argument can become an option that its tool does not have (-o writes files, --apply changes them):
// values are passed as --option=value, and everything else comes after "--".
#include "mcp/tools.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/json.h"

namespace culprit::mcp {
namespace {

using base::Json;

// How an argument is written on the command line.
enum class Form {
  kOption,   // --name=VALUE
  kFlag,     // --name, if true
  kApply,    // the same, where it is allowed
  kWords,    // after "--": a text, or a list of them
  kCommand,  // after "--": a list of texts. Nobody splits a command line here: shells differ in it
  kCode,     // after "--", and never the name of a file
  kPairs,    // after "--", key=value: an object, or a list of texts
  kInput,    // the text itself
};

struct Argument {
  std::string_view name;
  Form form;
  std::string_view option;  // where it differs from the name
  std::string_view help;
  bool required = false;
};

enum class Permit { kReads, kAppliesIfAllowed, kOnlyIfRunAllowed };

struct Tool {
  std::string_view name, title, help;
  std::span<const Argument> arguments;
  Permit permit = Permit::kReads;
};

constexpr Argument kHost = {"host", Form::kOption, "",
                            "Assume this driver and GPU instead of the machine's: driver=535.183.01,gpu=L4"};
constexpr Argument kRoot = {"root", Form::kOption, "", "Root of another system, such as an unpacked image"};

constexpr std::array kCheck = {
    Argument{
        "target", Form::kWords, "",
        "Program, library, Python environment, build folder, wheel or snapshot; without it, the machine"},
    kHost,
    kRoot,
    Argument{"python", Form::kOption, "", "Interpreter whose environment is checked"},
    Argument{"pid", Form::kOption, "", "A running process to check instead"},
};
constexpr std::array kExplain = {
    Argument{"text", Form::kInput, "",
             "The log or error message, unchanged; include the lines around the error"},
    Argument{"code", Form::kCode, "",
             "Instead of text: a code such as CUL3004, or a cause, to show its page"},
    Argument{"here", Form::kFlag, "", "Use facts from this machine to narrow the causes down"},
    kHost,
};
constexpr std::array kWhy = {
    Argument{"library", Form::kWords, "",
             "Name of the library, such as libcudnn.so.9; without it, everything that `for` loads"},
    Argument{"for", Form::kOption, "",
             "Program or library that loads it; without it, Python and what it finds"},
    kRoot,
};
constexpr std::array kInspect = {
    Argument{"file", Form::kWords, "", "Files to inspect", true},
    kRoot,
};
constexpr std::array kPlan = {
    Argument{"want", Form::kWords, "", "What to install, such as torch, torch==2.6.* or jax[cuda12]"},
    Argument{"requirements", Form::kOption, "requirement",
             "Instead of packages, or in addition: a requirements.txt, pyproject.toml, uv.lock or "
             "environment.yml"},
    kHost,
    Argument{"python", Form::kOption, "", "Python version, such as 3.11"},
    Argument{"cuda", Form::kOption, "", "Requested CUDA version, such as 12.4"},
    Argument{"platform", Form::kOption, "", "linux-x86_64, linux-aarch64 or windows-x86_64"},
};
constexpr std::array kCompat = {
    Argument{"versions", Form::kPairs, "",
             "Versions that should work together: {\"cuda\": \"12.4\", \"driver\": \"535.183.01\"}; keys: "
             "cuda, driver, "
             "gpu, cudnn, gcc, clang, msvc, python, torch and other packages. A single key lists what works "
             "with it",
             true},
};
constexpr std::array kFix = {
    Argument{"target", Form::kWords, "", "Same as for check"},
    kHost,
    kRoot,
    Argument{"apply", Form::kApply, "",
             "Change the machine. Only if the server was started with --allow-apply"},
};
constexpr std::array kRun = {
    Argument{"command", Form::kCommand, "",
             "Program and its arguments, one string each: [\"python\", \"train.py\"]; for shell syntax "
             "[\"sh\", \"-c\", \"...\"]",
             true},
};

constexpr std::array kTools = {
    Tool{"check", "Find what is wrong",
         "Finds what is wrong with the CUDA/cuDNN stack of this machine, a program, a Python environment, a "
         "wheel or a root file system: the file, the version, the reason, and a verified fix. Reads only; "
         "runs nothing that it finds.",
         kCheck},
    Tool{"explain", "Explain an error",
         "Names the cause of a CUDA, cuDNN, driver or framework error from a log or an error message, with "
         "the lines that show it, how to tell causes apart, and the fix. Use it first if there is an error "
         "message.",
         kExplain},
    Tool{"why", "Which file is loaded",
         "Shows which file the loader loads for a library name, every place searched in order, and the other "
         "copies; or everything that a program loads and what is missing.",
         kWhy},
    Tool{"inspect", "Inspect a binary",
         "Shows what a library or program contains and needs: dependencies, search paths, version, and the "
         "GPUs it has code for.",
         kInspect},
    Tool{"plan", "Find versions that work together",
         "Finds versions of packages (torch, tensorflow, jax, cudnn, flash-attn and many more) that work "
         "together with a driver, a GPU and a Python, and gives the commands that install them; or says what "
         "conflicts.",
         kPlan},
    Tool{"compat", "Check versions against each other",
         "Tells whether versions of CUDA, driver, GPU, cuDNN, compilers, Python and frameworks work "
         "together: yes, no or unknown, with the source.",
         kCompat},
    Tool{"fix", "Show the fix",
         "Shows a verified fix for each thing that check finds, as changes and commands. Applies nothing "
         "unless the server was started with --allow-apply.",
         kFix, Permit::kAppliesIfAllowed},
    Tool{"run", "Run and explain",
         "Runs a command, watches what it loads and why it fails, and explains it. The command runs with all "
         "rights of the user.",
         kRun, Permit::kOnlyIfRunAllowed},
};

constexpr std::array<std::string_view, 2> kFormats = {"text", "json"};

bool Offered(const Tool& tool, const Allowed& allowed) {
  return tool.permit != Permit::kOnlyIfRunAllowed || allowed.run;
}

const Tool* Find(std::string_view name, const Allowed& allowed) {
  const auto found = std::ranges::find_if(
      kTools, [&](const Tool& tool) { return tool.name == name && Offered(tool, allowed); });
  return found == kTools.end() ? nullptr : &*found;
}

Json Schema(Form form) {
  const Json text = {{"type", "string"}};
  const Json list = {{"type", "array"}, {"items", text}};
  switch (form) {
    case Form::kOption:
    case Form::kInput:
    case Form::kCode:
      return text;
    case Form::kCommand:
      return list;
    case Form::kFlag:
    case Form::kApply:
      return {{"type", "boolean"}};
    case Form::kWords:
      return {{"anyOf", {text, list}}};
    case Form::kPairs:
      return {{"anyOf", {{{"type", "object"}, {"additionalProperties", text}}, list}}};
  }
  return text;
}

Json Describe(const Tool& tool, const Allowed& allowed) {
  Json properties = Json::object(), required = Json::array();
  for (const Argument& argument : tool.arguments) {
    if (argument.form == Form::kApply && !allowed.apply) continue;
    Json schema = Schema(argument.form);
    schema["description"] = argument.help;
    properties[std::string(argument.name)] = std::move(schema);
    if (argument.required) required.push_back(argument.name);
  }
  if (tool.permit != Permit::kOnlyIfRunAllowed)
    properties["format"] = {{"type", "string"},
                            {"enum", kFormats},
                            {"description", "text (short, the default) or json (documented fields)"}};
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  const bool reads =
      tool.permit == Permit::kReads || (tool.permit == Permit::kAppliesIfAllowed && !allowed.apply);
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.help},
          {"inputSchema", std::move(schema)},
          {"annotations", {{"readOnlyHint", reads}, {"destructiveHint", !reads}, {"openWorldHint", !reads}}}};
}

std::unexpected<base::Error> Mistake(std::string what) {
  return base::Fail(base::ErrorCode::kBadFormat, std::move(what));
}

base::Result<std::string> InputOf(const Json& value, std::string_view name) {
  if (!value.is_string() && !value.is_number()) return Mistake(std::string(name) + " must be a string");
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Texts with a NUL cannot be arguments of a program.
base::Result<std::string> TextOf(const Json& value, std::string_view name) {
  auto text = InputOf(value, name);
  if (text && text->find('\0') != std::string::npos)
    return Mistake(std::string(name) + " contains a NUL byte");
  return text;
}

base::Result<std::vector<std::string>> WordsOf(const Argument& argument, const Json& value) {
  std::vector<std::string> words;
  const bool pairs = argument.form == Form::kPairs;
  if (argument.form == Form::kCommand && !value.is_array())
    return Mistake(std::string(argument.name) + " must be a list: [\"python\", \"train.py\"]");
  if (argument.form == Form::kCode && value.is_array())
    return Mistake(std::string(argument.name) + " must be a string");
  if (!value.is_array() && !(pairs && value.is_object())) {
    auto text = TextOf(value, argument.name);
    if (!text) return std::unexpected(text.error());
    return std::vector{*std::move(text)};
  }
  for (const auto& [key, item] : value.items()) {
    auto text = TextOf(item, argument.name);
    if (!text) return std::unexpected(text.error());
    words.push_back(value.is_object() ? key + "=" + *text : *text);
  }
  return words;
}

// Adds one argument to the call; words are kept apart, they come last.
base::Result<void> Take(const Argument& argument, const Json& value, Call& call,
                        std::vector<std::string>& words) {
  const std::string option = "--" + std::string(argument.option.empty() ? argument.name : argument.option);
  switch (argument.form) {
    case Form::kFlag:
    case Form::kApply:
      if (!value.is_boolean()) return Mistake(std::string(argument.name) + " must be true or false");
      if (!value.get<bool>()) return {};
      call.arguments.push_back(option);
      if (argument.form == Form::kApply) call.arguments.emplace_back("--yes");
      return {};
    case Form::kOption:
    case Form::kInput: {
      const bool input = argument.form == Form::kInput;
      auto text = input ? InputOf(value, argument.name) : TextOf(value, argument.name);
      if (!text) return std::unexpected(text.error());
      if (input) {
        call.input = *std::move(text);
      } else {
        call.arguments.push_back(option + "=" + *text);
      }
      return {};
    }
    case Form::kCode:
      call.arguments.emplace_back("--text");
      [[fallthrough]];
    case Form::kWords:
    case Form::kCommand:
    case Form::kPairs: {
      auto some = WordsOf(argument, value);
      if (!some) return std::unexpected(some.error());
      words.insert(words.end(), some->begin(), some->end());
      return {};
    }
  }
  return {};
}

base::Result<bool> WantsJson(const Json& arguments) {
  const auto format = arguments.find("format");
  if (format == arguments.end() || *format == "text") return false;
  if (*format == "json") return true;
  return Mistake("format must be text or json");
}

// Checks that the schema cannot express.
base::Result<void> CheckWhole(const Tool& tool, const Call& call, const std::vector<std::string>& words) {
  if (tool.name == "explain" && call.input.empty() == words.empty())
    return Mistake("explain needs either text or code");
  return {};
}

}  // namespace

Json DescribeTools(const Allowed& allowed) {
  Json list = Json::array();
  for (const Tool& tool : kTools) {
    if (Offered(tool, allowed)) list.push_back(Describe(tool, allowed));
  }
  return list;
}

bool IsTool(std::string_view name, const Allowed& allowed) { return Find(name, allowed) != nullptr; }

base::Result<Call> CallOf(std::string_view name, const Json& arguments, const Allowed& allowed) {
  const Tool* tool = Find(name, allowed);
  if (tool == nullptr) return Mistake("no such tool");
  if (!arguments.is_object()) return Mistake("the arguments must be an object");
  Call call{.arguments = {std::string(tool->name)}};
  const auto json = WantsJson(arguments);
  if (!json) return std::unexpected(json.error());
  call.json = *json && tool->permit != Permit::kOnlyIfRunAllowed;
  call.reports_on_error = tool->permit == Permit::kOnlyIfRunAllowed;
  call.arguments.push_back(call.json ? "--format=json" : "--format=text");
  std::vector<std::string> words;
  for (const auto& [key, value] : arguments.items()) {
    if (key == "format" || value.is_null()) continue;
    const auto argument = std::ranges::find(tool->arguments, std::string_view(key), &Argument::name);
    if (argument == tool->arguments.end()) return Mistake(std::string(name) + " has no argument " + key);
    if (argument->form == Form::kApply && !allowed.apply && value != false)
      return Mistake("this server only shows fixes: it was started without --allow-apply");
    if (auto taken = Take(*argument, value, call, words); !taken) return std::unexpected(taken.error());
  }
  for (const Argument& argument : tool->arguments) {
    if (argument.required && words.empty())
      return Mistake(std::string(name) + " needs " + std::string(argument.name));
  }
  if (auto whole = CheckWhole(*tool, call, words); !whole) return std::unexpected(whole.error());
  call.arguments.emplace_back("--");
  call.arguments.insert(call.arguments.end(), words.begin(), words.end());
  return call;
}

}  // namespace culprit::mcp
