#include "pipeline/fill/batch_storage.hpp"

#include <algorithm>

namespace penstock::inline v0 {

void BatchStorage::release() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    // Moved out first: a storage at rest must not keep its pool alive.
    const std::shared_ptr<BatchPool> pool = std::move(pool_);
    pool->take_back(this);
  }
}

BatchStorage* BatchPool::acquire() {
  std::unique_ptr<BatchStorage> storage;
  {
    const std::lock_guard lock(mutex_);
    if (idle_.capacity() < keep_) {
      idle_.reserve(keep_);
    }
    if (!idle_.empty()) {
      storage = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!storage) {
    storage = std::make_unique<BatchStorage>();
  }
  storage->pool_ = shared_from_this();
  storage->references_.store(1, std::memory_order_relaxed);
  return storage.release();
}

void BatchPool::take_back(BatchStorage* raw) noexcept {
  std::unique_ptr<BatchStorage> storage(raw);
  std::fill(storage->row_memory.begin(), storage->row_memory.end(), Slab{});
  storage->table.reset();
  const std::lock_guard lock(mutex_);
  if (idle_.size() < keep_) {
    idle_.push_back(std::move(storage));
  }
}

void BatchPool::keep_at_most(std::size_t keep) noexcept {
  const std::lock_guard lock(mutex_);
  keep_ = keep;
  while (idle_.size() > keep_) {
    idle_.pop_back();
  }
}

// Batch, the counted handle.

Batch::Batch(const Batch& other) noexcept : storage_(other.storage_) {
  if (storage_ != nullptr) {
    storage_->retain();
  }
}

Batch::~Batch() {
  if (storage_ != nullptr) {
    storage_->release();
  }
}

std::size_t Batch::rows() const noexcept { return storage_->rows; }
std::uint64_t Batch::epoch() const noexcept { return storage_->epoch; }
std::uint64_t Batch::step() const noexcept { return storage_->step; }
const std::vector<Column>& Batch::columns() const noexcept { return storage_->columns; }
std::span<const std::int64_t> Batch::index() const noexcept { return {storage_->index, storage_->rows}; }
const RawBytes* Batch::raw() const noexcept { return storage_->has_raw ? &storage_->raw : nullptr; }

Result<std::string> Batch::key(std::size_t row) const {
  return storage_->table->checked_key(static_cast<std::uint64_t>(storage_->index[row]));
}

std::vector<ListParams> Batch::params(std::size_t row) const {
  std::vector<ListParams> lists;
  std::span<const double> numbers = storage_->drawn[row];
  for (const DrawnListPlan& plan : *storage_->draws) {
    DrawnList drawn = plan.list.make_drawn();
    plan.list.load(numbers, drawn);
    lists.push_back({plan.name, plan.counted, plan.list.named(drawn)});
  }
  if (storage_->batch_draws) {
    std::span<const double> of_batch = storage_->batch_drawn;
    DrawnList drawn = storage_->batch_draws->make_drawn();
    storage_->batch_draws->load(of_batch, drawn);
    lists.push_back({"batch", false, storage_->batch_draws->named(drawn)});
  }
  return lists;
}

const Column* Batch::find(const std::string& name) const noexcept {
  const auto found = std::find_if(storage_->columns.begin(), storage_->columns.end(),
                                  [&name](const Column& column) { return column.field.name == name; });
  return found == storage_->columns.end() ? nullptr : &*found;
}

}  // namespace penstock::inline v0
