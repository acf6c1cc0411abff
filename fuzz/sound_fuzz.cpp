// Any bytes as a sound file: samples or an error, and a slice of a sound that decodes whole equals its part.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "codecs/mp3_length.hpp"
#include "codecs/sound_decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static penstock::SoundDecoder decoder;  // lives from input to input, as in a worker
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
  constexpr std::uint64_t kMostSamples = 1 << 20;
  if (info->frames > kMostSamples / channels) {
    return 0;
  }
  const std::uint64_t frames = info->frames;
  std::vector<float> whole(frames * channels);
  const bool sound = decoder.decode(0, frames, whole.data(), frames).ok();
  const std::uint64_t start = frames / 3;
  const std::uint64_t count = (frames - start) / 2;
  std::vector<float> part(count * channels);
  const bool part_sound = decoder.decode(start, count, part.data(), count).ok();
  if (sound && !part_sound) {
    std::abort();
  }
  for (std::uint64_t channel = 0; sound && count > 0 && channel < channels; ++channel) {
    if (std::memcmp(whole.data() + channel * frames + start, part.data() + channel * count,
                    count * sizeof(float)) != 0) {
      std::abort();
    }
  }
  return 0;
}
