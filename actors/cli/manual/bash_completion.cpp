#include <CLI/CLI.hpp>

#include "actors/cli/manual/manual.hpp"

namespace bulkhead::cli {
namespace {

std::string flags(const CLI::App& of) {
  std::string all;
  for (const auto* each : options_of(of))
    for (const auto& name : each->get_lnames()) all += (all.empty() ? "--" : " --") + name;
  return all;
}

std::string names(const CLI::App& of) {
  std::string all;
  for (const auto* each : commands_of(of)) all += (all.empty() ? "" : " ") + each->get_name();
  return all;
}

// A case for each command, with the flags that it has.
std::string cases(const CLI::App& app) {
  std::string text;
  for (const auto* each : commands_of(app))
    text += "    " + each->get_name() + ") words='" + flags(*each) + "' ;;\n";
  return text;
}

}  // namespace

// A value may be a file nearly everywhere, and where it may not bash's proposals do no harm.
std::string bash_completion(const CLI::App& app) {
  return R"(# bash completion for bulkhead
_bulkhead() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ')" +
         names(app) + " " + flags(app) + R"(' -- "$word"))
    return
  fi
  case $command in
)" + cases(app) +
         R"(    *) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _bulkhead bulkhead
)";
}

}  // namespace bulkhead::cli
