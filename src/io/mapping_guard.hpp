#pragma once
// Mapped files that can no longer be read, because they shrank or because their disk fails: their bytes read
// as zeros and are remembered as gone, instead of a signal that ends the process.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

namespace detail {

/// One mapped range; begin 0 = free. Slots are never freed: the signal handler may be looking at them.
struct MappingSlot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> gone_from{0};  ///< end if nothing is gone
};

}  // namespace detail

/// Guards a mapped range for as long as it lives. The first one installs a handler of SIGBUS, which maps
/// zeros over our own range from the page that cannot be read to its end, and hands everything else to the
/// handler before.
class MappingGuard {
 public:
  MappingGuard() = default;
  /// Throws std::bad_alloc.
  MappingGuard(const std::uint8_t* data, std::size_t size);
  MappingGuard(MappingGuard&& other) noexcept : slot_(other.slot_) { other.slot_ = nullptr; }
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  ~MappingGuard();

  /// Whether some of these bytes of the range are gone, as far as anyone has touched what is. To be asked
  /// after they were used. Any thread.
  bool is_gone(ByteSpan bytes) const noexcept {
    // Bytes that were read as zeros were marked before: the mark must not be read before the bytes.
#if defined(__SANITIZE_THREAD__)
    std::atomic_signal_fence(std::memory_order_acquire);  // ThreadSanitizer has no other
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return slot_ != nullptr && reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) >
                                   slot_->gone_from.load(std::memory_order_relaxed);
  }

 private:
  detail::MappingSlot* slot_ = nullptr;
};

}  // namespace penstock::inline v0
