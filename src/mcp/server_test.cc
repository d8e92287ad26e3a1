// The protocol as a client sees it: what goes in, what comes out.
#include "mcp/server.h"

#include <gtest/gtest.h>

#include <condition_variable>

namespace culprit::mcp {
namespace {

using base::Json;

// Collects what the server sends, and what it would have run.
class Client {
 public:
  explicit Client(Allowed allowed = {}, Ran ran = {.exit_status = 1, .output = "the answer\n", .error = ""})
      : server_({.version = "1.2.3",
                 .allowed = allowed,
                 .pages = {{"CUL3004", "cuDNN parts of two releases"}},
                 .run =
                     [this, ran](const Call& call, const std::stop_token& stop) {
                       const std::lock_guard lock(mutex_);
                       calls_.push_back(call);
                       stopped_ = stop.stop_requested();
                       return ran;
                     },
                 .send =
                     [this](const std::string& message) {
                       const std::lock_guard lock(mutex_);
                       EXPECT_EQ(message.find('\n'), std::string::npos);
                       answers_.push_back(Json::parse(message));
                       changed_.notify_all();
                     }}) {}

  void Send(const std::string& message) { server_.Take(message); }
  Json Ask(const std::string& method, const Json& parameters = Json::object()) {
    Send(Json{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", parameters}}.dump());
    return Next();
  }
  Json Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !answers_.empty(); });
    const Json answer = answers_.front();
    answers_.erase(answers_.begin());
    return answer;
  }
  Json Use(const std::string& tool, const Json& arguments) {
    return Ask("tools/call", {{"name", tool}, {"arguments", arguments}}).at("result");
  }
  // The words of the last call.
  std::string LastCall() {
    const std::lock_guard lock(mutex_);
    std::string words;
    if (calls_.empty()) return "nothing";
    for (const std::string& word : calls_.back().arguments) words += (words.empty() ? "" : " ") + word;
    return words + (calls_.back().input.empty() ? "" : " <" + calls_.back().input);
  }
  bool silent() {
    const std::lock_guard lock(mutex_);
    return answers_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> answers_;
  std::vector<Call> calls_;
  bool stopped_ = false;
  int id_ = 0;
  Server server_;
};

std::string TextOf(const Json& result) { return result.at("content").at(0).at("text"); }

TEST(McpServer, SpeaksTheEditionOfTheClientOrTheNewest) {
  Client client;
  const auto edition = [&](const char* asked) {
    return client.Ask("initialize", {{"protocolVersion", asked}}).at("result").at("protocolVersion");
  };
  EXPECT_EQ(edition("2024-11-05"), "2024-11-05");
  EXPECT_EQ(edition("2025-06-18"), "2025-06-18");
  EXPECT_EQ(edition("2099-01-01"), "2025-11-25");
  EXPECT_EQ(client.Ask("initialize").at("result").at("serverInfo").at("version"), "1.2.3");
}

TEST(McpServer, ArgumentsBecomeACommandLine) {
  Client client;
  EXPECT_EQ(TextOf(client.Use("check", {{"target", ".venv"}, {"host", "driver=535.183.01,gpu=L4"}})),
            "the answer\n");
  EXPECT_EQ(client.LastCall(), "check --format=text --host=driver=535.183.01,gpu=L4 -- .venv");
  client.Use("explain", {{"text", "CUDA error: no kernel image"}, {"here", true}});
  EXPECT_EQ(client.LastCall(), "explain --format=text --here -- <CUDA error: no kernel image");
  client.Use("why", {{"library", "libcudnn.so.9"}, {"for", "/usr/bin/python3"}, {"root", nullptr}});
  EXPECT_EQ(client.LastCall(), "why --format=text --for=/usr/bin/python3 -- libcudnn.so.9");
  client.Use("plan", {{"want", {"torch", "flash-attn"}}, {"python", 3.11}, {"requirements", "r.txt"}});
  EXPECT_EQ(client.LastCall(), "plan --format=text --python=3.11 --requirement=r.txt -- torch flash-attn");
  client.Use("compat", {{"versions", {{"cuda", "12.4"}, {"gcc", 13}}}});
  EXPECT_EQ(client.LastCall(), "compat --format=text -- cuda=12.4 gcc=13");
}

TEST(McpServer, NoArgumentBecomesAnotherOption) {
  Client client;
  client.Use("fix", {{"target", "--apply"}, {"host", "x --apply"}});
  EXPECT_EQ(client.LastCall(), "fix --format=text --host=x --apply -- --apply");
  client.Use("check", {{"target", {"-o", "/etc/passwd"}}});
  EXPECT_EQ(client.LastCall(), "check --format=text -- -o /etc/passwd");
}

TEST(McpServer, ItOnlyReadsUnlessAllowed) {
  Client client;
  Json result = client.Use("fix", {{"apply", true}});
  EXPECT_EQ(result.at("isError"), true);
  EXPECT_EQ(TextOf(result), "this server only shows fixes: it was started without --allow-apply\n");
  EXPECT_EQ(
      client.Ask("tools/call", {{"name", "run"}, {"arguments", {{"command", "ls"}}}}).at("error").at("code"),
      -32602);
  EXPECT_EQ(client.LastCall(), "nothing");
  for (const Json& tool : client.Ask("tools/list").at("result").at("tools"))
    EXPECT_EQ(tool.at("annotations").at("readOnlyHint"), true) << tool;

  Client trusted({.apply = true, .run = true},
                 {.exit_status = 139, .output = "loss 0.1\n", .error = "culprit: why\n"});
  trusted.Use("fix", {{"apply", true}});
  EXPECT_EQ(trusted.LastCall(), "fix --format=text --apply --yes --");
  EXPECT_EQ(TextOf(trusted.Use("run", {{"command", {"python", "-c", "1"}}})), "loss 0.1\nculprit: why\n");
  EXPECT_EQ(trusted.LastCall(), "run --format=text -- python -c 1");
}

TEST(McpServer, MistakesAreToldInWordsForTheAgent) {
  Client client;
  const auto mistake = [&](const char* tool, const Json& arguments) {
    const Json result = client.Use(tool, arguments);
    EXPECT_EQ(result.at("isError"), true);
    return TextOf(result);
  };
  EXPECT_EQ(mistake("check", {{"taget", "x"}}), "check has no argument taget\n");
  EXPECT_EQ(mistake("inspect", Json::object()), "inspect needs file\n");
  EXPECT_EQ(mistake("explain", Json::object()), "explain needs either text or code\n");
  EXPECT_EQ(mistake("explain", {{"text", 1}, {"here", "yes"}}), "here must be true or false\n");
  EXPECT_EQ(mistake("why", {{"library", {{"a", "b"}}}}), "library must be a string\n");
  EXPECT_EQ(mistake("check", {{"target", std::string("a\0b", 3)}}), "target contains a NUL byte\n");
  EXPECT_EQ(mistake("explain", {{"code", {"CUL3004", "CUL3005"}}}), "code must be a string\n");
  EXPECT_EQ(client.LastCall(), "nothing");
  Client trusted({.run = true});
  EXPECT_EQ(TextOf(trusted.Use("run", {{"command", "python train.py"}})),
            "command must be a list: [\"python\", \"train.py\"]\n");
  EXPECT_EQ(trusted.LastCall(), "nothing");
}

TEST(McpServer, ACodeIsNeverAFileAndATextMayHoldAnything) {
  Client client;
  client.Use("explain", {{"code", "/etc/passwd"}});
  EXPECT_EQ(client.LastCall(), "explain --format=text --text -- /etc/passwd");
  client.Use("explain", {{"text", std::string("a\0b", 3)}});
  EXPECT_EQ(client.LastCall(), std::string("explain --format=text -- <a\0b", 29));
}

TEST(McpServer, NoAnswerIsAnErrorWhateverItWroteBefore) {
  Client client({.run = true}, {.exit_status = 2,
                                .output = "step 1\n",
                                .error = "culprit: no answer within 4 s\n",
                                .no_answer = true});
  for (const Json& result :
       {client.Use("run", {{"command", {"sleep", "9"}}}), client.Use("check", {{"format", "json"}}),
        client.Use("check", Json::object())}) {
    EXPECT_EQ(result.at("isError"), true);
    EXPECT_EQ(TextOf(result), "step 1\nculprit: no answer within 4 s\n");
  }
}

TEST(McpServer, AnAnswerThatIsNoGoodIsNoError) {
  Client found;
  EXPECT_EQ(found.Use("check", Json::object()).at("isError"), false);
  EXPECT_EQ(found.Use("check", Json::object()).at("structuredContent").at("exit_status"), 1);
  Client cannot({}, {.exit_status = 2, .output = "", .error = "culprit: /x: no such file\n"});
  const Json result = cannot.Use("inspect", {{"file", "/x"}});
  EXPECT_EQ(result.at("isError"), true);
  EXPECT_EQ(TextOf(result), "culprit: /x: no such file\n");
}

TEST(McpServer, AnswersAreShortEnough) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "a line of forty characters, or about that\n";
  Client client({}, {.exit_status = 0, .output = lines, .error = ""});
  const std::string text = TextOf(client.Use("check", Json::object()));
  EXPECT_LT(text.size(), 33'000u);
  EXPECT_TRUE(text.ends_with("9239 more lines were left out; ask about one target, library or file]\n"))
      << text.substr(text.size() - 90);

  const Json answer = {{"schema", "culprit.check/1"}, {"verdict", "ok"}, {"snapshot", {{"much", lines}}}};
  Client json({}, {.exit_status = 0, .output = answer.dump(), .error = ""});
  const Json result = json.Use("check", {{"format", "json"}});
  EXPECT_EQ(json.LastCall(), "check --format=json --");
  EXPECT_EQ(TextOf(result), R"({"schema":"culprit.check/1","verdict":"ok"})");
  EXPECT_EQ(result.at("structuredContent").at("answer").at("verdict"), "ok");
}

TEST(McpServer, LongListsAreCutAndCounted) {
  Json answer = {{"schema", "culprit.inspect/1"}, {"files", Json::array()}, {"notes", {"one", "two"}}};
  for (int i = 0; i < 100; ++i) answer["files"].push_back({{"path", std::string(2'000, 'x')}});
  Client client({}, {.exit_status = 0, .output = answer.dump(), .error = ""});
  const Json result = client.Use("inspect", {{"file", "x"}, {"format", "json"}});
  EXPECT_EQ(result.at("isError"), false);
  const Json seen = Json::parse(TextOf(result));
  EXPECT_EQ(seen, result.at("structuredContent").at("answer"));
  EXPECT_LE(TextOf(result).size(), 32'000u);
  EXPECT_EQ(seen.at("files").size(), 12u);
  EXPECT_EQ(seen.at("left_out"), (Json{{"/files", 88}}));
  EXPECT_EQ(seen.at("notes").size(), 2u);

  Client one({}, {.exit_status = 0, .output = Json{{"text", std::string(99'000, 'x')}}.dump(), .error = ""});
  EXPECT_EQ(one.Use("inspect", {{"file", "x"}, {"format", "json"}}).at("isError"), true);
}

TEST(McpServer, BytesThatAreNoTextDoNotEndIt) {
  Client client({}, {.exit_status = 0, .output = "a\xff\x1b[31mb", .error = ""});
  EXPECT_EQ(TextOf(client.Use("check", Json::object())), "a\xEF\xBF\xBD\x1b[31mb");
}

TEST(McpServer, ATextThatAHostCutInTheMiddleOfACharacterIsAnswered) {
  Client client;
  client.Send(
      R"({"id": 7, "method": "tools/call", "params": {"name": "explain", "arguments": {"text": "oom \ud83d"}}})");
  EXPECT_EQ(client.Next().at("id"), 7);
  EXPECT_EQ(client.LastCall(), "explain --format=text -- <oom \xEF\xBF\xBD");
}

TEST(McpServer, PagesAreResources) {
  Client client({}, {.exit_status = 0, .output = "# CUL3004\n", .error = ""});
  EXPECT_EQ(client.Ask("resources/list").at("result").at("resources").at(0).at("uri"),
            "culprit://rules/CUL3004");
  const Json read = client.Ask("resources/read", {{"uri", "culprit://rules/CUL3004"}}).at("result");
  EXPECT_EQ(read.at("contents").at(0).at("text"), "# CUL3004\n");
  EXPECT_EQ(client.LastCall(), "explain --format=markdown --text -- CUL3004");
  EXPECT_EQ(client.Ask("resources/read", {{"uri", "culprit://rules/../x"}}).at("error").at("code"), -32002);
}

TEST(McpServer, WhatIsNoRequestIsRefusedOrIgnored) {
  Client client;
  const auto code = [&](const char* message) {
    client.Send(message);
    return client.Next().at("error").at("code").get<int>();
  };
  EXPECT_EQ(code("{"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code("7"), -32600);
  EXPECT_EQ(code(R"({"id": 1})"), -32600);
  EXPECT_EQ(code(R"({"id": 1, "method": "no/such"})"), -32601);
  EXPECT_EQ(code(R"({"id": 1, "method": "tools/call", "params": {"name": 7}})"), -32602);
  client.Send("");
  client.Send(R"({"method": "notifications/initialized"})");
  client.Send(R"({"method": "notifications/cancelled", "params": {"requestId": 99}})");
  client.Send(R"({"id": 5, "result": {}})");
  EXPECT_TRUE(client.silent());
}

TEST(McpServer, ACancelledCallIsNotAnswered) {
  std::mutex mutex;
  std::condition_variable changed;
  bool begun = false;
  std::vector<std::string> sent;
  {
    Server server({.version = "1",
                   .run =
                       [&](const Call&, const std::stop_token& stop) {
                         std::unique_lock lock(mutex);
                         begun = true;
                         changed.notify_all();
                         std::condition_variable_any stopped;
                         stopped.wait(lock, stop, [] { return false; });
                         return Ran{};
                       },
                   .send = [&](const std::string& message) { sent.push_back(message); }});
    server.Take(R"({"id": "a", "method": "tools/call", "params": {"name": "check"}})");
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return begun; });
    }
    server.Take(R"({"method": "notifications/cancelled", "params": {"requestId": "a"}})");
  }
  EXPECT_TRUE(sent.empty());
}

}  // namespace
}  // namespace culprit::mcp
