#pragma once
// What happens to rows whose samples failed.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "pipeline/fill/batch_storage.hpp"
#include "pipeline/run/consumer_counters.hpp"
#include "pipeline/run/error_report.hpp"

namespace penstock::inline v0 {

/// Counts and keeps errors, and holds them against the budgets. take() is for the consumer's thread, errors()
/// for any.
class BadRows {
 public:
  BadRows(const LoaderOptions& options, ConsumerCounters& counters);

  /// Leaves bad rows out of the batch, as on_error says; the error that ends the iteration if there is one.
  Status take(BatchStorage& storage);

  /// Those that did not end an iteration, oldest first.
  std::vector<Error> errors() const;
  /// Why the report of LoaderOptions::error_report cannot be written; empty if it can.
  std::string report_problem() const;
  void resume_from(const BadRows& before);

 private:
  Status note(Error error);
  void write_down(const BatchStorage& storage, std::size_t row);
  Status check_budget(const Error& error) const;

  const LoaderOptions& options_;
  ConsumerCounters& counters_;
  std::uint64_t seen_ = 0;   // samples, good or bad
  std::uint64_t noted_ = 0;  // bad ones
  std::uint64_t run_ = 0;    // bad ones since the last good one
  std::optional<ErrorReport> report_;
  mutable std::mutex mutex_;
  std::vector<Error> errors_;
  std::string report_problem_;
};

}  // namespace penstock::inline v0
