// culprit completions SHELL: a script for the shell to source.
#include <fmt/format.h>

#include <string>

#include "cli/command.h"

namespace culprit::cli {
namespace {

constexpr std::string_view kBash = R"sh(_culprit() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local common="--format --output --root --target --env --color --quiet --verbose --help"
  case $prev in
    --format)
      local formats="text json markdown"
      case ${COMP_WORDS[1]} in
        check|-*) formats="$formats html sarif junit" ;;
        run|diff|explain) formats="$formats html" ;;
      esac
      COMPREPLY=($(compgen -W "$formats" -- "$cur")); return ;;
    --color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --for|--output|-o|--save|--env|--snapshot|--loader) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --cudnn|--python) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --framework) COMPREPLY=($(compgen -W "torch tensorflow jax onnxruntime cupy" -- "$cur")); return ;;
    --root) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --platform) COMPREPLY=($(compgen -W "linux-x86_64 linux-aarch64 windows-x86_64 wsl" -- "$cur")); return ;;
    --as) COMPREPLY=($(compgen -W "pip uv conda apt dockerfile cmake json" -- "$cur")); return ;;
    --allow) COMPREPLY=($(compgen -W "driver-upgrade unknown" -- "$cur")); return ;;
    --target) COMPREPLY=($(compgen -W "linux windows" -- "$cur")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "check probe why inspect explain run rules plan fix compat snapshot diff completions --help --version" -- "$cur")); return
  fi
  case ${COMP_WORDS[1]} in
    why) COMPREPLY=($(compgen -W "--for --from --snapshot --loader --dot --all --no-dlopen $common" -- "$cur")) ;;
    check) COMPREPLY=($(compgen -f -W "--live --pid --host --python --verify --strict --no-redact --timeout $common" -- "$cur")) ;;
    probe) COMPREPLY=($(compgen -W "--device --cudnn --framework --python --compile --deep --timeout --no-redact --format --output --color --quiet --verbose --help" -- "$cur")) ;;
    explain) COMPREPLY=($(compgen -f -W "--here --snapshot --host --follow --no-redact $common" -- "$cur")) ;;
    run) COMPREPLY=($(compgen -c -f -W "--always --save --sanitize --sanitize=racecheck --sanitize=initcheck --sanitize=synccheck --debug --no-loads --no-calls --no-redact --timeout --format --output --color --quiet --verbose --help" -- "$cur")) ;;
    rules) COMPREPLY=($(compgen -W "$common" -- "$cur")) ;;
    inspect) COMPREPLY=($(compgen -f -W "$common" -- "$cur")) ;;
    diff) COMPREPLY=($(compgen -f -W "--host --strict --no-redact --format --output --color --quiet --verbose --help" -- "$cur")) ;;
    snapshot) COMPREPLY=($(compgen -f -W "--live $common" -- "$cur")) ;;
    plan) COMPREPLY=($(compgen -f -W "torch tensorflow jax onnxruntime-gpu ctranslate2 cupy paddle cudnn cuda --python --cuda --host --platform --repair --allow --keep --as --no-check $common" -- "$cur")) ;;
    fix) COMPREPLY=($(compgen -f -W "--apply --yes --undo --force --host --python --timeout --no-redact $common" -- "$cur")) ;;
    compat) COMPREPLY=($(compgen -S = -W "cuda cudnn driver gpu gcc clang msvc python platform torch tensorflow jax onnxruntime" -- "$cur")); compopt -o nospace ;;
    completions) COMPREPLY=($(compgen -W "bash zsh fish" -- "$cur")) ;;
  esac
}
complete -o filenames -F _culprit culprit
)sh";

constexpr std::string_view kFish =
    R"sh(complete -c culprit -n __fish_use_subcommand -f -a "check probe why inspect explain run rules plan fix compat snapshot diff completions"
