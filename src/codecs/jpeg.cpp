#include "codecs/jpeg.hpp"

#include <cstdio>
// jpeglib.h needs <cstdio> before it, jerror.h needs jpeglib.h.
#include <jpeglib.h>
//
#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csetjmp>
#include <cstring>

#include "codecs/jpeg_huffman.hpp"
#include "core/scratch.hpp"

namespace penstock {
namespace {

constexpr int kMaxScans = 500;
constexpr int kMaxRowsPerCall = 4;  // libjpeg hands out at most one row group, and sampling factors go to 4
constexpr std::size_t kMessageSize = JMSG_LENGTH_MAX;

/// Warnings after which pixels were made up by libjpeg.
bool loses_data(int code) {
  switch (code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_JPEG_EOF:
    case JWRN_BOGUS_PROGRESSION:
      return true;
    default:
      return false;
  }
}

/// Errors that mean a sound file of a kind that is not handled.
bool means_unsupported(int code) {
  switch (code) {
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
      return true;
    default:
      return false;
  }
}

/// libjpeg's error manager with the way out of its calls. No object with a destructor may live between
/// the setjmp and a call that can fail.
struct ErrorManager {
  jpeg_error_mgr base;  // first: libjpeg knows only this part
  std::jmp_buf way_out;
  int code;
  bool unsupported;
  char message[kMessageSize];
};

ErrorManager& manager_of(j_common_ptr cinfo) { return *reinterpret_cast<ErrorManager*>(cinfo->err); }

[[noreturn]] void leave(j_common_ptr cinfo) {
  ErrorManager& manager = manager_of(cinfo);
  manager.code = cinfo->err->msg_code;
  manager.unsupported = means_unsupported(manager.code);
  cinfo->err->format_message(cinfo, manager.message);
  std::longjmp(manager.way_out, 1);
}

[[noreturn]] void leave_with(j_common_ptr cinfo, const char* message) {
  ErrorManager& manager = manager_of(cinfo);
  manager.code = 0;
  manager.unsupported = false;
  std::snprintf(manager.message, kMessageSize, "%s", message);
  std::longjmp(manager.way_out, 1);
}

void on_error(j_common_ptr cinfo) { leave(cinfo); }

void on_message(j_common_ptr cinfo, int level) {
  if (level < 0 && loses_data(cinfo->err->msg_code)) {
    leave(cinfo);
  }
}

void print_nothing(j_common_ptr /*cinfo*/) {}

// The source is the whole file: what libjpeg asks for beyond it does not exist.
void source_starts(j_decompress_ptr /*cinfo*/) {}
void source_ends(j_decompress_ptr /*cinfo*/) {}

boolean source_has_no_more(j_decompress_ptr cinfo) {
  leave_with(reinterpret_cast<j_common_ptr>(cinfo), "the data ends early");
}

void source_skips(j_decompress_ptr cinfo, long count) {
  if (count <= 0) {
    return;
  }
  if (static_cast<std::size_t>(count) > cinfo->src->bytes_in_buffer) {
    source_has_no_more(cinfo);
  }
  cinfo->src->next_input_byte += count;
  cinfo->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}

void on_damage(j_decompress_ptr cinfo, const char* message) {
  leave_with(reinterpret_cast<j_common_ptr>(cinfo), message);
}

void limit_scans(j_common_ptr cinfo) {
  if (reinterpret_cast<j_decompress_ptr>(cinfo)->input_scan_number > kMaxScans) {
    leave_with(cinfo, "more than 500 scans");
  }
}

/// The columns libjpeg is asked for, so that those of the box come out as in a full decode.
struct Columns {
  JDIMENSION begin;
  JDIMENSION end;
};

/// Fancy upsampling looks at one chroma sample to each side, and libjpeg takes a crop's edge for the
/// picture's; it also leaves fancy upsampling for crops of one or two chroma samples. Hence one pixel more on
/// each side, whole iMCUs on the left and at least one iMCU in all.
Columns columns_for(const Rect& box, JDIMENSION picture_width, JDIMENSION imcu_width) {
  const auto x = static_cast<JDIMENSION>(box.x);
  Columns columns{(x - (x > 0 ? 1 : 0)) / imcu_width * imcu_width,
                  std::min(picture_width, x + static_cast<JDIMENSION>(box.width) + 1)};
  if (columns.end - columns.begin < imcu_width) {
    columns.end = std::min(picture_width, columns.begin + imcu_width);
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

/// Pillow's reading of CMYK files: every value inverted, then R = (255 - K) - C * (255 - K) / 255.
void cmyk_to_rgb(const std::uint8_t* in, std::uint8_t* out, int width, int out_step) {
  for (int x = 0; x < width; ++x, in += 4, out += out_step) {
    const unsigned white = in[3];
    for (int channel = 0; channel < 3; ++channel) {
      out[channel] = static_cast<std::uint8_t>(white - times_over_255(255u - in[channel], white));
    }
  }
}

}  // namespace

struct JpegDecoder::Impl {
  DecodeLimits limits;
  jpeg_decompress_struct cinfo;
  ErrorManager errors;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  ByteSpan file;
  bool header_is_read = false;
  Scratch strip;
  detail::JpegHuffman huffman;

  explicit Impl(DecodeLimits given) : limits(given) {
    std::memset(&cinfo, 0, sizeof cinfo);
    std::memset(&source, 0, sizeof source);
    std::memset(&progress, 0, sizeof progress);
    cinfo.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = on_error;
    errors.base.emit_message = on_message;
    errors.base.output_message = print_nothing;
    if (!guarded([this] { jpeg_create_decompress(&cinfo); })) {
      throw std::bad_alloc();
    }
    source.init_source = source_starts;
    source.fill_input_buffer = source_has_no_more;
    source.skip_input_data = source_skips;
    source.resync_to_restart = jpeg_resync_to_restart;
    source.term_source = source_ends;
    cinfo.src = &source;
    progress.progress_monitor = limit_scans;
    // Eight bytes a pixel hold the coefficients of four full-size components; twice that, and room for small
    // pictures.
    constexpr std::uint64_t kRoom = 64u << 20;
    constexpr auto kMost = static_cast<std::uint64_t>(LONG_MAX);
    cinfo.mem->max_memory_to_use =
        static_cast<long>(limits.max_pixels > (kMost - kRoom) / 16 ? kMost : limits.max_pixels * 16 + kRoom);
  }
  ~Impl() { jpeg_destroy_decompress(&cinfo); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Runs libjpeg calls; false if one failed, with the reason in `errors`.
  template <class Calls>
  bool guarded(Calls calls) {
    if (setjmp(errors.way_out) != 0) {
      return false;
    }
    calls();
    return true;
  }

  Error fail(ErrorKind otherwise = ErrorKind::corrupt) {
    forget();
    if (errors.code == JERR_OUT_OF_MEMORY || errors.code == JERR_NO_BACKING_STORE) {
      return detail::decode_error(ErrorKind::invalid,
                                  fmt::format("JPEG needs too much memory: {}", errors.message));
    }
    return detail::decode_error(errors.unsupported ? ErrorKind::unsupported : otherwise,
                                fmt::format("JPEG cannot be decoded: {}", errors.message));
  }

  void forget() {
    jpeg_abort_decompress(&cinfo);
    cinfo.progress = nullptr;
    header_is_read = false;
  }

  Status read_header();
  bool has_end_marker() const;
  Status check_kind() const;
  void start(const Rect& box, PixelLayout layout);
  void read_rows(const Rect& box, const PixelView& out);
  bool reached_full_precision() const;
  JDIMENSION left_margin = 0;
};

Status JpegDecoder::Impl::read_header() {
  forget();
  source.next_input_byte = file.data();
  source.bytes_in_buffer = file.size();
  if (!guarded([this] { jpeg_read_header(&cinfo, TRUE); })) {
    return fail();
  }
  header_is_read = true;
  return {};
}

/// Entropy-coded data cannot contain FF D9, so looking backwards from the end of the file finds the marker at
/// once in a sound file and never in one that was cut off.
bool JpegDecoder::Impl::has_end_marker() const {
  const std::uint8_t* const scan = source.next_input_byte;
  for (const std::uint8_t* at = file.data() + file.size() - 1; at > scan; --at) {
    if (*at == 0xD9 && at[-1] == 0xFF) {
      return true;
    }
  }
  return false;
}

Status JpegDecoder::Impl::check_kind() const {
  if (cinfo.data_precision != 8) {
    return detail::decode_error(ErrorKind::unsupported,
                                fmt::format("JPEG of {} bits per sample", cinfo.data_precision));
  }
  if (cinfo.num_components != 1 && cinfo.num_components != 3 && cinfo.num_components != 4) {
    return detail::decode_error(ErrorKind::unsupported,
                                fmt::format("JPEG of {} colour components", cinfo.num_components));
  }
  return {};
}

void JpegDecoder::Impl::start(const Rect& box, PixelLayout layout) {
  const bool inks = cinfo.num_components == 4;
  cinfo.out_color_space = inks ? JCS_CMYK : layout == PixelLayout::rgbx ? JCS_EXT_RGBX : JCS_RGB;
  cinfo.dct_method = JDCT_ISLOW;
  cinfo.do_fancy_upsampling = TRUE;
  cinfo.do_block_smoothing = FALSE;
  if (jpeg_has_multiple_scans(&cinfo)) {
    cinfo.progress = &progress;
  }
  jpeg_start_decompress(&cinfo);
  cinfo.progress = nullptr;
  if (!reached_full_precision()) {
    leave_with(reinterpret_cast<j_common_ptr>(&cinfo), "the progressive scans stop short of full precision");
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
  huffman.attach(cinfo, {begin / imcu_width, (begin + width - 1) / imcu_width, last_row / mcu_height},
                 on_damage);
  if (box.y > 0) {
    jpeg_skip_scanlines(&cinfo, static_cast<JDIMENSION>(box.y));
  }
}

bool JpegDecoder::Impl::reached_full_precision() const {
  if (!cinfo.progressive_mode || cinfo.coef_bits == nullptr) {
    return true;
  }
  for (int component = 0; component < cinfo.num_components; ++component) {
    const int* const bits = cinfo.coef_bits[component];
    if (std::any_of(bits, bits + DCTSIZE2, [](int missing) { return missing != 0; })) {
      return false;
    }
  }
  return true;
}

void JpegDecoder::Impl::read_rows(const Rect& box, const PixelView& out) {
  const bool inks = cinfo.num_components == 4;
  const auto step = static_cast<std::size_t>(out.layout);
  const std::size_t row_bytes = static_cast<std::size_t>(box.width) * step;
  // Pixels to the right of the box land where the next row is written later, or in the slack after the last.
  const bool direct = !inks && left_margin == 0 &&
                      (cinfo.output_width == static_cast<JDIMENSION>(box.width) || out.stride == row_bytes) &&
                      (cinfo.output_width - static_cast<JDIMENSION>(box.width)) * step <= Scratch::kSlack;
  std::array<JSAMPROW, kMaxRowsPerCall> rows{};
  const std::size_t strip_stride = inks ? std::size_t{4} * cinfo.output_width : step * cinfo.output_width;
  for (int i = 0; i < kMaxRowsPerCall && !direct; ++i) {
    rows[static_cast<std::size_t>(i)] = strip.data() + static_cast<std::size_t>(i) * strip_stride;
  }
  for (int y = 0; y < box.height;) {
    const int wanted = std::min(kMaxRowsPerCall, box.height - y);
    for (int i = 0; i < wanted && direct; ++i) {
      rows[static_cast<std::size_t>(i)] = out.data + static_cast<std::size_t>(y + i) * out.stride;
    }
    const int got =
        static_cast<int>(jpeg_read_scanlines(&cinfo, rows.data(), static_cast<JDIMENSION>(wanted)));
    if (got <= 0) {
      leave_with(reinterpret_cast<j_common_ptr>(&cinfo), "the rows end early");
    }
    for (int i = 0; i < got && !direct; ++i) {
      const std::uint8_t* const from = rows[static_cast<std::size_t>(i)];
      std::uint8_t* const to = out.data + static_cast<std::size_t>(y + i) * out.stride;
      if (inks) {
        cmyk_to_rgb(from + std::size_t{4} * left_margin, to, box.width, static_cast<int>(step));
      } else {
        std::memcpy(to, from + step * left_margin, row_bytes);
      }
    }
    y += got;
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
  if (!impl.has_end_marker()) {
    return refuse(
        detail::decode_error(ErrorKind::corrupt, "JPEG is truncated: it has no end-of-image marker"));
  }
  return ImageSize{static_cast<int>(impl.cinfo.image_width), static_cast<int>(impl.cinfo.image_height)};
}

Status JpegDecoder::decode(const Rect& box, const PixelView& out) {
  Impl& impl = *impl_;
  if (!impl.header_is_read) {
    PENSTOCK_TRY(impl.read_header());
  }
  impl.strip.reserve(std::size_t{4} * impl.cinfo.image_width * kMaxRowsPerCall);
  if (!impl.guarded([&] {
        impl.start(box, out.layout);
        impl.read_rows(box, out);
      })) {
    return impl.fail();
  }
  impl.forget();
  return {};
}

}  // namespace penstock
