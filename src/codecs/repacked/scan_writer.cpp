#include "codecs/repacked/scan_writer.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/repacked/coefficients.hpp"
#include "codecs/repacked/packed_header.hpp"
#include "codecs/repacked/value_bits.hpp"

namespace penstock::inline v0::detail {
namespace {

/// The tables of the DHT segment at `segment`, into those of their number. False if one is invalid.
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
        !is_valid_huffman_table(counts.data(), symbols, is_dc)) {
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

ScanSetup::ValueCodes small_values(const ScanSetup::Codes& codes) {
  ScanSetup::ValueCodes small;
  for (unsigned run = 0; run < 16; ++run) {
    for (int value = -ScanSetup::ValueCodes::kMax - 1; value <= ScanSetup::ValueCodes::kMax; ++value) {
      const ValueBits coded = value_bits(codes, run, value);
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
  bool valid = true;
  bool has_frame = false;
  bool has_scan = false;
  out.restart_interval = 0;
  for_each_segment(head, [&](std::uint8_t marker, std::size_t begin, std::size_t size) {
    const ByteSpan segment = head.subspan(begin, size);
    if (marker == 0xC4) {
      valid = valid && read_tables(segment, dc, ac);
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
  return valid && has_scan;
}

ScanWriter::ScanWriter(const ScanSetup& setup, bool zero_padding, Scratch& coded,
                       std::vector<std::uint8_t>& out)
    : setup_(setup),
      zero_padding_(zero_padding),
      out_(out),
      coded_(coded),
      end_{.at = coded_.reserve(kMaxBlockBytes)},
      to_go_(setup.restart_interval) {}

void ScanWriter::start_row(std::size_t blocks) {
  move_bytes();
  end_.at = coded_.reserve((blocks + 1) * kMaxBlockBytes);
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

void ScanWriter::fill_byte() {
  if (end_.count != 0) {
    const unsigned filling = zero_padding_ ? 0 : 0xFFu >> end_.count;
    *end_.at++ = static_cast<std::uint8_t>(end_.bits >> 56 | filling);
    end_.bits = 0;
    end_.count = 0;
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
  write_block(setup_, at, block.dc - last_dc_[at], block, end_);
  last_dc_[at] = block.dc;
}

bool ScanWriter::finish() {
  fill_byte();
  move_bytes();
  return !end_.missing_code;
}

}  // namespace penstock::inline v0::detail