complete -c culprit -l format -x -a "text json markdown"
complete -c culprit -n "__fish_seen_subcommand_from check run diff explain" -l format -x -a "html"
complete -c culprit -n "__fish_seen_subcommand_from check" -l format -x -a "sarif junit"
complete -c culprit -s q -l quiet
complete -c culprit -s v -l verbose
complete -c culprit -s h -l help
complete -c culprit -l color -x -a "auto always never"
complete -c culprit -l root -x -a "(__fish_complete_directories)"
complete -c culprit -l target -x -a "linux windows"
complete -c culprit -s o -l output -r
complete -c culprit -l env -r
complete -c culprit -n "__fish_seen_subcommand_from check explain fix diff" -l host -x
complete -c culprit -n "__fish_seen_subcommand_from check fix" -l python -r
complete -c culprit -n "__fish_seen_subcommand_from fix" -l apply
complete -c culprit -n "__fish_seen_subcommand_from fix" -l yes
complete -c culprit -n "__fish_seen_subcommand_from fix" -l undo
complete -c culprit -n "__fish_seen_subcommand_from fix" -l force
complete -c culprit -n "__fish_seen_subcommand_from check diff" -l strict
complete -c culprit -n "__fish_seen_subcommand_from check explain probe run fix diff" -l no-redact
complete -c culprit -n "__fish_seen_subcommand_from check probe run fix" -l timeout -x
complete -c culprit -n "__fish_seen_subcommand_from check" -l pid -x -a "(__fish_complete_pids)"
complete -c culprit -n "__fish_seen_subcommand_from check snapshot" -l live
complete -c culprit -n "__fish_seen_subcommand_from probe" -l device -x
complete -c culprit -n "__fish_seen_subcommand_from probe" -l cudnn -r
complete -c culprit -n "__fish_seen_subcommand_from probe" -l framework -x -a "torch tensorflow jax onnxruntime cupy"
complete -c culprit -n "__fish_seen_subcommand_from probe" -l python -r
complete -c culprit -n "__fish_seen_subcommand_from probe" -l compile
complete -c culprit -n "__fish_seen_subcommand_from probe" -l deep
complete -c culprit -n "__fish_seen_subcommand_from plan" -f -a "torch tensorflow jax onnxruntime-gpu ctranslate2 cupy paddle cudnn cuda"
complete -c culprit -n "__fish_seen_subcommand_from plan" -l as -x -a "pip uv conda apt dockerfile cmake json"
complete -c culprit -n "__fish_seen_subcommand_from plan" -l platform -x -a "linux-x86_64 linux-aarch64 windows-x86_64 wsl"
complete -c culprit -n "__fish_seen_subcommand_from plan" -l allow -x -a "driver-upgrade unknown"
complete -c culprit -n "__fish_seen_subcommand_from plan" -l host -x
complete -c culprit -n "__fish_seen_subcommand_from plan" -l python -x
complete -c culprit -n "__fish_seen_subcommand_from plan" -l cuda -x
complete -c culprit -n "__fish_seen_subcommand_from plan" -l keep -x
complete -c culprit -n "__fish_seen_subcommand_from plan" -l repair
complete -c culprit -n "__fish_seen_subcommand_from plan" -l no-check
complete -c culprit -n "__fish_seen_subcommand_from check" -l verify
complete -c culprit -n "__fish_seen_subcommand_from run" -l always
complete -c culprit -n "__fish_seen_subcommand_from run" -l save -r
complete -c culprit -n "__fish_seen_subcommand_from run" -l sanitize
complete -c culprit -n "__fish_seen_subcommand_from run" -l debug
complete -c culprit -n "__fish_seen_subcommand_from run" -l no-loads
complete -c culprit -n "__fish_seen_subcommand_from run" -l no-calls
complete -c culprit -n "__fish_seen_subcommand_from explain" -l here
complete -c culprit -n "__fish_seen_subcommand_from explain" -l snapshot -r
complete -c culprit -n "__fish_seen_subcommand_from explain" -l follow
complete -c culprit -n "__fish_seen_subcommand_from why" -l for -r
complete -c culprit -n "__fish_seen_subcommand_from why" -l snapshot -r
complete -c culprit -n "__fish_seen_subcommand_from why" -l from -x
complete -c culprit -n "__fish_seen_subcommand_from why" -l loader -r
complete -c culprit -n "__fish_seen_subcommand_from why" -l dot
complete -c culprit -n "__fish_seen_subcommand_from why" -l all
complete -c culprit -n "__fish_seen_subcommand_from why" -l no-dlopen
)sh";

}  // namespace

int RunCompletions(int argc, const char* const* argv) {
  const std::string_view shell = argc == 2 ? argv[1] : "";
  if (shell == "bash") {
    fmt::print("{}", kBash);
  } else if (shell == "zsh") {
    fmt::print("autoload -U +X bashcompinit && bashcompinit\n{}", kBash);
  } else if (shell == "fish") {
    fmt::print("{}", kFish);
  } else {
    fmt::print(stderr,
               "usage: culprit completions bash|zsh|fish\n  example: source <(culprit completions bash)\n");
    return shell == "--help" || shell == "-h" ? kExitOk : kExitUsage;
  }
  return kExitOk;
}

}  // namespace culprit::cli
