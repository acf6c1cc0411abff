#pragma once
// The verbs of the command line, one file each.

#include <CLI/CLI.hpp>

namespace penstock::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFinding = 1;
inline constexpr int kWrongUsage = 2;

// Each adds its verb to `app`; when it runs, it prints and leaves the program's exit code in `code`.
void add_build(CLI::App& app, int& code);
void add_info(CLI::App& app, int& code);
void add_verify(CLI::App& app, int& code);
void add_convert(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);

}  // namespace penstock::cli
