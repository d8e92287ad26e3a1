// The Model Context Protocol: messages in, messages out, one JSON object each. A tool call becomes a command
// line of culprit, which the owner of the server runs.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "mcp/tools.h"

namespace culprit::mcp {

// How a command ended.
struct Ran {
  int exit_status = 0;
  std::string output, error;  // what it wrote
  bool no_answer = false;     // it did not start, crashed or timed out; the end of `error` says which
};

// A page to read: culprit://rules/CUL3004.
struct Page {
  std::string code, title;
};

struct Setup {
  std::string version;
  Allowed allowed{};
  std::vector<Page> pages{};
  // Called in a thread of its own. A stop is requested when the client cancels.
  std::function<Ran(const Call& call, std::stop_token stop)> run;
  // One message, without a line end. Never called by two threads at once.
  std::function<void(const std::string& message)> send;
};

class Server {
 public:
  explicit Server(Setup setup) : setup_(std::move(setup)) {}
  // Waits for the calls that still run.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void Take(std::string_view message);

 private:
  void TakeRequest(const base::Json& id, const std::string& method, const base::Json& parameters);
  base::Json Initialize(const base::Json& parameters) const;
  base::Json ListPages() const;
  // Starts a thread that sends the result.
  using MakeResult = std::function<base::Json(const Call&, const Ran&)>;
  void Start(const base::Json& id, Call call, MakeResult result);
  void CallTool(const base::Json& id, const base::Json& parameters);
  void ReadPage(const base::Json& id, const base::Json& parameters);
  void Cancel(const base::Json& parameters);
  void Answer(const base::Json& id, base::Json result);
  void Refuse(const base::Json& id, int code, const std::string& why);
  void Send(const base::Json& message);

  const Setup setup_;
  std::mutex sending_;
  std::mutex calls_changing_;
  struct Running {
    std::shared_ptr<std::atomic<bool>> done;
    std::jthread thread;
  };
  std::map<std::string, Running> calls_;  // by the id of the request, as JSON
};

}  // namespace culprit::mcp
