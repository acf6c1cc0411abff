#pragma once
// What every_image_codec and every_audio_codec work on. The test beside a codec gives it:
//
//   const ImageMaterial kWebpMaterial("WebP", [](ImageSize size) -> std::vector<Bytes> { ... });

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "penstock/sample.hpp"

namespace penstock::test {

/// What makes files of an image codec, by the name that the codec has in its catalogue.
struct ImageMaterial {
  using Files = std::vector<std::vector<std::uint8_t>>;

  /// Files of several variants for an image of this size; none where the codec has none so small.
  std::function<Files(ImageSize)> files;
  /// The code tables that they share, where the codec has such.
  std::function<std::vector<std::uint8_t>()> tables;

  ImageMaterial(const char* codec, std::function<Files(ImageSize)> make,
                std::function<std::vector<std::uint8_t>()> shared = {})
      : files(std::move(make)), tables(std::move(shared)) {
    of_codecs().emplace(codec, *this);
  }
  static std::map<std::string, ImageMaterial>& of_codecs() {
    static std::map<std::string, ImageMaterial> all;
    return all;
  }
};

/// The same of an audio codec.
struct AudioMaterial {
  struct Recording {
    std::vector<std::int16_t> samples;  ///< of one channel after the other in each frame
    std::uint16_t channels = 1;
    std::uint32_t rate = 8000;
  };

  /// A file without loss.
  std::function<std::vector<std::uint8_t>(const Recording&)> file;

  AudioMaterial(const char* codec, std::function<std::vector<std::uint8_t>(const Recording&)> make)
      : file(std::move(make)) {
    of_codecs().emplace(codec, *this);
  }
  static std::map<std::string, AudioMaterial>& of_codecs() {
    static std::map<std::string, AudioMaterial> all;
    return all;
  }
};

}  // namespace penstock::test
