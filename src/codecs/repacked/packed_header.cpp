#include "codecs/repacked/packed_header.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "codecs/image_format_decoder.hpp"
#include "codecs/jpeg_scan.hpp"
#include "codecs/repacked/bytes.hpp"

namespace penstock::inline v0::detail {
namespace {

constexpr int kLevel = 9;
constexpr std::size_t kSizes = 8;  // the two sizes before the compressed bytes

// A quantisation table that was taken out: all zeros, which no JPEG has, but for the component to take it
// from.
constexpr std::size_t kTableBytes = 64;
constexpr std::uint8_t kDqt = 0xDB;

Error damaged(const char* what) {
  return decode_error(ErrorKind::corrupt, fmt::format("repacked image is damaged: {}", what));
}

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// Calls visit(table) with the 64 bytes of each 8-bit table in the DQT segments of `head`.
template <class Visit>
void for_each_quant_table(std::vector<std::uint8_t>& head, Visit visit) {
  for_each_segment(head, [&](std::uint8_t marker, std::size_t begin, std::size_t size) {
    for (std::size_t at = begin + 4; marker == kDqt && at < begin + size;) {
      const std::size_t bytes = head[at] < 16 ? kTableBytes : 2 * kTableBytes;
      if (++at + bytes > begin + size) {
        return;
      }
      if (bytes == kTableBytes) {
        visit(head.data() + at);
      }
      at += bytes;
    }
  });
}

}  // namespace

void strip_quant(std::vector<std::uint8_t>& head, const QuantTables& quant) {
  for_each_quant_table(head, [&](std::uint8_t* table) {
    for (std::size_t component = 0; component < quant.size(); ++component) {
      bool same = true;
      for (std::size_t k = 0; k < kTableBytes && same; ++k) {
        same = table[k] == quant[component][kNatural[k]];
      }
      if (same && table[0] != 0) {
        std::fill_n(table, kTableBytes, std::uint8_t{0});
        table[1] = static_cast<std::uint8_t>(component);
        return;
      }
    }
  });
}

bool restore_quant(std::vector<std::uint8_t>& head, const QuantTables& quant) {
  bool valid = true;
  for_each_quant_table(head, [&](std::uint8_t* table) {
    if (table[0] != 0) {
      return;
    }
    const std::size_t component = table[1];
    if (component >= quant.size()) {
      valid = false;
      return;
    }
    for (std::size_t k = 0; k < kTableBytes; ++k) {
      table[k] = static_cast<std::uint8_t>(quant[component][kNatural[k]]);
    }
  });
  return valid;
}

struct HeaderPacker::Impl {
  std::unique_ptr<ZSTD_CCtx, FreeCompressor> context{ZSTD_createCCtx()};
  ByteSpan dictionary;
  std::vector<std::uint8_t> plain;
};

HeaderPacker::HeaderPacker(const RepackTables& tables) : impl_(std::make_unique<Impl>()) {
  ZSTD_CCtx* const context = impl_->context.get();
  impl_->dictionary = tables.dictionary();
  // Sizes are in the record.
  if (context == nullptr ||
      ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel)) != 0 ||
      ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)) != 0 ||
      ZSTD_isError(ZSTD_CCtx_loadDictionary(context, impl_->dictionary.data(), impl_->dictionary.size())) !=
          0) {
    throw std::bad_alloc();
  }
}
HeaderPacker::~HeaderPacker() = default;

bool HeaderPacker::pack(ByteSpan head, ByteSpan tail, const QuantTables& quant,
                        std::vector<std::uint8_t>& out) {
  if (head.size() + tail.size() > kMaxFrameBytes) {
    return false;
  }
  auto& plain = impl_->plain;
  plain.assign(head.begin(), head.end());
  strip_quant(plain, quant);
  plain.insert(plain.end(), tail.begin(), tail.end());
  append_32(out, static_cast<std::uint32_t>(head.size()));
  append_32(out, static_cast<std::uint32_t>(tail.size()));
  const std::size_t begin = out.size();
  out.resize(begin + ZSTD_compressBound(plain.size()));
  const std::size_t size = ZSTD_compress2(impl_->context.get(), out.data() + begin, out.size() - begin,
                                          plain.data(), plain.size());
  if (ZSTD_isError(size) != 0 || plain.size() > max_frame_bytes(kSizes + size)) {
    return false;
  }
  out.resize(begin + size);
  return true;
}

Result<JpegFrame> unpack_header(ByteSpan packed, const QuantTables& quant, const RepackTables& tables) {
  if (packed.size() < kSizes) {
    return damaged("its JPEG header is truncated");
  }
  const std::size_t head_size = load_32(packed.data());
  const std::size_t tail_size = load_32(packed.data() + 4);
  if (head_size + tail_size > max_frame_bytes(packed.size())) {
    return damaged("its JPEG header is too large");
  }
  const std::unique_ptr<ZSTD_DCtx, FreeCompressor> context(ZSTD_createDCtx());
  if (!context) {
    throw std::bad_alloc();
  }
  JpegFrame frame;
  frame.head.resize(head_size + tail_size);
  const ByteSpan frame_bytes = packed.subspan(kSizes);
  const std::size_t size =
      ZSTD_decompress_usingDict(context.get(), frame.head.data(), frame.head.size(), frame_bytes.data(),
                                frame_bytes.size(), tables.dictionary().data(), tables.dictionary().size());
  if (ZSTD_isError(size) != 0 || size != frame.head.size()) {
    return damaged("its JPEG header cannot be unpacked");
  }
  frame.tail.assign(frame.head.begin() + static_cast<std::ptrdiff_t>(head_size), frame.head.end());
  frame.head.resize(head_size);
  if (!restore_quant(frame.head, quant)) {
    return damaged("its JPEG header has unknown quantisation tables");
  }
  return frame;
}

}  // namespace penstock::inline v0::detail
