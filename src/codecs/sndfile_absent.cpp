#include "codecs/sndfile.hpp"

namespace penstock {
namespace {

class AbsentDecoder final : public SoundFormatDecoder {
 public:
  Result<SoundInfo> open(ByteSpan) override {
    return detail::sound_error(
        ErrorKind::unsupported, "this build of penstock reads no FLAC, Ogg and MP3, only WAV",
        "install libsndfile (Debian: libsndfile1-dev) and build penstock again, with PENSTOCK_SOUND=ON to be "
        "told if it is not found");
  }
  Status decode(std::uint64_t, std::uint64_t, float*, std::size_t) override {
    return detail::sound_error(ErrorKind::invalid, "no sound is open");
  }
};

}  // namespace

std::unique_ptr<SoundFormatDecoder> make_sndfile_decoder() { return std::make_unique<AbsentDecoder>(); }

}  // namespace penstock
