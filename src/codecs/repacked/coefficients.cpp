#include "codecs/repacked/coefficients.hpp"

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>

#include "codecs/huffman_lookup.hpp"
#include "codecs/jpeg_callbacks.hpp"
#include "codecs/jpeg_completeness.hpp"
#include "codecs/jpeg_scan.hpp"
#include "codecs/jpeg_scans.hpp"

namespace penstock::inline v0::detail {
namespace {

constexpr const char* kDamaged = "damaged";
// Coefficients and symbols of an image are in memory at once: about ten bytes a pixel.
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 25;

/// Skips to the restart marker of this number; false if another one comes first.
bool pass_restart(ScanBits& bits, int number) {
  const std::uint8_t* at = bits.next;
  for (;; ++at) {
    if (bits.end - at < 2) {
      return false;
    }
    if (at[0] == 0xFF && at[1] != 0 && at[1] != 0xFF) {
      break;
    }
  }
  if (at[1] != 0xD0 + number) {
    return false;
  }
  bits = {.next = at + 2, .end = bits.end};
  return true;
}

}  // namespace

bool is_valid_huffman_table(const std::uint8_t* counts, const std::uint8_t* symbols, bool is_dc) {
  unsigned code = 0;
  unsigned total = 0;
  for (unsigned length = 1; length <= 16; ++length) {
    code += counts[length];
    total += counts[length];
    if (code > 1u << length || total > 256) {
      return false;
    }
    code <<= 1;
  }
  return !is_dc || std::all_of(symbols, symbols + total, [](std::uint8_t symbol) { return symbol <= 15; });
}

struct CoefficientReader::Impl {
  jpeg_decompress_struct cinfo;
  JpegCallbacks callbacks;
  std::array<HuffmanLookup, NUM_HUFF_TBLS> dc_tables;
  std::array<HuffmanLookup, NUM_HUFF_TBLS> ac_tables;

