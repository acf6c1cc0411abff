#pragma once
// The memory behind a Batch: filled by workers, held by consumers, used again.

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/buffer_pool.hpp"
#include "formats/sample_table.hpp"
#include "penstock/batch.hpp"
#include "penstock/result.hpp"
#include "transforms/batch/batch_operation.hpp"
#include "transforms/operation_list.hpp"

namespace penstock::inline v0 {

class BatchPool;

/// A list of operations that a filler draws for, row by row.
struct DrawnListPlan {
  std::string name;  ///< as ListParams has it
  bool counted = false;
  ListDraws list;
};
/// In the order in which the fillers write numbers.
using DrawnLists = std::vector<DrawnListPlan>;

/// Of a field's list; none without operations.
inline DrawnLists list_draws(const std::string& name, const std::vector<TransformPtr>& operations) {
  return operations.empty() ? DrawnLists{} : DrawnLists{{name, false, ListDraws(operations, {})}};
}

/// What operations on a whole batch are given, and their memory. Kept from batch to batch.
struct MixingMemory {
  std::vector<void*> rows;  ///< of one column after the other
  std::vector<BatchPlane> masks;
  std::vector<std::vector<RowBoxes>> boxes;  ///< [field][good row]
  Scratch scratch;
};

/// While a batch is being filled each worker writes the rows it was given and nothing else; once complete it
/// belongs to the planner, then to whoever holds a Batch. Counted: the last release() gives it back to its
/// pool.
class BatchStorage {
 public:
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;
  /// Any worker that fills it may call this; the first one's exception is kept.
  void set_lack_of_memory(std::exception_ptr thrown) noexcept {
    if (!out_of_memory.exchange(true)) {
      lack_of_memory = std::move(thrown);
    }
  }

  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::size_t rows = 0;
  std::vector<Column> columns;
  std::int64_t* index = nullptr;
  bool has_raw = false;
  RawBytes raw;
  Slab fixed;                                      ///< rows of fixed size: images, integers, index
  std::vector<Slab> row_memory;                    ///< what varies: [row * columns + column]; raw: one
  std::vector<std::unique_ptr<Error>> row_errors;  ///< [row], null = good
  std::vector<std::uint8_t> row_replaced;          ///< [row], 1 = good after all: another sample took the row
  std::vector<std::vector<double>> drawn;          ///< [row], what the fillers drew; `draws` reads it
  std::shared_ptr<const DrawnLists> draws;
  std::atomic<std::uint32_t> runs_left{0};       ///< runs of rows not yet filled
  std::vector<double> batch_drawn;               ///< by operations on the whole batch; `batch_draws` reads it
  std::shared_ptr<const ListDraws> batch_draws;  ///< null without such operations
  DrawnList batch_values;                        ///< what they drew, as they have it
  MixingMemory mixing;                           ///< their memory
  std::atomic<bool> out_of_memory{false};        ///< while a worker filled it
  std::exception_ptr lack_of_memory;             ///< of the first of them
  std::shared_ptr<const SampleTable> table;

 private:
  friend class BatchPool;
  std::atomic<int> references_{0};
  std::shared_ptr<BatchPool> pool_;  // null while in the pool
};

/// Keeps storages for re-use, with their memory. Any thread may call it.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  /// At most `keep` idle storages are kept.
  explicit BatchPool(std::size_t keep) : keep_(keep) {}

  /// One reference, the caller's. The contents are those of an earlier batch, or empty.
  BatchStorage* acquire();
  /// Also drops at once what is above the new limit.
  void keep_at_most(std::size_t keep) noexcept;

 private:
  friend class BatchStorage;
  void take_back(BatchStorage* storage) noexcept;

  std::mutex mutex_;
  std::size_t keep_;
  std::vector<std::unique_ptr<BatchStorage>> idle_;
};

}  // namespace penstock::inline v0
