#include "codecs/repacked/scan_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "codecs/repacked/coefficients.hpp"
#include "codecs/repacked/packed_header.hpp"

namespace penstock::detail {
namespace {

constexpr std::size_t kMostBlockBytes = 64 * 4 + 8;  // 32 bits a coefficient; the last store

/// The tables of the DHT segment at `segment`, into those of their number. False if one is unsound.
bool read_tables(ByteSpan segment, std::array<ScanSetup::Codes, 4>& dc, std::array<ScanSetup::Codes, 4>& ac) {
  std::size_t at = 4;
  while (at < segment.size()) {
    if (segment.size() - at < 17) {
      return false;
    }
    const unsigned number = segment[at] & 15u;
    const bool is_dc = segment[at] < 16;
    std::array<std::uint8_t, 17> counts{};
    std::copy_n(segment.begin() + static_cast<std::ptrdiff_t>(at) + 1, 16, counts.begin() + 1);
    std::size_t total = 0;
    for (const std::uint8_t count : counts) {
      total += count;
    }
    at += 17;
    const std::uint8_t* symbols = segment.data() + at;
    if (number > 3 || segment[at - 17] > 0x1F || total > segment.size() - at ||
        !is_sound_huffman_table(counts.data(), symbols, is_dc)) {
      return false;
    }
    ScanSetup::Codes& codes = (is_dc ? dc : ac)[number];
    codes.of.fill(0);
    unsigned code = 0;
    for (std::size_t length = 1; length <= 16; ++length, code <<= 1) {
      for (unsigned i = 0; i < counts[length]; ++i) {
        codes.of[*symbols++] = code++ << ScanSetup::Codes::kLengthBits | static_cast<unsigned>(length);
      }
    }
    at += total;
  }
  return true;
}

constexpr unsigned kLengthMask = (1u << ScanSetup::Codes::kLengthBits) - 1;

/// A code and the bits of a value after it, with their length; 0 without a code.
struct ValueBits {
  std::uint64_t bits;
  unsigned length;
  bool missing;

  [[gnu::always_inline]] ValueBits(const ScanSetup::Codes& codes, unsigned run, int value) {
    const auto size = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value))));
    const std::uint32_t code = codes.of[(run << 4 | size) & 255u];
    const unsigned low = static_cast<unsigned>(value + (value >> 31)) & ((1u << size) - 1);
    bits = std::uint64_t{code >> ScanSetup::Codes::kLengthBits} << size | low;
    length = (code & kLengthMask) + size;
    missing = code == 0 || size > 15;
  }
};

ScanSetup::ValueCodes small_values(const ScanSetup::Codes& codes) {
  ScanSetup::ValueCodes small;
  for (unsigned run = 0; run < 16; ++run) {
    for (int value = -ScanSetup::ValueCodes::kMost - 1; value <= ScanSetup::ValueCodes::kMost; ++value) {
      const ValueBits coded(codes, run, value);
      small.of[run * 16 + static_cast<unsigned>(value + 8)] =
          coded.missing || value == 0
              ? 0
              : static_cast<std::uint32_t>(coded.bits << ScanSetup::Codes::kLengthBits) | coded.length;
    }
  }
  return small;
}

}  // namespace

bool read_scan_setup(ByteSpan head, const RepackGeometry& geometry, ScanSetup& out) {
  std::array<ScanSetup::Codes, 4> dc;
  std::array<ScanSetup::Codes, 4> ac;
  const auto components = static_cast<std::size_t>(geometry.components());
  std::array<std::uint8_t, 3> ids{};
  bool sound = true;
  bool has_frame = false;
  bool has_scan = false;
  out.restart_interval = 0;
  for_each_segment(head, [&](std::uint8_t marker, std::size_t begin, std::size_t size) {
    const ByteSpan segment = head.subspan(begin, size);
    if (marker == 0xC4) {
      sound = sound && read_tables(segment, dc, ac);
    } else if (marker == 0xDD && size >= 6) {
      out.restart_interval = static_cast<unsigned>(segment[4] << 8 | segment[5]);
    } else if (marker == 0xC0 || marker == 0xC1) {
      has_frame = size == 10 + 3 * components && segment[9] == components;
      for (std::size_t i = 0; has_frame && i < components; ++i) {
        ids[i] = segment[10 + 3 * i];
      }
    } else if (marker == 0xDA) {
      has_scan =
          has_frame && size == 8 + 2 * components && segment[4] == components && begin + size == head.size();
      for (std::size_t i = 0; has_scan && i < components; ++i) {
        const auto id =
            std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(components), segment[5 + 2 * i]);
        const auto component = static_cast<std::size_t>(id - ids.begin());
        const unsigned tables = segment[6 + 2 * i];
        if (component >= components || tables >> 4 > 3 || (tables & 15) > 3) {
          has_scan = false;
          break;
        }
        out.order[i] = static_cast<int>(component);
        out.dc[component] = dc[tables >> 4];
        out.ac[component] = ac[tables & 15];
        out.small[component] = small_values(out.ac[component]);
      }
    }
  });
  return sound && has_scan;
}

