#pragma once
// What every verb prints in the same way.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/out_of_memory.hpp"
#include "core/printable.hpp"
#include "formats/json.hpp"
#include "penstock/result.hpp"

namespace penstock::cli {

/// A human-readable line. Names in it come from data and from file systems, so all of it is made printable.
template <class... Values>
void print_line(std::FILE* to, fmt::format_string<Values...> pattern, Values&&... values) {
  fmt::print(to, "{}\n", printable_line(fmt::format(pattern, std::forward<Values>(values)...)));
}

/// A JSON document on standard output.
void print_document(const Json& document);
Json as_json(const Error& error);

Json as_json(const std::vector<std::string>& lines);

/// What the user should know about a data set: a line each, on standard error. JSON documents hold them
/// instead.
void print_warnings(const std::vector<std::string>& warnings, bool json);

/// Says what went wrong, on standard error or as a JSON document; returns the exit code.
int fail(const Error& error, bool json);

/// NAME or NAME=FIELD, as pairs of name and field.
std::vector<std::pair<std::string, std::string>> field_choice(const std::vector<std::string>& given);

/// A line on standard error that is written over and over; nothing unless that is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// `rest`: what stands behind the bar.
  void show(std::uint64_t done, std::uint64_t total, const std::string& rest);

 private:
  bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// Ctrl-C asks the program to end in good order; a second one ends it at once.
void catch_interrupt();
bool interrupted() noexcept;

}  // namespace penstock::cli
