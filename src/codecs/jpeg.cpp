#include "codecs/jpeg.hpp"

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <fmt/format.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csetjmp>
#include <cstring>

#include "codecs/jpeg_callbacks.hpp"
#include "codecs/jpeg_completeness.hpp"
#include "codecs/jpeg_huffman.hpp"
#include "codecs/jpeg_scans.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kMaxRowsPerCall = 4;  // libjpeg hands out at most one row group, and sampling factors go to 4

/// The columns libjpeg is asked for, so that those of the box come out as in a full decode.
struct Columns {
  JDIMENSION begin;
  JDIMENSION end;
};

/// Fancy upsampling looks at one chroma sample to each side, and libjpeg takes a crop's edge for the
/// image's; it also leaves fancy upsampling for crops of one or two chroma samples. Hence one pixel more on
/// each side, whole iMCUs on the left and at least one iMCU in all.
Columns columns_for(const Rect& box, JDIMENSION image_width, JDIMENSION imcu_width) {
  const auto x = static_cast<JDIMENSION>(box.x);
  Columns columns{(x - (x > 0 ? 1 : 0)) / imcu_width * imcu_width,
                  std::min(image_width, x + static_cast<JDIMENSION>(box.width) + 1)};
  if (columns.end - columns.begin < imcu_width) {
    columns.end = std::min(image_width, columns.begin + imcu_width);
    if (columns.end - columns.begin < imcu_width && columns.begin > 0) {
      columns.begin -= imcu_width;
    }
  }
  return columns;
}

std::uint8_t times_over_255(unsigned a, unsigned b) {
  const unsigned product = a * b + 128;
  return static_cast<std::uint8_t>(((product >> 8) + product) >> 8);
}

constexpr std::size_t kInks = 4;
constexpr std::size_t kColors = pixel_bytes(PixelLayout::rgb);

/// Pillow's reading of CMYK files: every value inverted, then R = (255 - K) - C * (255 - K) / 255.
void cmyk_to_rgb(const std::uint8_t* in, std::uint8_t* out, int width) {
  for (int x = 0; x < width; ++x, in += kInks, out += kColors) {
    const unsigned white = in[kInks - 1];
    for (std::size_t channel = 0; channel < kColors; ++channel) {
      out[channel] = static_cast<std::uint8_t>(white - times_over_255(255u - in[channel], white));
    }
  }
}

}  // namespace

struct JpegDecoder::Impl {
  DecodeLimits limits;
  jpeg_decompress_struct cinfo;
  detail::JpegCallbacks callbacks;
  ByteSpan file;
  bool header_is_read = false;
  Scratch strip;
  detail::JpegHuffman huffman;

