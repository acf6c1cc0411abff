#include "codecs/jpeg_huffman.hpp"

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include "codecs/jpeg_scan.hpp"

// libjpeg keeps its entropy decoder behind these pointers; their place and meaning are those of every libjpeg
// since release 5. `blocks` are zeroed by the caller, or null when the coefficients are not wanted.
struct jpeg_entropy_decoder {
  void (*start_pass)(j_decompress_ptr cinfo);
  boolean (*decode_mcu)(j_decompress_ptr cinfo, JBLOCKROW* blocks);
};

namespace penstock::inline v0::detail {

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
    bool valid = read_dc(bits, *block.dc, difference);
    std::int32_t& dc = last_dc_[static_cast<std::size_t>(block.component)];
    dc = static_cast<std::int16_t>(dc + difference);
    if (wanted) {
      std::int16_t* const coefficients = *blocks[i];
      coefficients[0] = static_cast<std::int16_t>(dc);
      valid = read_ac<true>(bits, *block.ac, coefficients) && valid;
    } else {
      valid = read_ac<false>(bits, *block.ac, nullptr) && valid;
    }
    if (!valid || bits.count < bits.padding) [[unlikely]] {
      fail_(&cinfo, valid ? "the data ends early" : "bad Huffman code");
    }
  }
  bits_ = bits;
}

void JpegHuffman::pass_rest(jpeg_decompress_struct& cinfo) {
  while (row_ < cinfo.MCU_rows_in_scan) {
    decode_mcu(cinfo, nullptr);
  }
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

}  // namespace penstock::inline v0::detail
