#include "audio/resample.hpp"

namespace penstock::inline v0 {

Status can_resample() {
  Error error;
  error.kind = ErrorKind::unsupported;
  error.message = "this build of penstock cannot resample audio";
  error.advice =
      "install soxr (Debian: libsoxr-dev) and rebuild penstock, with PENSTOCK_AUDIO=ON to make sure that it "
      "is found";
  error.place.stage = "transform";
  return error;
}

Status resample(const float*, std::uint64_t, int, int, float*) { return can_resample(); }

Status resample_start(const NextSamples&, int, int, float*, std::uint64_t) { return can_resample(); }

}  // namespace penstock::inline v0
