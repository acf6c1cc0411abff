#pragma once
// For tests: audio files made to measure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/audio_decoder.hpp"

namespace penstock::test {

using AudioBytes = std::vector<std::uint8_t>;

struct WavHeader {
  std::uint16_t tag = 1;
  std::uint16_t channels = 1;
  std::uint32_t rate = 8000;
  std::uint16_t bits = 16;
  bool extensible = false;
};

/// An id, the size of the content (or `size`), the content, and a byte of padding where that is odd.
AudioBytes wav_chunk(std::string_view id, const AudioBytes& content);
AudioBytes wav_chunk(std::string_view id, const AudioBytes& content, std::uint32_t size);
AudioBytes wav_format(const WavHeader& header);
/// RIFF and WAVE around chunks.
AudioBytes wav_file(const std::vector<AudioBytes>& chunks, std::string_view id = "RIFF");
/// A file of these samples, 16 bits each, interleaved.
AudioBytes wav_of(const std::vector<std::int16_t>& samples, std::uint16_t channels = 1,
                  std::uint32_t rate = 8000);

/// All channels of a file, one after the other; empty if it does not open or decode.
std::vector<float> decode_all(ByteSpan file);

}  // namespace penstock::test
