#pragma once
// WAV files: RIFF, RIFX (big-endian), RF64 and BW64 with integer PCM, float, A-law and mu-law samples.

#include <array>

#include "codecs/audio_format_decoder.hpp"
#include "codecs/codec_catalog.hpp"
#include "codecs/kernels/audio_samples.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {

/// Samples equal libsndfile's bit for bit. Lengths: a `data` size of 0 at the end of the file, or one of
/// 0x7FFFF000 and more that the file does not have, is what writers to a pipe leave behind; everything up to
/// the end of the file is taken. Any other size that the file does not have is a truncated file: `corrupt`.
/// A last incomplete frame is dropped.
class WavDecoder final : public AudioFormatDecoder {
 public:
  static constexpr std::array kExtensions = {FileExtension{"wav"}, FileExtension{"wave", InTars::bytes}};
  static bool recognises(ByteSpan file) noexcept;

  Result<AudioInfo> open(ByteSpan file) override;
  Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) override;

 private:
  /// Samples of the file, of either byte order, to floats.
  void convert(const std::uint8_t* in, std::size_t count, float* out);

  SampleFormat format_ = SampleFormat::int16;
  std::size_t channels_ = 1;
  std::size_t frame_bytes_ = 0;
  ByteSpan samples_;
  bool swaps_ = false;  // the bytes of samples
  Scratch block_;
  Scratch swapped_;
};

}  // namespace penstock::inline v0
