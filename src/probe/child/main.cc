// culprit-probe: the only program of culprit that opens CUDA's libraries. One job, reported step by step;
// whatever those libraries do to this process, the parent `culprit` is safe.
#include <cstdio>
#include <cstdlib>

#include "probe/child/channel.h"
#include "probe/child/signals.h"
#include "probe/child/step.h"
#include "probe/host/protocol.h"

#ifdef _WIN32
#include "probe/cuda/text_windows.h"
#endif

namespace {

// The step about the driver's compiler means that compiler, not what it left in the user's cache.
void TurnOffKernelCache() {
#ifdef _WIN32
  _putenv_s("CUDA_CACHE_DISABLE", "1");
#else
  setenv("CUDA_CACHE_DISABLE", "1", 1);
#endif
}

int Main(const std::vector<std::string>& words) {
  using namespace culprit::prober;
  const auto arguments = ParseArguments(words);
  if (!arguments) {
    std::fprintf(stderr, "culprit-probe: %s (see --help)\n", arguments.error().c_str());
    return 2;
  }
  if (arguments->help || arguments->version) {
    const std::string_view text = arguments->help ? HelpText() : "culprit-probe " CULPRIT_VERSION "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  const int channel = OpenChannel();
  if (channel < 0) return 2;
  WatchSignals(channel);
  if (arguments->job == culprit::probe::JobKind::kDriver) TurnOffKernelCache();
  WriteAll(channel, std::string(culprit::probe::kGreeting) + '\n');
  Teller teller(channel);
  Session session(*arguments, teller);
  RunJob(session);
  EndNow(0);
}

}  // namespace

#ifdef _WIN32
// argv of main() is in the code page of the system, which cannot spell every path.
extern "C" int wmain(int argc, wchar_t** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) words.push_back(culprit::cuda::Narrow(argv[i]));
  return Main(words);
}
#else
int main(int argc, char** argv) { return Main({argv + (argc > 0 ? 1 : 0), argv + argc}); }
#endif
