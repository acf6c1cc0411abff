#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace penstock::cli {

void add_build_run(CLI::App& verb, BuildRunArguments& arguments, const std::string& things,
                   const std::string& usual_tolerance) {
  verb.add_option("--workers", arguments.workers, "threads (default: the cores that the process may use)")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--on-error", arguments.on_error, fmt::format("what to do with bad {}", things))
      ->check(CLI::IsMember({"raise", "skip"}))
      ->capture_default_str();
  verb.add_option("--max-errors", arguments.max_errors,
                  fmt::format("with --on-error skip: fail above this number of bad {}, or share of them "
                              "(default: {})",
                              things, usual_tolerance))
      ->check(check_max_errors);
  verb.add_flag("--no-resume", arguments.no_resume, "start over instead of resuming an interrupted build");
  verb.add_flag("--json", arguments.json, "print one JSON document");
}

Status check_build_run(const BuildRunArguments& arguments, const std::string& things) {
  if (arguments.max_errors.empty() || arguments.on_error == "skip") {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format(
                   "--max-errors counts {} that are left out, but --on-error raise leaves out none", things),
               .advice = "use --on-error skip, or omit --max-errors"};
}

}  // namespace penstock::cli
