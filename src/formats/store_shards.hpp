#pragma once
// What a store knows of its shards, each learned when it is first needed.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "formats/store.hpp"

namespace penstock::inline v0 {

/// Values by number, made when they are first asked for and never changed. Any thread.
template <class Value>
class MadeOnce {
 public:
  explicit MadeOnce(std::size_t count) : made_(count) {}
  ~MadeOnce() {
    for (const auto& value : made_) {
      delete value.load(std::memory_order_relaxed);
    }
  }
  MadeOnce(const MadeOnce&) = delete;
  MadeOnce& operator=(const MadeOnce&) = delete;

  /// `make`: gives a Result<Value>. What fails is tried again the next time.
  template <class Make>
  Result<const Value*> get(std::size_t number, Make&& make) {
    auto& slot = made_[number];
    const Value* value = slot.load(std::memory_order_acquire);
    if (value == nullptr) {
      const std::lock_guard lock(making_);
      value = slot.load(std::memory_order_acquire);
      if (value == nullptr) {
        PENSTOCK_ASSIGN(Value made, make());
        value = new const Value(std::move(made));
        slot.store(value, std::memory_order_release);
      }
    }
    return value;
  }

 private:
  std::mutex making_;
  std::vector<std::atomic<const Value*>> made_;
};

/// The samples of a shard, by the index.
struct StoreFiles::ShardRows {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t placed = 0;  ///< bytes of all their fields that lie within the file

  /// Rows that place the same bytes again and again would make a small store a large one. A damaged row does
  /// no harm to the others.
  bool is_overfull(std::uint64_t size) const noexcept { return placed / 2 > size; }
};

struct StoreFiles::Shards {
  explicit Shards(std::size_t count) : rows(count), files(count) {}

  MadeOnce<ShardRows> rows;
  MadeOnce<SourcePtr> files;
};

}  // namespace penstock::inline v0
