#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "codecs/sndfile.hpp"
#include "codecs/sound_format_decoder.hpp"
#include "codecs/wav.hpp"

namespace penstock {
namespace {

constexpr std::array<SoundCodec, kSoundCodecs> kCodecs = {
    SoundCodec{"WAV", WavDecoder::recognises,
               []() -> std::unique_ptr<SoundFormatDecoder> { return std::make_unique<WavDecoder>(); }},
    SoundCodec{"FLAC, Ogg or MP3", sndfile_recognises, make_sndfile_decoder}};

/// What a file begins with, from `offset` on.
struct Signature {
  const char* name;
  std::size_t offset;
  std::string_view bytes;
};

using namespace std::string_view_literals;

constexpr std::array kOthers = {
    Signature{"RIFX (big-endian WAV)", 0, "RIFX"sv},
    Signature{"AIFF", 8, "AIFF"sv},
    Signature{"AIFF-C", 8, "AIFC"sv},
    Signature{"Sony Wave64", 0, "riff\x2E\x91\xCF\x11"sv},
    Signature{"Core Audio (CAF)", 0, "caff"sv},
    Signature{"Sun AU", 0, ".snd"sv},
    Signature{"ISO media (MP4, M4A)", 4, "ftyp"sv},
    Signature{"Windows media (WMA)", 0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv},
    Signature{"Matroska or WebM", 0, "\x1A\x45\xDF\xA3"sv},
    Signature{"Monkey's Audio", 0, "MAC "sv},
    Signature{"WavPack", 0, "wvpk"sv},
    Signature{"MIDI", 0, "MThd"sv},
    Signature{"AVI (video)", 8, "AVI "sv},
    Signature{"ZIP archive", 0, "PK\3\4"sv},
    Signature{"gzip", 0, "\x1F\x8B"sv},
    Signature{"HTML or XML text", 0, "<"sv},
};

}  // namespace

std::span<const SoundCodec, kSoundCodecs> sound_codecs() noexcept { return kCodecs; }

Error describe_unrecognised_sound(ByteSpan file) {
  if (file.empty()) {
    return detail::sound_error(ErrorKind::corrupt, "the sound file is empty");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Signature& known : kOthers) {
    if (text.size() >= known.offset && text.substr(known.offset).starts_with(known.bytes)) {
      return detail::sound_error(ErrorKind::unsupported,
                                 fmt::format("the content is {}, not WAV, FLAC, Ogg or MP3", known.name));
    }
  }
  std::string first;
  for (const std::uint8_t byte : file.first(std::min<std::size_t>(file.size(), 8))) {
    first += fmt::format("{}{:02x}", first.empty() ? "" : " ", byte);
  }
  return detail::sound_error(ErrorKind::corrupt,
                             fmt::format("the content is no known sound: it begins with {}", first));
}

}  // namespace penstock
