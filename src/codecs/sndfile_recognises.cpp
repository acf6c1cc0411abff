#include <string_view>

#include "codecs/sndfile.hpp"

namespace penstock::inline v0 {

namespace {

std::string_view text_of_audio(ByteSpan file) noexcept {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

}  // namespace

bool sndfile_recognises(ByteSpan file) noexcept {
  const std::string_view text = text_of_audio(file);
  if (text.starts_with("fLaC") || text.starts_with("OggS") || text.starts_with("ID3")) {
    return true;
  }
  // An MP3 without a tag begins with the header of a frame: eleven ones, layer 3, no reserved values.
  return file.size() >= 4 && file[0] == 0xFF && (file[1] & 0xE6) == 0xE2 && (file[1] & 0x18) != 0x08 &&
         (file[2] & 0xF0) != 0xF0 && (file[2] & 0x0C) != 0x0C;
}

std::string_view sndfile_extension_of(ByteSpan file) noexcept {
  const std::string_view text = text_of_audio(file);
  return text.starts_with("fLaC") ? "flac" : text.starts_with("OggS") ? "ogg" : "mp3";
}

}  // namespace penstock::inline v0
