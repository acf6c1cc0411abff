#pragma once
// What libjpeg calls back for: errors, warnings, bytes of the file, memory of tables.

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstddef>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0::detail {

/// Belongs to one decompressor and must not move. Every libjpeg call that can fail runs inside guarded();
/// nothing is ever printed.
struct JpegCallbacks {
  JpegCallbacks() = default;
  JpegCallbacks(const JpegCallbacks&) = delete;
  JpegCallbacks& operator=(const JpegCallbacks&) = delete;

  /// Before jpeg_create_decompress().
  void install_errors(jpeg_decompress_struct& cinfo);
  /// After it.
  void install(jpeg_decompress_struct& cinfo);

  /// libjpeg reads straight from `file`, which has an end; tables of the file before are forgotten.
  void start_file(jpeg_decompress_struct& cinfo, ByteSpan file);

  /// Runs libjpeg calls; false if one failed. No object with a destructor may live in `calls`.
  template <class Calls>
  bool guarded(Calls calls) {
    if (setjmp(error_exit_) != 0) {
      return false;
    }
    calls();
    return true;
  }
  /// What went wrong when guarded() was last false.
  Error failure() const;

 private:
  friend struct JpegCalls;

  // At most four quantisation and eight Huffman tables, below 300 bytes each.
  static constexpr std::size_t kTableBytes = 8192;

  /// libjpeg knows the first part only.
  struct Errors {
    jpeg_error_mgr base;
    JpegCallbacks* owner;
  };

  std::jmp_buf error_exit_;
  Errors errors_;
  jpeg_source_mgr source_;
  void* (*allocate_)(j_common_ptr cinfo, int pool, std::size_t size) = nullptr;
  alignas(std::max_align_t) std::array<std::byte, kTableBytes> tables_;
  std::size_t tables_used_ = 0;
  int code_ = 0;
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

/// Ends the libjpeg call under way: the data is damaged as the message says. Only inside
/// guarded().
[[noreturn]] void leave_jpeg(jpeg_decompress_struct* cinfo, const char* message);

}  // namespace penstock::inline v0::detail
