#pragma once
// FLAC, Ogg (Vorbis, Opus, FLAC) and MP3 through libsndfile, an optional part of the build: sndfile.cpp is
// compiled where it was found, else sndfile_absent.cpp, whose decoder says how to get it.

#include <array>
#include <memory>

#include "codecs/audio_format_decoder.hpp"
#include "codecs/codec_catalog.hpp"

namespace penstock::inline v0 {

inline constexpr std::array kSndfileExtensions = {FileExtension{"flac"}, FileExtension{"mp3"},
                                                  FileExtension{"ogg"}, FileExtension{"opus"},
                                                  FileExtension{"oga", InTars::bytes}};
bool sndfile_recognises(ByteSpan file) noexcept;
/// Of a file that it recognises.
std::string_view sndfile_extension_of(ByteSpan file) noexcept;

/// Lengths are those that the files give; samples that are missing when decode() comes to them are `corrupt`.
/// An MP3 file that gives none is as long as its frames, which must follow each other to the end.
/// An Ogg file without its end mark is as long as its whole pages, and counts as repaired.
std::unique_ptr<AudioFormatDecoder> make_sndfile_decoder();

}  // namespace penstock::inline v0