ScanWriter::ScanWriter(const ScanSetup& setup, bool zero_padding, Scratch& coded,
                       std::vector<std::uint8_t>& out)
    : setup_(setup),
      zero_padding_(zero_padding),
      out_(out),
      coded_(coded),
      end_{coded_.reserve(kMostBlockBytes), 0, 0, false},
      to_go_(setup.restart_interval) {}

void ScanWriter::start_row(std::size_t blocks) {
  move_bytes();
  end_.at = coded_.reserve((blocks + 1) * kMostBlockBytes);
}

/// Moves the whole bytes to the file, a zero after each FF.
void ScanWriter::move_bytes() {
  const std::uint8_t* from = coded_.data();
  while (from != end_.at) {
    const auto left = static_cast<std::size_t>(end_.at - from);
    const auto* const mark = static_cast<const std::uint8_t*>(std::memchr(from, 0xFF, left));
    const std::uint8_t* const to = mark != nullptr ? mark + 1 : end_.at;
    out_.insert(out_.end(), from, to);
    if (mark != nullptr) {
      out_.push_back(0);
    }
    from = to;
  }
  end_.at = coded_.data();
}

[[gnu::always_inline]] inline void ScanWriter::End::put(std::uint64_t more, unsigned length) {
  // Without a branch: eight bytes are stored each time, and as many counted as are complete.
  bits |= more << ((64 - count - length) & 63);
  count += length;
  const std::uint64_t swapped = std::endian::native == std::endian::little ? __builtin_bswap64(bits) : bits;
  std::memcpy(at, &swapped, sizeof swapped);
  at += count / 8;
  bits <<= count / 8 * 8;
  count %= 8;
}

[[gnu::always_inline]] inline void ScanWriter::End::put_code(std::uint32_t code) {
  missing_code |= code == 0;
  put(code >> ScanSetup::Codes::kLengthBits, code & kLengthMask);
}

[[gnu::always_inline]] inline void ScanWriter::End::put_value(const ScanSetup::Codes& codes, unsigned run,
                                                              int value) {
  const ValueBits coded(codes, run, value);
  missing_code |= coded.missing;
  put(coded.bits, coded.length);
}

void ScanWriter::fill_byte() {
  if (end_.count != 0) {
    const unsigned missing = 8 - end_.count;
    end_.put(zero_padding_ ? 0 : (1u << missing) - 1, missing);
  }
}

void ScanWriter::start_mcu() {
  if (setup_.restart_interval == 0) {
    return;
  }
  if (to_go_ == 0) {
    fill_byte();
    move_bytes();
    out_.push_back(0xFF);
    out_.push_back(static_cast<std::uint8_t>(0xD0 + next_restart_));
    next_restart_ = (next_restart_ + 1) & 7;
    to_go_ = setup_.restart_interval;
    last_dc_.fill(0);
  }
  --to_go_;
}

void ScanWriter::write(int component, const SparseBlock& block) {
  const auto at = static_cast<std::size_t>(component);
  const ScanSetup::Codes& ac = setup_.ac[at];
  const ScanSetup::ValueCodes& small = setup_.small[at];
  End end = end_;
  end.put_value(setup_.dc[at], 0, block.dc - last_dc_[at]);
  last_dc_[at] = block.dc;
  unsigned last = 0;
  for (std::uint64_t mask = block.mask; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(mask));
    unsigned run = k - last - 1;
    for (; run > 15; run -= 16) {
      end.put_code(ac.of[0xF0]);
    }
    const int value = block.zigzag[k];
    if (const auto place = static_cast<unsigned>(value + 8); place < 16) [[likely]] {
      end.put_code(small.of[run * 16 + place]);
    } else {
      end.put_value(ac, run, value);
    }
    last = k;
  }
  if (last < 63) {
    end.put_code(ac.of[0]);
  }
  end_ = end;
}

bool ScanWriter::finish() {
  fill_byte();
  move_bytes();
  return !end_.missing_code;
}

}  // namespace penstock::detail
