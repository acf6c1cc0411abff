#pragma once
// Is a range inside a source? Safe for every 64-bit value.

#include <cstdint>

#include "io/source.hpp"

namespace penstock::inline v0 {

constexpr bool is_within(std::uint64_t offset, std::uint64_t size, std::uint64_t total) noexcept {
  return offset <= total && size <= total - offset;
}

/// What a read past the end of `source` reports: `corrupt`.
Error range_error(const Source& source, std::uint64_t offset, std::uint64_t size);

}  // namespace penstock::inline v0
