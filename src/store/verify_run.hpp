#pragma once
// What checks of stores and of their sources have in common: every sample by all threads, findings in order.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "core/scratch.hpp"
#include "formats/sample_table.hpp"
#include "penstock/store.hpp"
#include "store/build_options.hpp"
#include "store/ordered_run.hpp"

namespace penstock::inline v0 {

/// What one sample gave.
struct Findings {
  std::uint64_t images = 0;
  std::uint64_t recordings = 0;
  std::uint64_t compared = 0;
  std::uint64_t bytes = 0;
  std::uint64_t recordings_of_unknown_length = 0;
  std::vector<Error> errors;
};

struct WholeImage {
  ImageSize size{};
  PixelLayout layout = PixelLayout::rgb;
  ByteSpan pixels{};
};

/// The whole image in this mode, into `pixels`.
Result<WholeImage> decode_whole(ImageDecoder& decoder, const StoredValue& stored, ImageMode mode,
                                Scratch& pixels);

/// Adds what one sample gave.
void add_findings(VerifyReport& report, Findings found);

/// What users should know of recordings whose writers left a placeholder.
void note_unknown_lengths(VerifyReport& report, std::uint64_t recordings);

/// Checks `samples` samples with make_checker()->check(sample) -> Findings, one checker for each thread.
template <class MakeChecker>
Status check_samples(std::uint64_t samples, const VerifySettings& settings, MakeChecker&& make_checker,
                     VerifyReport& report) {
  const unsigned threads = worker_count(settings.workers);
  std::vector<decltype(make_checker())> checkers(threads);
  std::vector<Findings> slots(kSamplesPerThread * threads);
  std::uint64_t of_unknown_length = 0;
  PENSTOCK_TRY(run_in_order(
      0, samples, {.threads = threads}, std::span(slots),
      [&](std::size_t worker, std::uint64_t sample, Findings& found) {
        if (!checkers[worker]) {
          checkers[worker] = make_checker();
        }
        found = checkers[worker]->check(sample);
      },
      [](const Findings&) -> std::uint64_t { return 0; },
      [&](std::size_t, std::uint64_t sample, Findings& found) -> Status {
        for (const Error& error : found.errors) {
          if (error.systemic) {
            return error;
          }
        }
        of_unknown_length += found.recordings_of_unknown_length;
        add_findings(report, std::move(found));
        if (settings.progress && !settings.progress(sample + 1, samples)) {
          return Error{.kind = ErrorKind::cancelled, .message = "the check was cancelled"};
        }
        return {};
      }));
  note_unknown_lengths(report, of_unknown_length);
  return {};
}

}  // namespace penstock::inline v0