  Impl() {
    std::memset(&cinfo, 0, sizeof cinfo);
    callbacks.install_errors(cinfo);
    if (!callbacks.guarded([this] { jpeg_create_decompress(&cinfo); })) {
      throw std::bad_alloc();
    }
    callbacks.install(cinfo);
  }
  ~Impl() { jpeg_destroy_decompress(&cinfo); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const char* check_kind(RepackFidelity fidelity);
  const char* set_geometry(RepackGeometry& geometry) const;
  bool build_tables();
  const char* read_scan(ByteSpan jpeg, JpegCoefficients& out);
  bool read_mcus(ScanBits& bits, JpegCoefficients& out) const;
  const char* read_by_libjpeg(JpegCoefficients& out);
  const char* read(ByteSpan jpeg, RepackFidelity fidelity, JpegCoefficients& out);
};

const char* CoefficientReader::Impl::check_kind(RepackFidelity fidelity) {
  if (cinfo.data_precision != 8) {
    return "not 8 bits";
  }
  if (cinfo.arith_code) {
    return "arithmetic coding";
  }
  if (cinfo.num_components == 4) {
    return "CMYK";
  }
  if (cinfo.num_components != 1 && cinfo.num_components != 3) {
    return "components";
  }
  if (cinfo.num_components == 3 && cinfo.jpeg_color_space != JCS_YCbCr) {
    return "not YCbCr";
  }
  if (std::uint64_t{cinfo.image_width} * cinfo.image_height > kMaxPixels) {
    return "too many pixels";
  }
  if (fidelity == RepackFidelity::file && cinfo.progressive_mode) {
    return "progressive";
  }
  if (fidelity == RepackFidelity::file && cinfo.comps_in_scan != cinfo.num_components) {
    return "several scans";
  }
  if (count_scans(cinfo).too_many()) {
    return "too many scans";
  }
  return nullptr;
}

const char* CoefficientReader::Impl::set_geometry(RepackGeometry& geometry) const {
  geometry = {static_cast<int>(cinfo.image_width), static_cast<int>(cinfo.image_height),
              RepackSampling::gray};
  if (cinfo.num_components == 1) {
    return nullptr;
  }
  const jpeg_component_info* const info = cinfo.comp_info;
  for (int i = 1; i < 3; ++i) {
    if (info[i].h_samp_factor != 1 || info[i].v_samp_factor != 1) {
      return "sampling";
    }
  }
  const int h = info[0].h_samp_factor;
  const int v = info[0].v_samp_factor;
  if (h > 2 || v > 2) {
    return "sampling";
  }
  geometry.sampling = h == 1 ? (v == 1 ? RepackSampling::s444 : RepackSampling::s440)
                             : (v == 1 ? RepackSampling::s422 : RepackSampling::s420);
  return nullptr;
}

/// The lookups of all components; false if a table is missing or invalid.
bool CoefficientReader::Impl::build_tables() {
  for (int i = 0; i < cinfo.num_components; ++i) {
    const jpeg_component_info& component = cinfo.comp_info[i];
    if (component.dc_tbl_no < 0 || component.dc_tbl_no >= NUM_HUFF_TBLS || component.ac_tbl_no < 0 ||
        component.ac_tbl_no >= NUM_HUFF_TBLS) {
      return false;
    }
    const JHUFF_TBL* const dc = cinfo.dc_huff_tbl_ptrs[component.dc_tbl_no];
    const JHUFF_TBL* const ac = cinfo.ac_huff_tbl_ptrs[component.ac_tbl_no];
    if (dc == nullptr || ac == nullptr || !is_valid_huffman_table(dc->bits, dc->huffval, true) ||
        !is_valid_huffman_table(ac->bits, ac->huffval, false)) {
      return false;
    }
    dc_tables[static_cast<std::size_t>(component.dc_tbl_no)].build(dc->bits, dc->huffval, false);
    ac_tables[static_cast<std::size_t>(component.ac_tbl_no)].build(ac->bits, ac->huffval, true);
  }
  return true;
}

bool CoefficientReader::Impl::read_mcus(ScanBits& state, JpegCoefficients& out) const {
  struct Block {
    const HuffmanLookup* dc;
    const HuffmanLookup* ac;
    int component;
    std::size_t offset;  // from the MCU's first block of the component
  };
  const RepackGeometry& geometry = out.geometry;
  std::array<Block, 6> blocks{};
  std::size_t count = 0;
  for (int i = 0; i < cinfo.comps_in_scan; ++i) {
    const jpeg_component_info& info = *cinfo.cur_comp_info[i];
    const int component = info.component_index;
    for (int y = 0; y < geometry.v(component); ++y) {
      for (int x = 0; x < geometry.h(component); ++x) {
        blocks[count++] = {
            &dc_tables[static_cast<std::size_t>(info.dc_tbl_no)],
            &ac_tables[static_cast<std::size_t>(info.ac_tbl_no)], component,
            (static_cast<std::size_t>(y) * static_cast<std::size_t>(geometry.blocks_wide(component)) +
             static_cast<std::size_t>(x)) *
                64};
      }
    }
  }
  std::array<int, 3> last_dc{};
  unsigned to_go = cinfo.restart_interval;
  int next_restart = 0;
  ScanBits bits = state;
  for (int row = 0; row < geometry.mcus_high(); ++row) {
    std::array<std::int16_t*, 3> at{};
    for (int component = 0; component < geometry.components(); ++component) {
      at[static_cast<std::size_t>(component)] =
          const_cast<std::int16_t*>(out.block(component, 0, row * geometry.v(component)));
    }
    for (int column = 0; column < geometry.mcus_wide(); ++column) {
      if (cinfo.restart_interval != 0) {
        if (to_go == 0) {
          if (!pass_restart(bits, next_restart)) {
            return false;
          }
          next_restart = (next_restart + 1) & 7;
          to_go = cinfo.restart_interval;
          last_dc.fill(0);
        }
        --to_go;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Block& block = blocks[i];
        const auto component = static_cast<std::size_t>(block.component);
        std::int16_t* const coefficients = at[component] + block.offset;
        int difference = 0;
        refill(bits);
        bool valid = read_dc(bits, *block.dc, difference);
        last_dc[component] = static_cast<std::int16_t>(last_dc[component] + difference);
        coefficients[0] = static_cast<std::int16_t>(last_dc[component]);
        valid = read_ac<true>(bits, *block.ac, coefficients) && valid;
        if (!valid || bits.count < bits.padding) [[unlikely]] {
          return false;
        }
      }
      for (int component = 0; component < geometry.components(); ++component) {
        at[static_cast<std::size_t>(component)] += 64 * geometry.h(component);
      }
    }
  }
  state = bits;
  return true;
}

const char* CoefficientReader::Impl::read_scan(ByteSpan jpeg, JpegCoefficients& out) {
  for (int i = 0; i < cinfo.num_components; ++i) {
    const int table = cinfo.comp_info[i].quant_tbl_no;
    if (table < 0 || table >= NUM_QUANT_TBLS || cinfo.quant_tbl_ptrs[table] == nullptr) {
      return kDamaged;
    }
    std::copy_n(cinfo.quant_tbl_ptrs[table]->quantval, 64, out.quant[static_cast<std::size_t>(i)].begin());
  }
  if (!build_tables()) {
    return kDamaged;
  }
  const std::uint8_t* const scan = cinfo.src->next_input_byte;
  ScanBits bits{.next = scan, .end = scan + cinfo.src->bytes_in_buffer};
  if (!read_mcus(bits, out)) {
    return kDamaged;
  }
  const int left = (bits.count - bits.padding) & 7;
  out.zero_padding = left > 0 && bits.window >> (64 - left) == 0;
  // The reader is ahead by less than a window and stops at markers.
  const std::uint8_t* at = bits.next;
  while (bits.end - at >= 2 && !(at[0] == 0xFF && at[1] != 0)) {
    ++at;
  }
  if (bits.end - at < 2 || at[1] != 0xD9) {
    return "unusual scan";
  }
  out.scan_begin = static_cast<std::size_t>(scan - jpeg.data());
  out.scan_end = static_cast<std::size_t>(at - jpeg.data());
  return nullptr;
}

const char* CoefficientReader::Impl::read_by_libjpeg(JpegCoefficients& out) {
  const bool done = callbacks.guarded([this, &out] {
    jvirt_barray_ptr* const arrays = jpeg_read_coefficients(&cinfo);
    if (!all_scans_arrived(cinfo)) {
      leave_jpeg(&cinfo, kScansMissing);
    }
    for (int component = 0; component < cinfo.num_components; ++component) {
      const jpeg_component_info& info = cinfo.comp_info[component];
      const auto row_size = static_cast<std::size_t>(out.geometry.blocks_wide(component)) * 64;
      std::copy_n(info.quant_table->quantval, 64, out.quant[static_cast<std::size_t>(component)].begin());
      for (int y = 0; y < out.geometry.blocks_high(component); ++y) {
        const JBLOCKARRAY rows = cinfo.mem->access_virt_barray(
            reinterpret_cast<j_common_ptr>(&cinfo), arrays[component], static_cast<JDIMENSION>(y), 1, FALSE);
        std::copy_n(&rows[0][0][0], row_size, const_cast<std::int16_t*>(out.block(component, 0, y)));
      }
    }
  });
  return done ? nullptr : kDamaged;
}

const char* CoefficientReader::Impl::read(ByteSpan jpeg, RepackFidelity fidelity, JpegCoefficients& out) {
  callbacks.start_file(cinfo, jpeg);
  if (!callbacks.guarded([this] { jpeg_read_header(&cinfo, TRUE); })) {
    return kDamaged;
  }
  const char* reason = check_kind(fidelity);
  if (reason == nullptr) {
    reason = set_geometry(out.geometry);
  }
  if (reason != nullptr) {
    return reason;
  }
  for (int component = 0; component < 3; ++component) {
    auto& blocks = out.blocks[static_cast<std::size_t>(component)];
    blocks.clear();
    if (component < out.geometry.components()) {
      blocks.resize(static_cast<std::size_t>(out.geometry.blocks_wide(component)) *
                    static_cast<std::size_t>(out.geometry.blocks_high(component)) * 64);
    }
  }
  out.scan_begin = 0;
  out.scan_end = 0;
  out.zero_padding = false;
  const bool one_scan = !cinfo.progressive_mode && cinfo.comps_in_scan == cinfo.num_components;
  reason = one_scan ? read_scan(jpeg, out) : read_by_libjpeg(out);
  // Of an image without them as records are read, not of the image before.
  std::fill(out.quant.begin() + out.geometry.components(), out.quant.end(), out.quant[0]);
  return reason;
}

CoefficientReader::CoefficientReader() : impl_(std::make_unique<Impl>()) {}
CoefficientReader::~CoefficientReader() = default;

std::optional<std::string> CoefficientReader::read(ByteSpan jpeg, RepackFidelity fidelity,
                                                   JpegCoefficients& out) {
  const char* const reason = impl_->read(jpeg, fidelity, out);
  jpeg_abort_decompress(&impl_->cinfo);
  if (reason != nullptr) {
    return reason;
  }
  return std::nullopt;
}

}  // namespace penstock::inline v0::detail
