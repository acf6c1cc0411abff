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

/// The value whose bits follow the code at the top of `window`, as the standard's EXTEND procedure.
inline int value_in(std::uint64_t window, std::uint32_t entry) {
  const unsigned length = value_length_of(entry);
  const auto bits = static_cast<std::int32_t>((window >> (64 - length_of(entry))) & ((1u << length) - 1));
  const std::int32_t is_negative = (bits >> (length - 1)) - 1;  // all ones if the first bit is 0
  return bits + (is_negative & (1 - (1 << length)));
}

}  // namespace

void HuffmanLookup::build(const std::uint8_t* counts, const std::uint8_t* symbols) {
  int total = 0;
  for (int length = 1; length <= 16; ++length) {
    total += counts[length];
  }
  const auto used = static_cast<std::size_t>(std::min(total, 256));
  if (std::memcmp(counts_.data() + 1, counts + 1, 16) == 0 &&
      std::memcmp(symbols_.data(), symbols, used) == 0) {
    return;
  }
  std::memcpy(counts_.data() + 1, counts + 1, 16);
  std::memcpy(symbols_.data(), symbols, used);
  several_is_built_ = false;
  std::size_t filled = 0;
  int code = 0;
  int index = 0;
  for (int length = 1; length <= 16; ++length) {
    first_code_[static_cast<std::size_t>(length)] = code;
    first_symbol_[static_cast<std::size_t>(length)] = index;
    for (int i = 0; i < counts[length] && index < 256; ++i, ++index) {
      if (length <= kLookBits) {
        const std::uint32_t entry = entry_of(static_cast<unsigned>(length), symbols[index]);
        const std::size_t until = std::min(kSize, filled + (std::size_t{1} << (kLookBits - length)));
        std::fill(one_.begin() + static_cast<std::ptrdiff_t>(filled),
                  one_.begin() + static_cast<std::ptrdiff_t>(until), entry);
        filled = until;
      }
    }
    code = (code + counts[length]) << 1;
  }
  std::fill(one_.begin() + static_cast<std::ptrdiff_t>(filled), one_.end(), 0u);
}

void HuffmanLookup::build_several() {
  if (several_is_built_) {
    return;
  }
  several_is_built_ = true;
  for (std::size_t index = 0; index < kSize; ++index) {
    unsigned length = 0;
    unsigned passed = 0;
    unsigned ends = 0;
    while (length < kLookBits) {
      const std::uint32_t entry = one_[(index << length) & (kSize - 1)];
      const unsigned code_length = length_of(entry) - value_length_of(entry);
      if (entry == 0 || length + code_length > kLookBits) {
        break;
      }
      length += length_of(entry);
      passed += passed_by(entry);
      if (passed_by(entry) == 0) {
        ends = kEndsBlock;
        break;
      }
    }
    several_[index] = static_cast<std::uint16_t>(length | (passed << 8) | ends);
  }
}

std::uint32_t HuffmanLookup::find_long(std::uint64_t bits) const noexcept {
  for (int length = 1; length <= 16; ++length) {
    const auto at = static_cast<std::size_t>(length);
    const auto offset = static_cast<std::int32_t>(bits >> (64 - length)) - first_code_[at];
    if (offset >= 0 && offset < counts_[at]) {
      return entry_of(static_cast<unsigned>(length),
                      symbols_[static_cast<std::size_t>(first_symbol_[at] + offset)]);
    }
  }
  return 0;
}

/// The reader's state in local variables while an MCU is decoded.
struct JpegHuffman::Bits {
  std::uint64_t window;
  int count;
  int padding;
  const std::uint8_t* next;
  const std::uint8_t* end;

  /// At least 48 bits in the window: a code and its value take at most 31.
  inline void refill() {
    if (count >= 32) {
      return;
    }
    if (end - next >= 8) {
      const std::uint64_t word = load_big_endian(next);
      if (!has_ff(word)) {
        window |= word >> count;
        next += (63 - count) >> 3;
        count |= 56;
        return;
      }
    }
    refill_bytewise();
  }
  void refill_bytewise();
  inline void take(unsigned length) {
    window <<= length;
    count -= static_cast<int>(length);
  }
};

/// Takes out the zero after an FF of the data; at a marker or the end of the file, zeros stand in.
void JpegHuffman::Bits::refill_bytewise() {
  while (count <= 56) {
    if (next == end) {
      break;
    }
    const std::uint8_t* after = next + 1;
    if (*next == 0xFF) {
      while (after != end && *after == 0xFF) {
        ++after;
      }
      if (after == end || *after != 0) {
        break;
      }
      ++after;
    }
    window |= static_cast<std::uint64_t>(*next) << (56 - count);
    count += 8;
    next = after;
  }
  if (count <= 56) {
    const int added = 63 - count;
    padding += added;
    count += added;
  }
}

