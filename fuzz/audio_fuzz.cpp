// Any bytes as an audio file: samples or an error, and a slice of a recording that decodes whole equals its
// part.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "codecs/audio_decoder.hpp"
#include "codecs/mp3_length.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static penstock::AudioDecoder decoder;  // lives from input to input, as in a worker
  const penstock::ByteSpan file(data, size);
  const auto counted = penstock::count_mp3_frames(file);
  if (counted && *counted && ((*counted)->samples > size * 1152 || (*counted)->end > size)) {
    std::abort();
  }
  const auto info = decoder.open(file);
  if (!info) {
    return 0;
  }
  const auto channels = static_cast<std::uint64_t>(info->channels);
  constexpr std::uint64_t kMaxSamples = 1 << 20;
  if (info->frames > kMaxSamples / channels) {
    return 0;
  }
  const std::uint64_t frames = info->frames;
  std::vector<float> whole(frames * channels);
  const bool intact = decoder.decode(0, frames, whole.data(), frames).ok();
  const std::uint64_t start = frames / 3;
  const std::uint64_t count = (frames - start) / 2;
  std::vector<float> part(count * channels);
  const bool part_intact = decoder.decode(start, count, part.data(), count).ok();
  if (intact && !part_intact) {
    std::abort();
  }
  for (std::uint64_t channel = 0; intact && count > 0 && channel < channels; ++channel) {
    if (std::memcmp(whole.data() + channel * frames + start, part.data() + channel * count,
                    count * sizeof(float)) != 0) {
      std::abort();
    }
  }
  return 0;
}
