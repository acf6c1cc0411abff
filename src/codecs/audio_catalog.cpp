#include <array>
#include <string_view>

#include "codecs/audio_format_decoder.hpp"
#include "codecs/signature.hpp"
#include "codecs/sndfile.hpp"
#include "codecs/wav.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::array kAudioCodecList = {
    AudioCodec{"WAV", WavDecoder::recognises,
               []() -> std::unique_ptr<AudioFormatDecoder> { return std::make_unique<WavDecoder>(); }},
    AudioCodec{"FLAC, Ogg or MP3", sndfile_recognises, make_sndfile_decoder}};

static_assert(kAudioCodecList.size() <= kMaxAudioCodecs);

using namespace std::string_view_literals;

constexpr std::array kOtherRecordings = {
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
};

}  // namespace

std::span<const AudioCodec> audio_codecs() noexcept { return kAudioCodecList; }

Error describe_unrecognised_audio(ByteSpan file) {
  return describe_content(file, kOtherRecordings, "audio", "WAV, FLAC, Ogg or MP3");
}

}  // namespace penstock::inline v0
