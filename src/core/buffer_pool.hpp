#pragma once
// Big byte buffers that are handed out, shared by reference count and used again.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace penstock::inline v0 {

namespace detail {
struct PoolState;

/// The control block of one buffer. Owned by the pool's state while free, by the handles while in use.
struct SlabBlock {
  std::atomic<std::uint32_t> holders{0};
  std::uint8_t* data = nullptr;
  std::size_t size = 0;      // as asked for
  std::size_t capacity = 0;  // usable, without slack
  std::size_t mapped = 0;    // bytes from mmap, or 0: from the heap
  SlabBlock* next = nullptr;
  std::shared_ptr<PoolState> pool;  // set while in use
};

/// Takes a block whose last holder has gone.
void return_slab(SlabBlock* block) noexcept;
}  // namespace detail

/// A handle on a buffer of a BufferPool, or empty. Copies share the buffer; the last one to go gives it back
/// to the pool, on whatever thread that happens; handles may outlive the pool. Different handles on one
/// buffer may be copied and dropped by different threads at once; a single handle, and the bytes, are the
/// users' to guard.
class Slab {
 public:
  /// The start of every buffer is aligned to this; of one of BufferPool::kMapFrom bytes or more, to a page.
  static constexpr std::size_t kAlignment = 64;
  /// Bytes past size() that may be read and written, so that vector code needs no tail.
  static constexpr std::size_t kSlack = 64;

  Slab() noexcept = default;
  Slab(const Slab& other) noexcept : block_(other.block_) {
    if (block_) {
      block_->holders.fetch_add(1, std::memory_order_relaxed);
    }
  }
  Slab(Slab&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Slab& operator=(Slab other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Slab() { reset(); }

  /// Lets go; empty afterwards.
  void reset() noexcept {
    if (detail::SlabBlock* block = std::exchange(block_, nullptr);
        block && block->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      detail::return_slab(block);
    }
  }

  explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Contents are undefined at first: never zeroed. Null and 0 for an empty handle.
  std::uint8_t* data() const noexcept { return block_ ? block_->data : nullptr; }
  std::size_t size() const noexcept { return block_ ? block_->size : 0; }
  /// Handles on this buffer, a moment ago.
  std::uint32_t holders() const noexcept {
    return block_ ? block_->holders.load(std::memory_order_relaxed) : 0;
  }

 private:
  friend class BufferPool;
  explicit Slab(detail::SlabBlock* block) noexcept : block_(block) {}

  detail::SlabBlock* block_ = nullptr;
};

/// A moment's view of a pool. Bytes count capacity: what is set aside, not what was asked for.
struct BufferPoolStats {
  std::size_t slabs_in_use = 0;
  std::size_t slabs_free = 0;
  std::size_t bytes_in_use = 0;
  std::size_t bytes_free = 0;
  std::uint64_t allocations = 0;  ///< buffers ever taken from the system
  std::uint64_t acquisitions = 0;

  std::size_t bytes_allocated() const noexcept { return bytes_in_use + bytes_free; }
  bool operator==(const BufferPoolStats&) const = default;
};

/// Hands out buffers and keeps a bounded number of those that came back. Once it has seen the sizes that are
/// needed, acquiring and letting go allocate nothing. Any thread may call anything; a short lock inside.
class BufferPool {
 public:
  /// Buffers of at least this many bytes are mapped and start on a page; most others come from the heap.
  static constexpr std::size_t kMapFrom = std::size_t{1} << 20;
  /// Mapped buffers of at least this many bytes ask for huge pages.
  static constexpr std::size_t kHugeFrom = std::size_t{4} << 20;
  static constexpr std::size_t kDefaultKeepFree = 8;

  /// `keep_free`: free buffers kept for reuse; beyond it, the one unused for longest goes back to the system.
  explicit BufferPool(std::size_t keep_free = kDefaultKeepFree);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  /// Buffers in use live on until their last handle goes, then return to the system.
  ~BufferPool();

  /// A buffer of `size` bytes (0 is allowed) plus slack, contents undefined. A free one is used again if it
  /// is big enough and no bigger than twice the size plus 1 MiB. Throws OutOfMemory.
  Slab acquire(std::size_t size);

  /// Also gives back at once what is above the new limit.
  void set_keep_free(std::size_t keep_free);
  BufferPoolStats stats() const;

 private:
  std::shared_ptr<detail::PoolState> state_;
};

}  // namespace penstock::inline v0
