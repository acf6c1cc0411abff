#include "codecs/jpeg_huffman.hpp"

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <algorithm>
#include <bit>
#include <cstring>

// libjpeg keeps its entropy decoder behind these pointers; their place and meaning are those of every libjpeg
// since release 5. `blocks` are zeroed by the caller, or null when the coefficients are not wanted.
struct jpeg_entropy_decoder {
  void (*start_pass)(j_decompress_ptr cinfo);
  boolean (*decode_mcu)(j_decompress_ptr cinfo, JBLOCKROW* blocks);
};

namespace penstock::detail {
namespace {

/// Natural place of the k-th coefficient of the zigzag; damaged data can run 15 places past the end.
constexpr std::array<std::uint8_t, 64 + 16> kNatural = [] {
  std::array<std::uint8_t, 64 + 16> order{};
  int row = 0;
  int column = 0;
  for (int k = 0; k < 64; ++k) {
    order[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(row * 8 + column);
    const bool upwards = (row + column) % 2 == 0;
    if (upwards ? column == 7 : row == 7) {
      (upwards ? row : column) += 1;
    } else if (upwards ? row == 0 : column == 0) {
      (upwards ? column : row) += 1;
    } else {
      row += upwards ? -1 : 1;
      column += upwards ? 1 : -1;
    }
  }
  for (std::size_t k = 64; k < order.size(); ++k) {
    order[k] = 63;
  }
  return order;
}();

constexpr std::uint32_t entry_of(unsigned code_length, unsigned symbol) {
  const unsigned run = symbol >> 4;
  const unsigned value_length = symbol & 15;
  const bool ends_block = value_length == 0 && run != 15;
  return (code_length + value_length) | (value_length << 8) | ((ends_block ? 0 : run + 1) << 16);
}

constexpr unsigned length_of(std::uint32_t entry) { return entry & 63; }
constexpr unsigned value_length_of(std::uint32_t entry) { return (entry >> 8) & 15; }
constexpr unsigned passed_by(std::uint32_t entry) { return entry >> 16; }

constexpr std::uint16_t kEndsBlock = 0x8000;

std::uint64_t load_big_endian(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::little) {
    word = __builtin_bswap64(word);
  }
  return word;
}

bool has_ff(std::uint64_t word) {
  return ((~word - 0x0101010101010101ull) & word & 0x8080808080808080ull) != 0;
}

/// Takes out the zero after an FF of the data; at a marker or the end of the file, zeros stand in.
/// By value: the caller's copy stays in registers.
[[gnu::noinline]] ScanBits refilled_bytewise(ScanBits bits) {
  while (bits.count < 56 && bits.next != bits.end) {
    const std::uint8_t* after = bits.next + 1;
    if (*bits.next == 0xFF) {
      while (after != bits.end && *after == 0xFF) {
        ++after;
      }
      if (after == bits.end || *after != 0) {
        break;
      }
      ++after;
    }
    bits.window |= static_cast<std::uint64_t>(*bits.next) << (56 - bits.count);
    bits.count += 8;
    bits.next = after;
  }
  if (bits.count < 56) {
    bits.padding += 63 - bits.count;
    bits.count = 63;
  }
  return bits;
}

/// At least 56 bits in the window; a code and its value take at most 31.
[[gnu::always_inline]] inline void refill(ScanBits& bits) {
  if (bits.end - bits.next >= 8) [[likely]] {
    const std::uint64_t word = load_big_endian(bits.next);
    if (!has_ff(word)) [[likely]] {
      bits.window |= word >> bits.count;
      bits.next += (63 - bits.count) >> 3;
      bits.count |= 56;
      return;
    }
  }
  bits = refilled_bytewise(bits);
}

[[gnu::always_inline]] inline void take(ScanBits& bits, unsigned length) {
  bits.window <<= length;
  bits.count -= static_cast<int>(length);
}

[[gnu::always_inline]] inline std::size_t look(const ScanBits& bits) {
  return bits.window >> (64 - HuffmanLookup::kLookBits);
}

/// The value whose bits follow the code at the top of `window`, as the standard's EXTEND procedure.
inline int value_in(std::uint64_t window, std::uint32_t entry) {
  const unsigned length = value_length_of(entry);
  const auto bits = static_cast<std::int32_t>((window >> (64 - length_of(entry))) & ((1u << length) - 1));
  const std::int32_t is_negative = (bits >> (length - 1)) - 1;  // all ones if the first bit is 0
  return bits + (is_negative & (1 - (1 << length)));
}

/// The entry for the code at the top of the window, whatever its length; 0 if it is no code.
[[gnu::always_inline]] inline std::uint32_t find(const ScanBits& bits, const HuffmanLookup& table) {
  const std::uint32_t entry = table.one()[look(bits)];
  return entry != 0 ? entry : table.find_long(bits.window);
}

/// Reads one code in a refilled window. False if it is no code.
[[gnu::always_inline]] inline bool read_dc(ScanBits& bits, const HuffmanLookup& table, int& difference) {
  const std::uint32_t entry = find(bits, table);
  difference = value_length_of(entry) == 0 ? 0 : value_in(bits.window, entry);
  take(bits, length_of(entry));
  return entry != 0;
}

enum class Step { more, block_ends, no_code };

/// Reads one AC code and its value; `k` is the last coefficient read so far.
template <bool kStore>
[[gnu::always_inline]] inline Step read_one(ScanBits& bits, const HuffmanLookup& table, unsigned& k,
                                            std::int16_t* block) {
  refill(bits);
  const std::uint32_t entry = find(bits, table);
  if (entry == 0) {
    return Step::no_code;
  }
  k += passed_by(entry);
  if constexpr (kStore) {
    if (value_length_of(entry) != 0) {
      block[kNatural[k]] = static_cast<std::int16_t>(value_in(bits.window, entry));
    }
  }
  take(bits, length_of(entry));
  return passed_by(entry) == 0 ? Step::block_ends : Step::more;
}

/// The AC coefficients of a block, stored to `block` or only passed over. False if they are damaged.
/// Groups of codes are used as long as all of the group surely belongs to this block: after the 63rd
/// coefficient comes no end of block.
template <bool kStore>
[[gnu::always_inline]] inline bool read_ac(ScanBits& bits, const HuffmanLookup& table, std::int16_t* block) {
  constexpr int kGroupsPerRefill = kStore ? 5 : 2;  // of at most 10 and 25 bits
  unsigned k = 0;
  do {
    refill(bits);
#pragma GCC unroll 5
    for (int i = 0; i < kGroupsPerRefill; ++i) {
      unsigned passed = 0;
      unsigned length = 0;
      bool ends = false;
      if constexpr (kStore) {
        const std::uint64_t group = table.two()[look(bits)];
        passed = static_cast<std::uint8_t>(group >> 16);
        if (k + passed < 63) [[likely]] {
          block[kNatural[k + static_cast<std::uint8_t>(group >> 8)]] = static_cast<std::int16_t>(group >> 32);
          block[kNatural[k + passed]] = static_cast<std::int16_t>(group >> 48);
        }
        length = group & 63;
        ends = (group & (1u << 24)) != 0;
      } else {
        const unsigned group = table.several()[look(bits)];
        passed = (group >> 8) & 127;
        length = group & 63;
        ends = (group & kEndsBlock) != 0;
      }
      if (k + passed < 63) [[likely]] {
        take(bits, length);
        k += passed;
        if (ends) {
          return true;
        }
      } else {
        const Step step = read_one<kStore>(bits, table, k, block);
        if (step != Step::more) {
          return step == Step::block_ends;
        }
        break;
      }
    }
  } while (k < 63);
  return k == 63;
}

}  // namespace

void HuffmanLookup::build(const std::uint8_t* counts, const std::uint8_t* symbols, bool groups) {
  int total = 0;
  for (int length = 1; length <= 16; ++length) {
    total += counts[length];
  }
  const auto used = static_cast<std::size_t>(std::min(total, 256));
  if (std::memcmp(counts_.data() + 1, counts + 1, 16) != 0 ||
      std::memcmp(symbols_.data(), symbols, used) != 0) {
    std::memcpy(counts_.data() + 1, counts + 1, 16);
    std::memcpy(symbols_.data(), symbols, used);
    build_one();
    groups_are_built_ = false;
  }
  if (groups && !groups_are_built_) {
    build_groups();
    groups_are_built_ = true;
  }
}

void HuffmanLookup::build_one() {
  std::uint32_t* filled = one_.data();
  std::uint32_t* const end = filled + kSize;
  int code = 0;
  int index = 0;
  for (unsigned length = 1; length <= 16; ++length) {
    first_code_[length] = code;
    first_symbol_[length] = index;
    for (int i = 0; i < counts_[length] && index < 256; ++i, ++index) {
      if (length <= kLookBits) {
        const std::uint32_t entry = entry_of(length, symbols_[static_cast<std::size_t>(index)]);
        filled =
            std::fill_n(filled, std::min(std::ptrdiff_t{1} << (kLookBits - length), end - filled), entry);
      }
    }
    code = (code + counts_[length]) << 1;
  }
  std::fill(filled, end, 0u);
}

void HuffmanLookup::build_groups() {
  constexpr std::uint64_t kNoneFits = 0xFF0000;
  constexpr unsigned kNonePasses = 127;
  for (std::size_t index = 0; index < kSize; ++index) {
    unsigned length = 0;
    unsigned passed = 0;
    unsigned ends = 0;
    unsigned values = 0;
    std::uint64_t two = kNoneFits;
    do {
      const std::uint32_t entry = one_[(index << length) & (kSize - 1)];
      if (entry == 0 || length + length_of(entry) - value_length_of(entry) > kLookBits) {
        break;
      }
      const bool last = passed_by(entry) == 0;
      const std::uint64_t window = static_cast<std::uint64_t>(index) << (64 - kLookBits + length);
      length += length_of(entry);
      passed += passed_by(entry);
      ends = last ? kEndsBlock : 0;
      if (length <= kLookBits && values < 2) {
        const std::uint64_t value =
            value_length_of(entry) == 0 ? 0 : static_cast<std::uint16_t>(value_in(window, entry));
        if (values == 0) {
          const std::uint64_t place = last ? 1 : passed;
          two =
              length | (place << 8) | (place << 16) | (last ? 1u << 24 : 0u) | (value << 32) | (value << 48);
        } else if (last) {
          two = (two & ~std::uint64_t{0xFF}) | length | (1u << 24);
        } else {
          two = (two & 0xFFFF0000FF00u) | length | (std::uint64_t{passed} << 16) | (value << 48);
        }
        ++values;
      }
    } while (ends == 0 && length < kLookBits && passed < 64);
    two_[index] = two;
    several_[index] = static_cast<std::uint16_t>(length | ((length == 0 ? kNonePasses : passed) << 8) | ends);
  }
}

std::uint32_t HuffmanLookup::find_long(std::uint64_t bits) const noexcept {
  for (unsigned length = 1; length <= 16; ++length) {
    const auto offset = static_cast<std::int32_t>(bits >> (64 - length)) - first_code_[length];
    if (offset >= 0 && offset < counts_[length]) {
      return entry_of(length, symbols_[static_cast<std::size_t>(first_symbol_[length] + offset)]);
    }
  }
  return 0;
}

void JpegHuffman::pass_restart(jpeg_decompress_struct& cinfo) {
  // Bytes left over before the marker: libjpeg lets them pass, and so do we.
  const std::uint8_t* at = bits_.next;
  for (;; ++at) {
    if (bits_.end - at < 2) {
      fail_(&cinfo, "the data ends early");
    }
    if (at[0] == 0xFF && at[1] != 0 && at[1] != 0xFF) {
      break;
    }
  }
  if (at[1] != 0xD0 + next_restart_) {
    fail_(&cinfo, "a restart marker is missing");
  }
  next_restart_ = (next_restart_ + 1) & 7;
  restarts_to_go_ = restart_interval_;
  last_dc_.fill(0);
  bits_ = {.next = at + 2, .end = bits_.end};
}

void JpegHuffman::decode_mcu(jpeg_decompress_struct& cinfo, std::int16_t (*const* blocks)[64]) {
  if (restart_interval_ != 0) {
    if (restarts_to_go_ == 0) {
      pass_restart(cinfo);
    }
    --restarts_to_go_;
  }
  const bool wanted = blocks != nullptr && column_ >= first_column_ && column_ <= last_column_;
  column_ = column_ + 1 == columns_ ? 0 : column_ + 1;
  ScanBits bits = bits_;
  for (int i = 0; i < block_count_; ++i) {
    const Block& block = blocks_[static_cast<std::size_t>(i)];
    int difference = 0;
    refill(bits);
    bool sound = read_dc(bits, *block.dc, difference);
    std::int32_t& dc = last_dc_[static_cast<std::size_t>(block.component)];
    dc = static_cast<std::int16_t>(dc + difference);
    if (wanted) {
      std::int16_t* const coefficients = *blocks[i];
      coefficients[0] = static_cast<std::int16_t>(dc);
      sound = read_ac<true>(bits, *block.ac, coefficients) && sound;
    } else {
      sound = read_ac<false>(bits, *block.ac, nullptr) && sound;
    }
    if (!sound || bits.count < bits.padding) [[unlikely]] {
      fail_(&cinfo, sound ? "the data ends early" : "bad Huffman code");
    }
  }
  bits_ = bits;
}

/// Where libjpeg calls in: its pointer leads back through client_data.
struct JpegHuffman::Hook {
  static boolean decode_mcu(j_decompress_ptr cinfo, JBLOCKROW* blocks) {
    static_cast<JpegHuffman*>(cinfo->client_data)->decode_mcu(*cinfo, blocks);
    return TRUE;
  }
};

bool JpegHuffman::attach(jpeg_decompress_struct& cinfo, unsigned first_column, unsigned last_column,
                         Fail fail) {
  if (cinfo.progressive_mode || cinfo.arith_code || cinfo.comps_in_scan != cinfo.num_components) {
    return false;
  }
  for (int i = 0; i < cinfo.comps_in_scan; ++i) {
    const jpeg_component_info& component = *cinfo.cur_comp_info[i];
    const JHUFF_TBL& dc = *cinfo.dc_huff_tbl_ptrs[component.dc_tbl_no];
    const JHUFF_TBL& ac = *cinfo.ac_huff_tbl_ptrs[component.ac_tbl_no];
    dc_tables_[static_cast<std::size_t>(component.dc_tbl_no)].build(dc.bits, dc.huffval, false);
    ac_tables_[static_cast<std::size_t>(component.ac_tbl_no)].build(ac.bits, ac.huffval, true);
  }
  block_count_ = cinfo.blocks_in_MCU;
  for (int i = 0; i < block_count_; ++i) {
    const int index = cinfo.MCU_membership[i];
    const jpeg_component_info& component = *cinfo.cur_comp_info[index];
    blocks_[static_cast<std::size_t>(i)] = {&dc_tables_[static_cast<std::size_t>(component.dc_tbl_no)],
                                            &ac_tables_[static_cast<std::size_t>(component.ac_tbl_no)],
                                            index};
  }
  last_dc_.fill(0);
  const std::uint8_t* const scan = cinfo.src->next_input_byte;
  bits_ = {.next = scan, .end = scan + cinfo.src->bytes_in_buffer};
  column_ = 0;
  columns_ = cinfo.MCUs_per_row;
  first_column_ = first_column;
  last_column_ = last_column;
  restart_interval_ = cinfo.restart_interval;
  restarts_to_go_ = restart_interval_;
  next_restart_ = 0;
  fail_ = fail;
  cinfo.client_data = this;
  cinfo.entropy->decode_mcu = Hook::decode_mcu;
  return true;
}

}  // namespace penstock::detail
