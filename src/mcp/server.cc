#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "base/text.h"
#include "mcp/mended.h"
#include "mcp/shorten.h"

namespace culprit::mcp {
namespace {

using base::Json;

// JSON-RPC's numbers.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kNoSuchMethod = -32601,
              kInvalidParameters = -32602;
constexpr int kNoSuchResource = -32002;

// Protocol versions in which everything here has the same meaning, newest last.
constexpr std::array<std::string_view, 4> kEditions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                       "2025-11-25"};
constexpr std::string_view kPagePrefix = "culprit://rules/";

constexpr std::string_view kInstructions =
    "culprit finds what is wrong with a CUDA/cuDNN stack, proves it and gives the fix. For an error message, "
    "call explain with the whole text; for a machine, program or environment, call check; then why (which "
    "file is loaded), plan (versions that work together) or fix. \"Could not tell\" does not mean \"fine\". "
    "Show the evidence to the user.";

std::string MeaningOf(int exit_status) {
  switch (exit_status) {
    case 0:
      return "nothing wrong";
    case 1:
      return "a problem was found, or the answer is no";
    case 2:
      return "could not check, or could not tell";
    case 64:
      return "wrong usage";
    default:
      return "ended unexpectedly";
  }
}

Json TextResult(const std::string& text, bool is_error, int exit_status) {
  return {{"content", {{{"type", "text"}, {"text", text}}}},
          {"structuredContent", {{"exit_status", exit_status}, {"meaning", MeaningOf(exit_status)}}},
          {"isError", is_error}};
}

// A snapshot contains all facts of a machine; the findings quote what matters.
Json JsonResult(const Ran& ran) {
  Json answer = base::ParseJson(ran.output);
  if (!answer.is_object()) return TextResult(Shortened(ran.output + ran.error), true, ran.exit_status);
  answer.erase("snapshot");
  if (!ShortenLists(answer))
    return TextResult(
        "the answer is too long as JSON; ask for format text, or for one target, library or file\n", true,
        ran.exit_status);
  Json result = TextResult(Dump(answer), false, ran.exit_status);
  result["structuredContent"]["answer"] = std::move(answer);
  return result;
}

Json ToolResult(const Call& call, const Ran& ran) {
  if (ran.no_answer) return TextResult(Shortened(ran.output + ran.error), true, ran.exit_status);
  if (call.json && !ran.output.empty()) return JsonResult(ran);
  const bool nothing = ran.output.empty();
  std::string text = call.reports_on_error ? ran.output + ran.error : nothing ? ran.error : ran.output;
  if (text.empty()) text = MeaningOf(ran.exit_status) + "\n";
  return TextResult(Shortened(std::move(text)), nothing && ran.exit_status != 0 && !call.reports_on_error,
                    ran.exit_status);
}

const Json& Member(const Json& object, const char* name) {
  static const Json nothing;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : nothing;
}

}  // namespace

Server::~Server() {
  std::map<std::string, Running> left;
  {
    const std::lock_guard lock(calls_changing_);
    left.swap(calls_);
  }
  for (auto& [id, call] : left) call.thread.join();
}

void Server::Take(std::string_view text) {
  if (base::Trim(text).empty()) return;
  Json message = base::ParseJson(text);
  if (message.is_discarded()) message = base::ParseJson(Mended(text));
  if (message.is_discarded()) return Refuse(nullptr, kParseError, "not JSON");
  const Json& method = Member(message, "method");
  const Json& id = Member(message, "id");
  if (!method.is_string()) {
    const bool answer = !Member(message, "result").is_null() || !Member(message, "error").is_null();
    if (!answer) Refuse(nullptr, kInvalidRequest, "not a request; expected one JSON object with a method");
    return;
  }
  const std::string name = method.get<std::string>();
  const Json& parameters = Member(message, "params");
  if (id.is_string() || id.is_number()) return TakeRequest(id, name, parameters);
  if (name == "notifications/cancelled") Cancel(parameters);
}

