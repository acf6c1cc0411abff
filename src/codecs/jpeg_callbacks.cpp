#include "codecs/jpeg_callbacks.hpp"

#include <fmt/format.h>
#include <jerror.h>

#include <cstring>

#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0::detail {
namespace {

constexpr const char* kDataEnds = "the data ends early";

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

/// Errors that mean an intact file of a kind that is not handled.
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

}  // namespace

/// The functions behind libjpeg's pointers.
struct JpegCalls {
  static JpegCallbacks& of(j_common_ptr cinfo) {
    return *reinterpret_cast<JpegCallbacks::Errors*>(cinfo->err)->owner;
  }

  [[noreturn]] static void on_error(j_common_ptr cinfo) {
    JpegCallbacks& self = of(cinfo);
    self.code_ = cinfo->err->msg_code;
    cinfo->err->format_message(cinfo, self.message_.data());
    std::longjmp(self.error_exit_, 1);
  }

  [[noreturn]] static void on_damage(j_common_ptr cinfo, const char* message) {
    JpegCallbacks& self = of(cinfo);
    self.code_ = 0;
    std::snprintf(self.message_.data(), self.message_.size(), "%s", message);
    std::longjmp(self.error_exit_, 1);
  }

  static void on_message(j_common_ptr cinfo, int level) {
    if (level < 0 && loses_data(cinfo->err->msg_code)) {
      on_error(cinfo);
    }
  }

  static void print_nothing(j_common_ptr /*cinfo*/) {}

  // The source is the whole file: what libjpeg asks for beyond it does not exist.
  static void source_starts(j_decompress_ptr /*cinfo*/) {}
  static void source_ends(j_decompress_ptr /*cinfo*/) {}

  static boolean source_has_no_more(j_decompress_ptr cinfo) {
    on_damage(reinterpret_cast<j_common_ptr>(cinfo), kDataEnds);
  }

  static void source_skips(j_decompress_ptr cinfo, long count) {
    if (count <= 0) {
      return;
    }
    if (static_cast<std::size_t>(count) > cinfo->src->bytes_in_buffer) {
      on_damage(reinterpret_cast<j_common_ptr>(cinfo), kDataEnds);
    }
    cinfo->src->next_input_byte += count;
    cinfo->src->bytes_in_buffer -= static_cast<std::size_t>(count);
  }

  /// libjpeg keeps tables from file to file, in memory that it frees with the decompressor. Here they live
  /// for one file, so that a file without tables does not get those of the one before.
  static void* allocate(j_common_ptr cinfo, int pool, std::size_t size) {
    JpegCallbacks& self = of(cinfo);
    constexpr std::size_t kAlignment = alignof(std::max_align_t);
    const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (pool != JPOOL_PERMANENT || rounded > JpegCallbacks::kTableBytes - self.tables_used_) {
      return self.allocate_(cinfo, pool, size);
    }
    void* const memory = self.tables_.data() + self.tables_used_;
    self.tables_used_ += rounded;
    return memory;
  }
};

void JpegCallbacks::install_errors(jpeg_decompress_struct& cinfo) {
  cinfo.err = jpeg_std_error(&errors_.base);
  errors_.owner = this;
  errors_.base.error_exit = JpegCalls::on_error;
  errors_.base.emit_message = JpegCalls::on_message;
  errors_.base.output_message = JpegCalls::print_nothing;
}

void JpegCallbacks::install(jpeg_decompress_struct& cinfo) {
  std::memset(&source_, 0, sizeof source_);
  source_.init_source = JpegCalls::source_starts;
  source_.fill_input_buffer = JpegCalls::source_has_no_more;
  source_.skip_input_data = JpegCalls::source_skips;
  source_.resync_to_restart = jpeg_resync_to_restart;
  source_.term_source = JpegCalls::source_ends;
  cinfo.src = &source_;
  allocate_ = cinfo.mem->alloc_small;
  cinfo.mem->alloc_small = JpegCalls::allocate;
}

void JpegCallbacks::start_file(jpeg_decompress_struct& cinfo, ByteSpan file) {
  source_.next_input_byte = file.data();
  source_.bytes_in_buffer = file.size();
  tables_used_ = 0;
  for (JQUANT_TBL*& table : cinfo.quant_tbl_ptrs) {
    table = nullptr;
  }
  for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
    cinfo.dc_huff_tbl_ptrs[i] = nullptr;
    cinfo.ac_huff_tbl_ptrs[i] = nullptr;
  }
}

Error JpegCallbacks::failure() const {
  if (code_ == JERR_OUT_OF_MEMORY || code_ == JERR_NO_BACKING_STORE) {
    return decode_error(ErrorKind::unsupported,
                        fmt::format("JPEG needs too much memory: {}", message_.data()),
                        "raise max_pixels if you trust the image");
  }
  return decode_error(means_unsupported(code_) ? ErrorKind::unsupported : ErrorKind::corrupt,
                      fmt::format("JPEG cannot be decoded: {}", message_.data()));
}

void leave_jpeg(jpeg_decompress_struct* cinfo, const char* message) {
  JpegCalls::on_damage(reinterpret_cast<j_common_ptr>(cinfo), message);
}

}  // namespace penstock::inline v0::detail
