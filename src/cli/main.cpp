#include <fmt/format.h>

#include <exception>

#include "cli/verbs.hpp"

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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kSuccess : kWrongUsage;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "penstock: {}\n", problem.what());
    return kFinding;
  }
  return code;
}