void Server::TakeRequest(const Json& id, const std::string& method, const Json& parameters) {
  if (method == "initialize") return Answer(id, Initialize(parameters));
  if (method == "ping") return Answer(id, Json::object());
  if (method == "tools/list") return Answer(id, {{"tools", DescribeTools(setup_.allowed)}});
  if (method == "tools/call") return CallTool(id, parameters);
  if (method == "resources/list") return Answer(id, ListPages());
  if (method == "resources/templates/list") return Answer(id, {{"resourceTemplates", Json::array()}});
  if (method == "resources/read") return ReadPage(id, parameters);
  Refuse(id, kNoSuchMethod, "no such method: " + method);
}

Json Server::Initialize(const Json& parameters) const {
  const Json& asked = Member(parameters, "protocolVersion");
  const bool known =
      asked.is_string() && std::ranges::find(kEditions, asked.get<std::string>()) != kEditions.end();
  return {{"protocolVersion", known ? asked : Json(kEditions.back())},
          {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
          {"serverInfo", {{"name", "culprit"}, {"title", "culprit"}, {"version", setup_.version}}},
          {"instructions", kInstructions}};
}

Json Server::ListPages() const {
  Json list = Json::array();
  for (const Page& page : setup_.pages) {
    list.push_back({{"uri", std::string(kPagePrefix) + page.code},
                    {"name", page.code},
                    {"title", page.title},
                    {"mimeType", "text/markdown"}});
  }
  return {{"resources", std::move(list)}};
}

void Server::CallTool(const Json& id, const Json& parameters) {
  const Json& name = Member(parameters, "name");
  const std::string tool = name.is_string() ? name.get<std::string>() : "";
  if (!IsTool(tool, setup_.allowed)) return Refuse(id, kInvalidParameters, "no such tool: " + tool);
  const Json& given = Member(parameters, "arguments");
  auto call = CallOf(tool, given.is_null() ? Json::object() : given, setup_.allowed);
  if (!call) return Answer(id, TextResult(call.error().message + "\n", true, 64));
  Start(id, *std::move(call), ToolResult);
}

void Server::ReadPage(const Json& id, const Json& parameters) {
  const Json& named = Member(parameters, "uri");
  const std::string uri = named.is_string() ? named.get<std::string>() : "";
  const std::string code = uri.starts_with(kPagePrefix) ? uri.substr(kPagePrefix.size()) : "";
  if (std::ranges::find(setup_.pages, code, &Page::code) == setup_.pages.end())
    return Refuse(id, kNoSuchResource, "no such page: " + uri);
  Start(id, {.arguments = {"explain", "--format=markdown", "--text", "--", code}},
        [uri](const Call&, const Ran& ran) {
          return Json{{"contents", {{{"uri", uri}, {"mimeType", "text/markdown"}, {"text", ran.output}}}}};
        });
}

void Server::Start(const Json& id, Call call, MakeResult result) {
  const std::string key = id.dump();
  const std::lock_guard lock(calls_changing_);
  std::erase_if(calls_, [](const auto& entry) { return entry.second.done->load(); });  // joins their threads
  if (calls_.contains(key))
    return Refuse(id, kInvalidRequest, "a request with this id is still being answered");
  auto done = std::make_shared<std::atomic<bool>>(false);
  std::jthread thread(
      [this, id, done, call = std::move(call), result = std::move(result)](const std::stop_token& stop) {
        const Ran ran = setup_.run(call, stop);
        if (!stop.stop_requested()) Answer(id, result(call, ran));
        done->store(true);
      });
  calls_.emplace(key, Running{std::move(done), std::move(thread)});
}

void Server::Cancel(const Json& parameters) {
  const std::lock_guard lock(calls_changing_);
  const auto call = calls_.find(Member(parameters, "requestId").dump());
  if (call != calls_.end()) call->second.thread.request_stop();
}

void Server::Answer(const Json& id, Json result) {
  Send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void Server::Refuse(const Json& id, int code, const std::string& why) {
  Send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}});
}

void Server::Send(const Json& message) {
  const std::lock_guard lock(sending_);
  setup_.send(Dump(message));
}

}  // namespace culprit::mcp
