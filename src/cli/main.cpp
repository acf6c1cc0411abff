#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "cli/output.hpp"
#include "cli/verbs.hpp"

namespace {

/// Whoever asked for JSON reads nothing else, even if the rest could not be understood.
bool wants_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

/// The verb, if there is none of this name.
std::optional<std::string> unknown_verb(const CLI::App& app, int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "--help";
  const auto is_it = [&verb](const CLI::App* known) { return known->get_name() == verb; };
  const bool is_known = verb.starts_with('-') || !app.get_subcommands(is_it).empty();
  return is_known ? std::nullopt : std::optional(verb);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace penstock::cli;
  CLI::App app("penstock: training data from disk to the model");
  app.set_version_flag("--version", "penstock " PENSTOCK_VERSION);
  app.require_subcommand(1);
  int code = kSuccess;
  add_build(app, code);
  add_info(app, code);
  add_verify(app, code);
  add_convert(app, code);
  add_bench(app, code);
  add_stats(app, code);
  add_show(app, code);
  add_audio(app, code);
  if (const auto verb = unknown_verb(app, argc, argv)) {
    return fail({.kind = penstock::ErrorKind::invalid,
                 .message = "unknown subcommand '" + *verb + "'",
                 .advice = "the subcommands are build, info, verify, convert, bench, stats, show and audio; "
                           "see penstock --help"},
                wants_json(argc, argv));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() != 0) {
      return fail(
          {.kind = penstock::ErrorKind::invalid, .message = problem.what(), .advice = "see penstock --help"},
          wants_json(argc, argv));
    }
    app.exit(problem);  // --help, --version
    return kSuccess;
  } catch (const std::exception& problem) {
    return fail({.kind = penstock::ErrorKind::io, .message = problem.what()}, wants_json(argc, argv));
  }
  return code;
}
