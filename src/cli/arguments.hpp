#pragma once
// Options that several verbs have, and what they mean.

#include <optional>
#include <string>

#include "cli/tolerance.hpp"
#include "penstock/result.hpp"

namespace CLI {
class App;
}

namespace penstock::cli {

/// Numbers that were not given are 0 in what CLI11 fills.
inline std::optional<int> given(int value) { return value > 0 ? std::optional(value) : std::nullopt; }

/// What the verbs that build something have in common.
struct BuildRunArguments {
  int workers = 0;
  std::string on_error;  ///< "raise" or "skip"; set it to the default before add_build_run
  std::string max_errors{};
  bool no_resume = false;
  bool json = false;
};

/// `things` are what may be bad, in the plural; `usual_tolerance` says what --max-errors is when not given.
void add_build_run(CLI::App& verb, BuildRunArguments& arguments, const std::string& things,
                   const std::string& usual_tolerance);

/// `invalid` for options that contradict each other.
Status check_build_run(const BuildRunArguments& arguments, const std::string& things);

/// To BuildSettings or AudioBuildSettings.
template <class Settings>
void apply_build_run(const BuildRunArguments& arguments, Settings& settings) {
  settings.workers = given(arguments.workers);
  settings.skip_errors = arguments.on_error == "skip";
  settings.resume = !arguments.no_resume;
  const Tolerance tolerance = tolerance_of(arguments.max_errors).value_or(Tolerance{});
  settings.max_errors = tolerance.count;
  settings.max_error_share = tolerance.share;
}

}  // namespace penstock::cli
