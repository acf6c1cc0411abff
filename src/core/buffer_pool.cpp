#include "core/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PENSTOCK_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PENSTOCK_ASAN 1
#endif
#ifdef PENSTOCK_ASAN
#include <sanitizer/asan_interface.h>
#endif

#include "core/out_of_memory.hpp"

namespace penstock::inline v0 {

namespace detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMaxPage = std::size_t{64} << 10;  // of the ordinary pages that systems use

constexpr std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// Steps of an eighth of the power of two below, so that sizes that vary a little find each other's buffers.
std::size_t capacity_for(std::size_t size) {
  return round_up(std::max<std::size_t>(size, 1),
                  std::max<std::size_t>(std::bit_floor(size) / 8, Slab::kAlignment));
}

/// AddressSanitizer then reports whoever touches a buffer that has been given back, or goes beyond the slack.
void forbid(const SlabBlock& block, std::size_t from) noexcept {
#ifdef PENSTOCK_ASAN
  ASAN_UNPOISON_MEMORY_REGION(block.data, block.capacity + Slab::kSlack);
  ASAN_POISON_MEMORY_REGION(block.data + from, block.capacity + Slab::kSlack - from);
#else
  static_cast<void>(block);
  static_cast<void>(from);
#endif
}

/// Huge pages only cover whole aligned stretches, so a big mapping is cut out of a bigger one to start on
/// one.
std::uint8_t* map_memory(std::size_t bytes) {
  const bool huge = bytes >= BufferPool::kHugeFrom;
  const std::size_t spare = huge ? kHugePage : 0;
  void* const raw =
      ::mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) {
    throw OutOfMemory("a buffer", bytes);
  }
  auto* const start = static_cast<std::uint8_t*>(raw);
  if (!huge) {
    return start;
  }
  const std::size_t address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = round_up(address, kHugePage) - address;
  if (before > 0) {
    ::munmap(start, before);
  }
  if (before < spare) {
    ::munmap(start + before + bytes, spare - before);
  }
#ifdef MADV_HUGEPAGE
  ::madvise(start + before, bytes, MADV_HUGEPAGE);  // a wish: small pages do as well
#endif
  return start + before;
}

SlabBlock* allocate(std::size_t size) {
  if (size > std::numeric_limits<std::size_t>::max() / 4) {
    throw OutOfMemory("a buffer", size);
  }
  auto block = std::make_unique<SlabBlock>();
  block->capacity = capacity_for(size);
  const std::size_t bytes = block->capacity + Slab::kSlack;
  if (block->capacity >= BufferPool::kMapFrom) {
    block->mapped = round_up(bytes, kMaxPage);
    block->data = map_memory(block->mapped);
  } else {
    block->data = static_cast<std::uint8_t*>(std::aligned_alloc(Slab::kAlignment, bytes));
    if (!block->data) {
      throw OutOfMemory("a buffer", size);
    }
  }
  return block.release();
}

void deallocate(SlabBlock* block) noexcept {
  const std::unique_ptr<SlabBlock> owner(block);
  forbid(*block, block->capacity + Slab::kSlack);
  if (block->mapped > 0) {
    ::munmap(block->data, block->mapped);
  } else {
    std::free(block->data);
  }
}

}  // namespace

/// What the pool and the buffers in use share. The free blocks form a list, the one unused for longest first.
struct PoolState {
  std::mutex mutex;
  std::size_t keep_free = 0;
  SlabBlock* oldest = nullptr;
  SlabBlock* newest = nullptr;
  BufferPoolStats stats;

  /// The smallest free block that will do (of equals the one used last), or null.
  SlabBlock* take(std::size_t size) {
    SlabBlock* best = nullptr;
    SlabBlock* before_best = nullptr;
    for (SlabBlock *before = nullptr, *block = oldest; block; before = block, block = block->next) {
      if (block->capacity >= size && block->capacity / 2 <= size + BufferPool::kMapFrom / 2 &&
          (!best || block->capacity <= best->capacity)) {
        best = block;
        before_best = before;
      }
    }
    if (best) {
      unlink(before_best, best);
    }
    return best;
  }

  void put(SlabBlock* block) {
    block->next = nullptr;
    (newest ? newest->next : oldest) = block;
    newest = block;
    ++stats.slabs_free;
    stats.bytes_free += block->capacity;
  }

  /// Unlinks what is above the limit, as a list.
  SlabBlock* surplus() {
    SlabBlock* list = nullptr;
    while (stats.slabs_free > keep_free) {
      SlabBlock* const block = oldest;
      unlink(nullptr, block);
      block->next = list;
      list = block;
    }
    return list;
  }

 private:
  void unlink(SlabBlock* before, SlabBlock* block) {
    (before ? before->next : oldest) = block->next;
    if (newest == block) {
      newest = before;
    }
    --stats.slabs_free;
    stats.bytes_free -= block->capacity;
  }
};

namespace {

void deallocate_list(SlabBlock* list) noexcept {
  while (list) {
    deallocate(std::exchange(list, list->next));
  }
}

}  // namespace

void return_slab(SlabBlock* block) noexcept {
  const std::shared_ptr<PoolState> pool = std::move(block->pool);
  forbid(*block, 0);
  SlabBlock* list = nullptr;
  {
    const std::lock_guard lock(pool->mutex);
    --pool->stats.slabs_in_use;
    pool->stats.bytes_in_use -= block->capacity;
    pool->put(block);
    list = pool->surplus();
  }
  deallocate_list(list);
}

}  // namespace detail

BufferPool::BufferPool(std::size_t keep_free) : state_(std::make_shared<detail::PoolState>()) {
  state_->keep_free = keep_free;
}

BufferPool::~BufferPool() { set_keep_free(0); }

Slab BufferPool::acquire(std::size_t size) {
  detail::SlabBlock* block = nullptr;
  const auto count = [&] {
    ++state_->stats.acquisitions;
    ++state_->stats.slabs_in_use;
    state_->stats.bytes_in_use += block->capacity;
  };
  {
    const std::lock_guard lock(state_->mutex);
    block = state_->take(size);
    if (block) {
      count();
    }
  }
  if (!block) {
    block = detail::allocate(size);
    const std::lock_guard lock(state_->mutex);
    ++state_->stats.allocations;
    count();
  }
  block->size = size;
  block->pool = state_;
  block->holders.store(1, std::memory_order_relaxed);
  detail::forbid(*block, size + Slab::kSlack);
  return Slab(block);
}

void BufferPool::set_keep_free(std::size_t keep_free) {
  detail::SlabBlock* list = nullptr;
  {
    const std::lock_guard lock(state_->mutex);
    state_->keep_free = keep_free;
    list = state_->surplus();
  }
  detail::deallocate_list(list);
}

BufferPoolStats BufferPool::stats() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

}  // namespace penstock::inline v0
