#pragma once
// Lack of memory that says how much was wanted, and for what.

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

namespace penstock::inline v0 {

/// "1.5 GB".
std::string as_size(std::uint64_t bytes);

/// "not enough memory for a batch of 64 rows, 1.5 GB; use a smaller batch_size".
class OutOfMemory final : public std::bad_alloc {
 public:
  OutOfMemory(std::string_view purpose, std::uint64_t bytes, std::string_view advice = {});
  const char* what() const noexcept override { return words_.data(); }

 private:
  std::array<char, 400> words_{};
};

}  // namespace penstock::inline v0