  explicit Impl(DecodeLimits given) : limits(given) {
    std::memset(&cinfo, 0, sizeof cinfo);
    callbacks.install_errors(cinfo);
    if (!callbacks.guarded([this] { jpeg_create_decompress(&cinfo); })) {
      throw std::bad_alloc();
    }
    callbacks.install(cinfo);
    cinfo.mem->max_memory_to_use =
        static_cast<long>(std::min(limits.max_memory(), static_cast<std::uint64_t>(LONG_MAX)));
  }
  ~Impl() { jpeg_destroy_decompress(&cinfo); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// The error for a failure of guarded().
  Error fail() {
    forget();
    return callbacks.failure();
  }

  void forget() {
    jpeg_abort_decompress(&cinfo);
    header_is_read = false;
  }

  Status read_header();
  bool has_end_marker() const;
  Status check_scans();
  Status check_kind() const;
  void start(const Rect& box, PixelLayout layout);
  void read_rows(const Rect& box, const PixelView& out);
  void check_rest();
  JDIMENSION left_margin = 0;
};

Status JpegDecoder::Impl::read_header() {
  forget();
  callbacks.start_file(cinfo, file);
  if (!callbacks.guarded([this] { jpeg_read_header(&cinfo, TRUE); })) {
    return fail();
  }
  header_is_read = true;
  return {};
}

/// Entropy-coded data cannot contain FF D9, so looking backwards from the end of the file finds the marker at
/// once in an intact file and never in one that was cut off.
bool JpegDecoder::Impl::has_end_marker() const {
  const std::uint8_t* const scan = cinfo.src->next_input_byte;
  for (const std::uint8_t* at = file.data() + file.size() - 1; at > scan; --at) {
    if (*at == 0xD9 && at[-1] == 0xFF) {
      return true;
    }
  }
  return false;
}

Status JpegDecoder::Impl::check_scans() {
  const detail::JpegScans scans = detail::count_scans(cinfo);
  if (!scans.too_many()) {
    return {};
  }
  return detail::decode_error(
      ErrorKind::unsupported,
      fmt::format("{} JPEG has {} scans of {} blocks in all, for an image of {} blocks ({} x {})",
                  cinfo.progressive_mode ? "progressive" : "sequential", scans.count, scans.passes,
                  scans.blocks, cinfo.image_width, cinfo.image_height),
      "no encoder writes so many; if you trust the file, rewrite it with jpegtran -copy all");
}

Status JpegDecoder::Impl::check_kind() const {
  if (cinfo.data_precision != 8) {
    return detail::decode_error(ErrorKind::unsupported,
                                fmt::format("JPEG with {} bits per sample", cinfo.data_precision));
  }
  if (cinfo.num_components != 1 && cinfo.num_components != 3 && cinfo.num_components != 4) {
    return detail::decode_error(ErrorKind::unsupported,
                                fmt::format("JPEG of {} colour components", cinfo.num_components));
  }
  return {};
}

void JpegDecoder::Impl::start(const Rect& box, PixelLayout layout) {
  const bool inks = cinfo.num_components == 4;
  cinfo.out_color_space = inks ? JCS_CMYK : layout == PixelLayout::rgb ? JCS_RGB : JCS_GRAYSCALE;
  cinfo.dct_method = JDCT_ISLOW;
  cinfo.do_fancy_upsampling = TRUE;
  cinfo.do_block_smoothing = FALSE;
  jpeg_start_decompress(&cinfo);
  if (!detail::all_scans_arrived(cinfo)) {
    detail::leave_jpeg(&cinfo, detail::kScansMissing);
  }
  const auto imcu_width =
      static_cast<JDIMENSION>(DCTSIZE * (cinfo.num_components == 1 ? 1 : cinfo.max_h_samp_factor));
  const Columns columns = columns_for(box, cinfo.output_width, imcu_width);
  JDIMENSION begin = columns.begin;
  JDIMENSION width = columns.end - columns.begin;
  if (width < cinfo.output_width) {
    jpeg_crop_scanline(&cinfo, &begin, &width);
  }
  left_margin = static_cast<JDIMENSION>(box.x) - begin;
  // Fancy upsampling looks at the chroma row below.
  const int rows_below = cinfo.max_v_samp_factor > 1 ? cinfo.max_v_samp_factor : 0;
  const auto last_row = static_cast<JDIMENSION>(box.y + box.height - 1 + rows_below);
  const auto mcu_height =
      static_cast<JDIMENSION>(DCTSIZE * (cinfo.num_components == 1 ? 1 : cinfo.max_v_samp_factor));
  huffman.attach(cinfo,
                 {begin / imcu_width, (begin + width - 1) / imcu_width,
                  limits.check_whole_file ? UINT_MAX : last_row / mcu_height},
                 detail::leave_jpeg);
  if (box.y > 0) {
    jpeg_skip_scanlines(&cinfo, static_cast<JDIMENSION>(box.y));
  }
}

void JpegDecoder::Impl::read_rows(const Rect& box, const PixelView& out) {
  const bool inks = cinfo.num_components == 4;
  const std::size_t step = pixel_bytes(out.layout);
  const std::size_t row_bytes = static_cast<std::size_t>(box.width) * step;
  const JDIMENSION right_margin = cinfo.output_width - left_margin - static_cast<JDIMENSION>(box.width);
  const auto room = static_cast<JDIMENSION>(out.margin);
  const bool in_margins = left_margin <= room && right_margin <= room;
  // Pixels to the right of the box land where the next row is written later, or in the slack after the last.
  const bool in_next_row =
      left_margin == 0 && out.stride == row_bytes && right_margin * step <= Scratch::kSlack;
  const bool direct = !inks && (in_margins || in_next_row);
  std::array<JSAMPROW, kMaxRowsPerCall> rows{};
  const std::size_t strip_stride = (inks ? kInks : step) * cinfo.output_width;
  for (int i = 0; i < kMaxRowsPerCall && !direct; ++i) {
    rows[static_cast<std::size_t>(i)] = strip.data() + static_cast<std::size_t>(i) * strip_stride;
  }
  for (int y = 0; y < box.height;) {
    const int wanted = std::min(kMaxRowsPerCall, box.height - y);
    for (int i = 0; i < wanted && direct; ++i) {
      rows[static_cast<std::size_t>(i)] =
          out.data + static_cast<std::size_t>(y + i) * out.stride - left_margin * step;
    }
    const int got =
        static_cast<int>(jpeg_read_scanlines(&cinfo, rows.data(), static_cast<JDIMENSION>(wanted)));
    if (got <= 0) {
      detail::leave_jpeg(&cinfo, "the data ends before the last row");
    }
    for (int i = 0; i < got && !direct; ++i) {
      const std::uint8_t* const from = rows[static_cast<std::size_t>(i)];
      std::uint8_t* const to = out.data + static_cast<std::size_t>(y + i) * out.stride;
      if (inks) {
        cmyk_to_rgb(from + kInks * left_margin, to, box.width);
      } else {
        std::memcpy(to, from + step * left_margin, row_bytes);
      }
    }
    y += got;
  }
}

/// Files of several scans have been read to their end by jpeg_start_decompress().
void JpegDecoder::Impl::check_rest() {
  if (jpeg_has_multiple_scans(&cinfo)) {
    return;
  }
  if (!cinfo.arith_code) {
    huffman.pass_rest(cinfo);
    return;
  }
  while (cinfo.output_scanline < cinfo.output_height) {
    JSAMPROW row = strip.data();
    jpeg_read_scanlines(&cinfo, &row, 1);
  }
}

JpegDecoder::JpegDecoder(DecodeLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
JpegDecoder::~JpegDecoder() = default;

bool JpegDecoder::recognises(ByteSpan file) noexcept {
  return file.size() >= 3 && file[0] == 0xFF && file[1] == 0xD8 && file[2] == 0xFF;
}

Result<ImageSize> JpegDecoder::open(ByteSpan file) {
  Impl& impl = *impl_;
  impl.file = file;
  PENSTOCK_TRY(impl.read_header());
  const auto refuse = [&impl](Error error) {
    impl.forget();
    return error;
  };
  if (auto kind = impl.check_kind(); !kind.ok()) {
    return refuse(std::move(kind).error());
  }
  if (auto size = detail::check_size("JPEG", impl.cinfo.image_width, impl.cinfo.image_height, impl.limits);
      !size.ok()) {
    return refuse(std::move(size).error());
  }
  if (auto scans = impl.check_scans(); !scans.ok()) {
    return refuse(std::move(scans).error());
  }
  if (!impl.has_end_marker()) {
    return refuse(
        detail::decode_error(ErrorKind::corrupt, "JPEG is truncated: it has no end-of-image marker"));
  }
  const bool gray = impl.cinfo.num_components == 1;
  traits_ = {.unchanged = gray ? PixelLayout::gray : PixelLayout::rgb, .has_indices = gray};
  return ImageSize{static_cast<int>(impl.cinfo.image_width), static_cast<int>(impl.cinfo.image_height)};
}

Status JpegDecoder::decode(const Rect& box, const PixelView& out) {
  Impl& impl = *impl_;
  if (!impl.header_is_read) {
    PENSTOCK_TRY(impl.read_header());
  }
  impl.strip.reserve(kInks * impl.cinfo.image_width * kMaxRowsPerCall);
  if (!impl.callbacks.guarded([&] {
        impl.start(box, out.layout);
        impl.read_rows(box, out);
        if (impl.limits.check_whole_file) {
          impl.check_rest();
        }
      })) {
    return impl.fail();
  }
  impl.forget();
  return {};
}

}  // namespace penstock::inline v0
