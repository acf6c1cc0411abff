#pragma once
// A byte buffer that only grows and is used again and again by one thread.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

#include "core/out_of_memory.hpp"

namespace penstock::inline v0 {

/// Not thread-safe: one owner. Contents are undefined after a growing reserve(); memory is never zeroed.
class Scratch {
 public:
  static constexpr std::size_t kAlignment = 64;
  /// Bytes past the requested size that may be read and written, so that vector code needs no tail.
  static constexpr std::size_t kSlack = 64;

  /// Bytes that a growing buffer takes for the next, slightly larger request, at most.
  static constexpr std::size_t kMaxSpare = std::size_t{16} << 20;

  /// At least `size` bytes (plus kSlack), aligned to kAlignment. Throws OutOfMemory.
  std::uint8_t* reserve(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / 2) {
      throw_lack(size);
    }
    if (size + kSlack > capacity_) {
      const std::size_t spare = size / 4 < kMaxSpare ? size / 4 : kMaxSpare;
      const std::size_t grown = (size + spare + kSlack + kAlignment - 1) / kAlignment * kAlignment;
      data_.reset();
      capacity_ = 0;
      data_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, grown)));
      if (!data_) {
        throw_lack(size);
      }
      capacity_ = grown;
    }
    return data_.get();
  }
  std::uint8_t* data() noexcept { return data_.get(); }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Gives the memory back.
  void release() noexcept {
    data_.reset();
    capacity_ = 0;
  }

 private:
  [[noreturn]] static void throw_lack(std::size_t size) { throw OutOfMemory("working memory", size); }

  struct Free {
    void operator()(std::uint8_t* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t capacity_ = 0;
};

}  // namespace penstock::inline v0
