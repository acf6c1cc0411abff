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
        ends = (group & HuffmanLookup::kEndsBlock) != 0;
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
  const unsigned column = column_;
  const unsigned row = row_;
  if (++column_ == columns_) {
    column_ = 0;
    ++row_;
  }
  if (row >= wanted_.last_row && (row > wanted_.last_row || column > wanted_.last_column)) {
    return;
  }
  if (restart_interval_ != 0) {
    if (restarts_to_go_ == 0) {
      pass_restart(cinfo);
    }
    --restarts_to_go_;
  }
  const bool wanted = blocks != nullptr && column >= wanted_.first_column && column <= wanted_.last_column;
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

void JpegHuffman::attach(jpeg_decompress_struct& cinfo, const Wanted& wanted, Fail fail) {
  if (cinfo.progressive_mode || cinfo.arith_code || cinfo.comps_in_scan != cinfo.num_components) {
    return;
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
  wanted_ = wanted;
  row_ = 0;
  column_ = 0;
  columns_ = cinfo.MCUs_per_row;
  restart_interval_ = cinfo.restart_interval;
  restarts_to_go_ = restart_interval_;
  next_restart_ = 0;
  fail_ = fail;
  cinfo.client_data = this;
  cinfo.entropy->decode_mcu = Hook::decode_mcu;
}

}  // namespace penstock::detail
