#pragma once
// Bad samples written down for later: a file of JSON lines.

#include <cstdint>
#include <optional>
#include <string>

#include "io/disk_file.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Appends a line for each bad sample. Any number of processes may append to the same file: a line is one
/// write at its end. The file is opened at the first one. A file that cannot be written is told of once and
/// changes nothing else. add() is for one thread at a time.
class ErrorReport {
 public:
  /// A relative path is of the folder that the process is in now.
  explicit ErrorReport(const std::string& path);
  ErrorReport(const ErrorReport&) = delete;
  ErrorReport& operator=(const ErrorReport&) = delete;

  /// `replaced`: another sample took its row. Empty, or why the file cannot be written; then nothing more is
  /// tried.
  std::string add(const Error& error, std::uint64_t epoch, bool replaced);

 private:
  const std::string path_;
  std::optional<LineFile> file_;
  bool given_up_ = false;
};

}  // namespace penstock::inline v0
