#pragma once
// Turns samples into rows of a batch.

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "core/buffer_pool.hpp"
#include "formats/sample_table.hpp"
#include "pipeline/fill/filler.hpp"
#include "pipeline/plan/plan.hpp"

namespace penstock::inline v0 {

/// Takes note that a thread which was to fill these rows met an exception: every row of the run is lost.
void fail_rows(const RowRun& run, const std::exception_ptr& thrown) noexcept;

/// One per thread, with that thread's fillers. Plan, table and pool must outlive it. Parts of rows are of the
/// tables that `table` was joined of, or of itself. Which rows are bad, and what takes their place, is its
/// business; what a row holds is the fillers'.
class RowWorker {
 public:
  RowWorker(const Plan& plan, const SampleTable& table, const LoaderOptions& options, BufferPool& pool,
            WorkerCounters& counters);

  /// Fills the rows of `run`; a row that fails holds its error in storage->row_errors. Throws nothing.
  void fill(const RowRun& run) noexcept;

 private:
  /// Looks up what the rows of the run are made of, and tells the tables what will be read.
  void prepare(const RowRun& run);
  /// Fills the row or, with on_error = replace, fills it with other samples until one succeeds.
  void fill_or_replace(const RowRun& run, std::size_t row, const RowParts& parts);
  Status fill_row(const RowTask& task);
  /// As batches number samples.
  std::uint64_t first_sample(const RowParts& parts) const noexcept;

  const std::vector<RowTable> tables_;
  const LoaderOptions& options_;
  WorkerCounters& counters_;
  const FillerTools tools_;
  std::vector<std::size_t> fields_;  // that fillers read
  std::vector<std::unique_ptr<Filler>> fillers_;
  std::vector<RowParts> parts_;  // of the rows of the current run; there may be more than it has
  RowParts replacement_;
};

}  // namespace penstock::inline v0
