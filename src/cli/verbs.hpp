#pragma once
// The verbs of the command line, one file each.

#include <CLI/CLI.hpp>
#include <cstdint>

namespace penstock::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFinding = 1;
inline constexpr int kWrongUsage = 2;

/// Sizes of shards and tars that can be. Signed: -1 must not be taken for a very large number.
inline CLI::Range shard_bytes_range() { return CLI::Range(std::int64_t{4096}, std::int64_t{1} << 40); }

// Each adds its verb to `app`; when it runs, it prints and leaves the program's exit code in `code`.
void add_build(CLI::App& app, int& code);
void add_info(CLI::App& app, int& code);
void add_verify(CLI::App& app, int& code);
void add_convert(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);
void add_stats(CLI::App& app, int& code);
void add_show(CLI::App& app, int& code);
void add_audio(CLI::App& app, int& code);

}  // namespace penstock::cli
