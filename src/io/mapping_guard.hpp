#pragma once
// Files that shrink while they are mapped: their bytes read as zeros and are remembered as gone, instead of a
// signal that ends the process.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock {

namespace detail {

/// One mapped range; begin 0 = free. Slots are never freed: the signal handler may be looking at them.
struct MappingSlot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> gone_from{0};  ///< end if nothing is gone
};

extern std::atomic<bool> any_mapping_damaged;

}  // namespace detail

/// Guards a mapped range for as long as it lives. The first one installs a handler of SIGBUS, which maps
/// zeros over what is gone of our own ranges and hands everything else to the handler before.
class MappingGuard {
 public:
  MappingGuard() = default;
  /// Throws std::bad_alloc.
  MappingGuard(const std::uint8_t* data, std::size_t size);
  MappingGuard(MappingGuard&& other) noexcept : slot_(other.slot_) { other.slot_ = nullptr; }
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  ~MappingGuard();

 private:
  detail::MappingSlot* slot_ = nullptr;
};

/// Whether some of these bytes belong to a mapped file that has become shorter, as far as anyone has touched
/// what is gone. To be asked after the bytes were used. Any thread.
bool are_gone_slow(ByteSpan bytes) noexcept;
inline bool are_gone(ByteSpan bytes) noexcept {
  return detail::any_mapping_damaged.load(std::memory_order_relaxed) && are_gone_slow(bytes);
}

/// `io`, if they are; else `otherwise`, the outcome of what was done with the bytes.
Status unless_gone(ByteSpan bytes, Status otherwise);

}  // namespace penstock
