#include "codecs/repacked/scan_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "codecs/repacked/coefficients.hpp"
#include "codecs/repacked/packed_header.hpp"

namespace penstock::detail {
namespace {

constexpr std::size_t kMostBlockBytes =
    64 * 4 * 2 + 16;  // 32 bits a coefficient, each byte stuffed; restarts

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
      }
    }
  });
  return sound && has_scan;
}

ScanWriter::ScanWriter(const ScanSetup& setup, bool zero_padding, std::vector<std::uint8_t>& out)
    : setup_(setup),
      zero_padding_(zero_padding),
      out_(out),
      end_{out.data() + out.size(), 0, 0, false},
      to_go_(setup.restart_interval) {}

void ScanWriter::reserve_blocks(std::size_t count) {
  const auto size = static_cast<std::size_t>(end_.at - out_.data());
  const std::size_t needed = size + count * kMostBlockBytes + 64;
  if (out_.size() < needed) {
    out_.resize(std::max(needed, out_.size() + out_.size() / 2));
    end_.at = out_.data() + size;
  }
}

inline void ScanWriter::End::put_byte(std::uint8_t byte) {
  *at++ = byte;
  if (byte == 0xFF) {
    *at++ = 0;
  }
}

[[gnu::always_inline]] inline void ScanWriter::End::put(std::uint64_t more, unsigned length) {
  bits = bits << length | more;
  count += length;
  if (count < 32) {
    return;
  }
  count -= 32;
  const auto four = static_cast<std::uint32_t>(bits >> count);
  if (((~four - 0x01010101u) & four & 0x80808080u) == 0) [[likely]] {
    const std::uint32_t swapped = __builtin_bswap32(four);
    std::memcpy(at, &swapped, sizeof swapped);
    at += 4;
    return;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    put_byte(static_cast<std::uint8_t>(four >> shift));
  }
}

[[gnu::always_inline]] inline void ScanWriter::End::put_symbol(const ScanSetup::Codes& codes,
                                                               unsigned symbol) {
  const std::uint32_t code = codes.of[symbol];
  missing_code |= code == 0;
  put(code >> ScanSetup::Codes::kLengthBits, code & ((1u << ScanSetup::Codes::kLengthBits) - 1));
}

[[gnu::always_inline]] inline void ScanWriter::End::put_value(const ScanSetup::Codes& codes, unsigned run,
                                                              int value) {
  const auto size = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value))));
  const std::uint32_t code = codes.of[(run << 4 | size) & 255u];
  const unsigned low = static_cast<unsigned>(value + (value >> 31)) & ((1u << size) - 1);
  missing_code |= code == 0 || size > 15;
  put(std::uint64_t{code >> ScanSetup::Codes::kLengthBits} << size | low,
      (code & ((1u << ScanSetup::Codes::kLengthBits) - 1)) + size);
}

void ScanWriter::fill_byte() {
  if (const unsigned open = end_.count % 8; open != 0) {
    const unsigned missing = 8 - open;
    end_.put(zero_padding_ ? 0 : (1u << missing) - 1, missing);
  }
  for (; end_.count > 0; end_.count -= 8) {
    end_.put_byte(static_cast<std::uint8_t>(end_.bits >> (end_.count - 8)));
  }
  end_.bits = 0;
}

void ScanWriter::start_mcu() {
  if (setup_.restart_interval == 0) {
    return;
  }
  if (to_go_ == 0) {
    fill_byte();
    *end_.at++ = 0xFF;
    *end_.at++ = static_cast<std::uint8_t>(0xD0 + next_restart_);
    next_restart_ = (next_restart_ + 1) & 7;
    to_go_ = setup_.restart_interval;
    last_dc_.fill(0);
  }
  --to_go_;
}

void ScanWriter::write(int component, const SparseBlock& block) {
  const auto at = static_cast<std::size_t>(component);
  const ScanSetup::Codes& ac = setup_.ac[at];
  End end = end_;
  end.put_value(setup_.dc[at], 0, block.dc - last_dc_[at]);
  last_dc_[at] = block.dc;
  unsigned last = 0;
  for (std::uint64_t mask = block.mask; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(mask));
    unsigned run = k - last - 1;
    for (; run > 15; run -= 16) {
      end.put_symbol(ac, 0xF0);
    }
    end.put_value(ac, run, block.zigzag[k]);
    last = k;
  }
  if (last < 63) {
    end.put_symbol(ac, 0);
  }
  end_ = end;
}

bool ScanWriter::finish() {
  reserve_blocks(1);
  fill_byte();
  out_.resize(static_cast<std::size_t>(end_.at - out_.data()));
  return !end_.missing_code;
}

}  // namespace penstock::detail
