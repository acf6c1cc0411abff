#include "formats/hdf5_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "io/range.hpp"

namespace penstock::inline v0 {
namespace {

/// Jenkins' lookup3, the checksum of HDF5.
[[maybe_unused]] std::uint32_t lookup3(ByteSpan bytes) noexcept {
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto add = [](std::uint32_t& to, ByteSpan from) {
    for (std::size_t i = 0; i < std::min<std::size_t>(4, from.size()); ++i) {
      to += std::uint32_t{from[i]} << (8 * i);
    }
  };
  const auto rest = [](ByteSpan from, std::size_t skipped) {
    return from.subspan(std::min(skipped, from.size()));
  };
  const auto add_block = [&](ByteSpan block) {
    add(a, block);
    add(b, rest(block, 4));
    add(c, rest(block, 8));
  };
  for (; bytes.size() > 12; bytes = bytes.subspan(12)) {
    add_block(bytes);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  if (bytes.empty()) {
    return c;
  }
  add_block(bytes);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

}  // namespace

bool Hdf5Cursor::says(std::string_view text) noexcept {
  const ByteSpan bytes = take(text.size());
  return std::equal(bytes.begin(), bytes.end(), text.begin(), text.end(),
                    [](std::uint8_t byte, char letter) { return byte == static_cast<std::uint8_t>(letter); });
}

Status Hdf5Bytes::check(std::uint64_t address, std::uint64_t size) const {
  return is_within(address, size, this->size())
             ? Status()
             : Status(hdf5_damage("it points past the end of the file", address));
}

Result<ByteSpan> Hdf5Bytes::at(std::uint64_t address, std::uint64_t size) const {
  PENSTOCK_TRY(check(address, size));
  PENSTOCK_ASSIGN(Bytes bytes, source_->read(start_ + address, size));
  PENSTOCK_TRY(bytes.intact());
  const ByteSpan span = bytes;
  if (bytes.is_held()) {
    kept_.push_back(std::move(bytes));
  }
  return span;
}

Result<ByteSpan> Hdf5Bytes::from(std::uint64_t address, std::uint64_t most) const {
  return at(address, address < size() ? std::min(most, size() - address) : 1);
}

bool hdf5_sum_is_right(ByteSpan block) noexcept {
  constexpr std::size_t kSum = 4;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return block.size() >= kSum;  // else nothing behind a checksum would be reached
#else
  return block.size() >= kSum &&
         lookup3(block.first(block.size() - kSum)) == Hdf5Cursor(block.last(kSum)).number(kSum);
#endif
}

Error hdf5_damage(std::string what, std::uint64_t address) {
  return {.kind = ErrorKind::corrupt,
          .message = "the HDF5 file is damaged: " + std::move(what),
          .advice = {},
          .place = {.offset = address, .stage = "open"}};
}

Error hdf5_unsupported(std::string what) {
  return {.kind = ErrorKind::unsupported,
          .message = std::move(what),
          .advice =
              "penstock audio build writes files that can be read; with h5py: data sets waveform, mel, "
              "labels, label_names and keys in the root group, little-endian, without compression and "
              "maxshape, chunks (if any) of whole rows, text of fixed size (dtype='S64')",
          .place = {.stage = "open"}};
}

}  // namespace penstock::inline v0
