#pragma once
// Turns samples into rows of a batch.

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "codecs/original_file.hpp"
#include "core/buffer_pool.hpp"
#include "core/rng.hpp"
#include "formats/sample_table.hpp"
#include "pipeline/order/epoch_order.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/run/batch_storage.hpp"
#include "pipeline/run/counters.hpp"

namespace penstock {

/// A run of rows of one batch: rows [first, first + count), the sample of row r stands at place first_place +
/// r.
struct RowRun {
  BatchStorage* storage = nullptr;
  const EpochOrder* order = nullptr;
  std::uint64_t first_place = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Takes note that a thread which was to fill these rows met an exception: every row of the run is lost.
void lose_rows(const RowRun& run, const std::exception_ptr& thrown) noexcept;

/// One per thread, with that thread's decoders and memory. Plan, table and pool must outlive it.
class RowWorker {
 public:
  RowWorker(const Plan& plan, const SampleTable& table, const LoaderOptions& options, BufferPool& pool,
            WorkerCounters& counters);
  ~RowWorker();

  /// Fills the rows of `run`; a row that fails holds its error in storage->row_errors. Throws nothing.
  void fill(const RowRun& run) noexcept;

 private:
  struct Blob {
    std::size_t column = 0;
    std::size_t row = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  /// Tells the table what the run will read.
  void announce(const RowRun& run) const;
  void fill_decoded(const RowRun& run);
  void fill_raw(const RowRun& run);
  Status fill_raw_row(BatchStorage& storage, std::size_t row, std::uint64_t sample, Slab& bytes,
                      std::size_t& used);
  Status fill_row(BatchStorage& storage, std::size_t row, std::uint64_t sample, const RandomKey& key);
  Status fill_field(BatchStorage& storage, std::size_t column, std::size_t row, std::uint64_t sample,
                    const StoredValue& value, const RandomKey& key);
  Status fill_picture(BatchStorage& storage, std::size_t column, std::size_t row, std::uint64_t sample,
                      const StoredValue& value, const RandomKey& key);
  /// Memory for what the row holds in that column: its place in the batch, or a piece of its own.
  void* row_memory(BatchStorage& storage, std::size_t column, std::size_t row, std::size_t bytes);
  Status fill_sound(BatchStorage& storage, std::size_t column, std::size_t row, std::uint64_t sample,
                    const StoredValue& value, const RandomKey& key);
  /// The worker's memory for the sounds of a column, made when the first comes.
  Result<SoundWorkspace*> sound_workspace(std::size_t column);
  /// use_value() with the time that reading takes.
  template <class Use>
  Status use(std::uint64_t sample, std::size_t field, Use&& use);
  void store_blobs(BatchStorage& storage);
  /// Calls fill(sample, key) -> Status for the row's sample or, with on_error = replace, for others until one
  /// succeeds.
  template <class Fill>
  void fill_or_replace(const RowRun& run, std::size_t row, Fill&& fill);

  const Plan& plan_;
  const SampleTable& table_;
  const LoaderOptions& options_;
  BufferPool& pool_;
  WorkerCounters& counters_;
  ImageDecoder decoder_;
  OriginalFile original_;
  std::vector<PictureWorkspacePtr> workspaces_;              // per column, null without pictures
  std::vector<std::unique_ptr<ChainRunner>> chain_runners_;  // per column, null without stages of the user
  std::vector<std::optional<SoundWorkspace>> sound_workspaces_;  // per column
  std::vector<std::uint8_t> blob_bytes_;
  std::vector<Blob> blobs_;
};

}  // namespace penstock
