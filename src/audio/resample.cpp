#include "audio/resample.hpp"

#include <fmt/format.h>
#include <soxr.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace penstock::inline v0 {
namespace {

/// Frames that go in at once, so that soxr's own memory stays small.
constexpr std::size_t kBlock = 1 << 16;

struct DeleteResampler {
  void operator()(soxr* resampler) const noexcept { soxr_delete(resampler); }
};

Error failed(const char* reason) {
  Error error;
  error.kind = ErrorKind::invalid;
  error.message = fmt::format("soxr cannot resample: {}", reason);
  error.place.stage = "transform";
  return error;
}

}  // namespace

Status can_resample() { return {}; }

Status resample(const float* in, std::uint64_t frames, int from, int to, float* out) {
  std::span<const float> all(in, static_cast<std::size_t>(frames));
  if (from == to) {
    std::copy(all.begin(), all.end(), out);
    return {};
  }
  const auto next = [&all]() -> Result<std::span<const float>> { return std::exchange(all, {}); };
  return resample_start(next, from, to, out, resampled_frames(frames, from, to));
}

Status resample_start(const NextSamples& next, int from, int to, float* out, std::uint64_t frames) {
  const soxr_io_spec_t samples = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t one_thread = soxr_runtime_spec(1);
  soxr_error_t problem = nullptr;
  const std::unique_ptr<soxr, DeleteResampler> resampler(
      soxr_create(from, to, 1, &problem, &samples, &quality, &one_thread));
  if (!resampler || problem != nullptr) {
    return failed(problem != nullptr ? soxr_strerror(problem) : "out of memory");
  }
  auto left_out = static_cast<std::size_t>(frames);
  std::span<const float> in;
  bool over = false;
  while (left_out > 0) {
    if (in.empty() && !over) {
      PENSTOCK_ASSIGN(in, next());
      over = in.empty();
    }
    std::size_t read = 0;
    std::size_t written = 0;
    // A null pointer says that the recording is over.
    problem = soxr_process(resampler.get(), over ? nullptr : in.data(), std::min(in.size(), kBlock), &read,
                           out, left_out, &written);
    if (problem != nullptr) {
      return failed(soxr_strerror(problem));
    }
    if (read == 0 && written == 0) {
      break;
    }
    in = in.subspan(read);
    out += written;
    left_out -= written;
  }
  std::fill_n(out, left_out, 0.0F);  // where rounding asks for a frame more than soxr has
  return {};
}

}  // namespace penstock::inline v0
