#include "codecs/audio_catalog.hpp"

#include <array>
#include <string_view>

#include "codecs/sndfile.hpp"
#include "codecs/wav.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::array kAudioCodecList = {
    AudioCodec{"WAV", WavDecoder::kExtensions, WavDecoder::recognises,
               []() -> std::unique_ptr<AudioFormatDecoder> { return std::make_unique<WavDecoder>(); }},
    AudioCodec{"FLAC, Ogg or MP3", kSndfileExtensions, sndfile_recognises, make_sndfile_decoder,
               sndfile_extension_of}};

static_assert(kAudioCodecList.size() <= kMaxAudioCodecs);

using namespace std::string_view_literals;

constexpr std::array kOtherRecordings = {
    Signature{"AIFF", 8, "AIFF"sv, "aiff"sv},
    Signature{"AIFF-C", 8, "AIFC"sv},
    Signature{"Sony Wave64", 0, "riff\x2E\x91\xCF\x11"sv},
    Signature{"Core Audio (CAF)", 0, "caff"sv},
    Signature{"Sun AU", 0, ".snd"sv},
    Signature{"ISO media (MP4, M4A)", 4, "ftyp"sv, "m4a"sv},
    Signature{"Windows media (WMA)", 0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv},
    Signature{"Matroska or WebM", 0, "\x1A\x45\xDF\xA3"sv},
    Signature{"Monkey's Audio", 0, "MAC "sv},
    Signature{"WavPack", 0, "wvpk"sv},
    Signature{"MIDI", 0, "MThd"sv},
    Signature{"AVI (video)", 8, "AVI "sv},
    Signature{"ZIP archive", 0, "PK\3\4"sv},
    Signature{"gzip", 0, "\x1F\x8B"sv},
};

constexpr std::array kOtherAudioExtensions = {FileExtension{"m4a"},
                                              FileExtension{"aac"},
                                              FileExtension{"wma"},
                                              FileExtension{"aiff"},
                                              FileExtension{"aif"},
                                              FileExtension{"au", InTars::bytes},
                                              FileExtension{"caf", InTars::bytes}};

constexpr CodecCatalog<AudioCodec> kAudioCatalog = {.what = "audio",
                                                    .known = "WAV, FLAC, Ogg or MP3",
                                                    .codecs = kAudioCodecList,
                                                    .others = kOtherRecordings,
                                                    .other_extensions = kOtherAudioExtensions};

}  // namespace

const CodecCatalog<AudioCodec>& audio_catalog() noexcept { return kAudioCatalog; }

}  // namespace penstock::inline v0