/// The entry of the code at the top of the window, 0 if it is no code; the DC difference in `value`.
std::uint32_t JpegHuffman::decode_dc(Bits& bits, const HuffmanLookup& table, int& value) const noexcept {
  bits.refill();
  std::uint32_t entry = table.one()[bits.window >> (64 - HuffmanLookup::kLookBits)];
  if (entry == 0) [[unlikely]] {
    entry = table.find_long(bits.window);
  }
  value = value_length_of(entry) == 0 ? 0 : value_in(bits.window, entry);
  bits.take(length_of(entry));
  return entry;
}

bool JpegHuffman::store_ac(Bits& bits, const HuffmanLookup& table, std::int16_t* block) const noexcept {
  const std::uint32_t* const one = table.one();
  unsigned k = 0;
  do {
    bits.refill();
    std::uint32_t entry = one[bits.window >> (64 - HuffmanLookup::kLookBits)];
    if (entry == 0) [[unlikely]] {
      entry = table.find_long(bits.window);
      if (entry == 0) {
        return false;
      }
    }
    k += passed_by(entry);
    if (value_length_of(entry) == 0) [[unlikely]] {
      bits.take(length_of(entry));
      if (passed_by(entry) == 0) {
        return true;
      }
      continue;
    }
    block[kNatural[k]] = static_cast<std::int16_t>(value_in(bits.window, entry));
    bits.take(length_of(entry));
  } while (k < 63);
  return k == 63;
}

bool JpegHuffman::pass_ac(Bits& bits, const HuffmanLookup& table) const noexcept {
  const std::uint16_t* const several = table.several();
  unsigned k = 0;
  do {
    bits.refill();
    const std::size_t index = bits.window >> (64 - HuffmanLookup::kLookBits);
    const unsigned group = several[index];
    const unsigned passed = (group >> 8) & 127;
    // Only codes that surely belong to this block: the 63rd coefficient has no end of block after it.
    if (group != 0 && k + passed < 63) [[likely]] {
      bits.take(group & 63);
      k += passed;
      if ((group & kEndsBlock) != 0) {
        return true;
      }
      continue;
    }
    std::uint32_t entry = table.one()[index];
    if (entry == 0) {
      entry = table.find_long(bits.window);
      if (entry == 0) {
        return false;
      }
    }
    bits.take(length_of(entry));
    k += passed_by(entry);
    if (passed_by(entry) == 0) {
      return true;
    }
  } while (k < 63);
  return k == 63;
}

void JpegHuffman::pass_restart(jpeg_decompress_struct& cinfo, Bits& bits) {
  // Whole bytes left in the window were not used: libjpeg lets stray bytes before a marker pass, and so do
  // we.
  const std::uint8_t* at = bits.next;
  for (;; ++at) {
    if (bits.end - at < 2) {
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
  bits.window = 0;
  bits.count = 0;
  bits.padding = 0;
  bits.next = at + 2;
}

void JpegHuffman::decode_mcu(jpeg_decompress_struct& cinfo, std::int16_t (*const* blocks)[64]) {
  Bits bits{window_, window_bits_, padding_bits_, next_, end_};
  if (restart_interval_ != 0) {
    if (restarts_to_go_ == 0) {
      pass_restart(cinfo, bits);
    }
    --restarts_to_go_;
  }
  const bool wanted = blocks != nullptr && column_ >= first_column_ && column_ <= last_column_;
  column_ = column_ + 1 == columns_ ? 0 : column_ + 1;
  for (int i = 0; i < block_count_; ++i) {
    const Block& block = blocks_[static_cast<std::size_t>(i)];
    int difference = 0;
    bool sound = decode_dc(bits, *block.dc, difference) != 0;
    std::int32_t& dc = last_dc_[static_cast<std::size_t>(block.component)];
    dc = static_cast<std::int16_t>(dc + difference);
    if (wanted) {
      std::int16_t* const coefficients = *blocks[i];
      coefficients[0] = static_cast<std::int16_t>(dc);
      sound = sound && store_ac(bits, *block.ac, coefficients);
    } else {
      sound = sound && pass_ac(bits, *block.ac);
    }
    if (!sound || bits.count < bits.padding) [[unlikely]] {
      fail_(&cinfo, sound ? "the data ends early" : "bad Huffman code");
    }
  }
  window_ = bits.window;
  window_bits_ = bits.count;
  padding_bits_ = bits.padding;
  next_ = bits.next;
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
    dc_tables_[static_cast<std::size_t>(component.dc_tbl_no)].build(dc.bits, dc.huffval);
    HuffmanLookup& ac_table = ac_tables_[static_cast<std::size_t>(component.ac_tbl_no)];
    ac_table.build(ac.bits, ac.huffval);
    ac_table.build_several();
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
  window_ = 0;
  window_bits_ = 0;
  padding_bits_ = 0;
  next_ = cinfo.src->next_input_byte;
  end_ = next_ + cinfo.src->bytes_in_buffer;
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
