#include "codecs/sndfile.hpp"

namespace penstock::inline v0 {
namespace {

class AbsentDecoder final : public AudioFormatDecoder {
 public:
  Result<AudioInfo> open(ByteSpan) override {
    return detail::decode_error(ErrorKind::unsupported,
                                "this build of penstock reads only WAV, not FLAC, Ogg or MP3",
                                "install libsndfile (Debian: libsndfile1-dev) and rebuild penstock, with "
                                "PENSTOCK_AUDIO=ON to make sure that it is found");
  }
  Status decode(std::uint64_t, std::uint64_t, float*, std::size_t) override {
    return detail::decode_error(ErrorKind::invalid, "no audio is open");
  }
};

}  // namespace

std::unique_ptr<AudioFormatDecoder> make_sndfile_decoder() { return std::make_unique<AbsentDecoder>(); }

}  // namespace penstock::inline v0
