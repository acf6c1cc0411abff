#include "store/audio_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <string_view>
#include <vector>

#include "core/parallel_for.hpp"
#include "core/seconds_since.hpp"
#include "store/audio_trial.hpp"
#include "store/build_options.hpp"

namespace penstock::inline v0 {
namespace {

/// "write takes 61 % of the threads' time".
std::string bottleneck_of(const AudioStageSeconds& s, double thread_seconds) {
  const std::pair<double, const char*> stages[] = {
      {s.read, "read"}, {s.convert, "convert"}, {s.compute, "compute"}, {s.write, "write"}};
  const auto& longest = *std::max_element(std::begin(stages), std::end(stages));
  if (thread_seconds <= 0) {
    return "nothing was done";
  }
  if (s.wait > longest.first) {
    return fmt::format("threads wait for each other {:.0f} % of their time: more or smaller buffers may help",
                       100 * s.wait / thread_seconds);
  }
  return fmt::format("{} takes {:.0f} % of the threads' time", longest.second,
                     100 * longest.first / thread_seconds);
}

/// 16 bits, one channel, noise.
std::vector<std::uint8_t> made_up_wav(std::size_t samples, int rate) {
  const auto data = static_cast<std::uint32_t>(2 * samples);
  std::vector<std::uint8_t> bytes;
  const auto text = [&bytes](std::string_view word) { bytes.insert(bytes.end(), word.begin(), word.end()); };
  const auto number = [&bytes](std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
  };
  text("RIFF");
  number(36 + data, 4);
  text("WAVEfmt ");
  number(16, 4);
  number(1, 2);  // PCM
  number(1, 2);  // channel
  number(static_cast<std::uint32_t>(rate), 4);
  number(static_cast<std::uint32_t>(rate) * 2, 4);
  number(2, 2);
  number(16, 2);
  text("data");
  number(data, 4);
  std::uint32_t random = 1;
  for (std::size_t i = 0; i < samples; ++i) {
    random = random * 1664525 + 1013904223;
    number(random >> 16, 2);
  }
  return bytes;
}

}  // namespace

AudioPipeline::AudioPipeline(const AudioBuildSettings& settings, const AudioShape& shape,
                             const AudioFiles& files, ByteSpan synthetic)
    : settings_(settings) {
  task_.settings = &settings;
  task_.shape = shape;
  task_.files = &files;
  task_.synthetic = synthetic;
}

Result<std::unique_ptr<AudioRing>> AudioPipeline::make_ring(const Start& start, unsigned workers,
                                                            AudioBuildReport& report) const {
  const AudioShape& shape = task_.shape;
  const std::uint64_t files = report.files;
  AudioRingPlan plan{.first_file = start.first_file,
                     .files = files,
                     .first_row = start.first_row,
                     .batch = batch_files_of(settings_, shape, workers, free_memory(), files),
                     .buffers = static_cast<std::size_t>(settings_.num_mega_buffers),
                     .wave_bytes = shape.wave_bytes(),
                     .mel_bytes = shape.mel_bytes()};
  while (true) {
    // All threads have a part when all buffers are full. A thread that has a whole buffer fills, computes and
    // drains it in its own cache, as what is furthest goes first.
    const std::size_t part = (plan.batch * plan.buffers + workers - 1) / workers;
    const std::size_t micro = static_cast<std::size_t>(settings_.seg_microbatch_segments) / shape.segments();
    plan.part[0] = plan.part[2] = part;
    plan.part[1] = settings_.compute ? std::max<std::size_t>(1, micro) : part;
    try {
      auto ring = std::make_unique<AudioRing>(plan);
      report.batch_files = static_cast<int>(plan.batch);
      report.workers = static_cast<int>(workers);
      return ring;
    } catch (const std::bad_alloc&) {
      if (plan.batch == 1) {
        return Error{.kind = ErrorKind::io,
                     .message = fmt::format("not enough memory for {} buffers of one file", plan.buffers),
                     .advice = "use a shorter duration or fewer num_mega_buffers",
                     .place = {.stage = "build"}};
      }
      plan.batch /= 2;
    }
  }
}

void AudioPipeline::report_progress(AudioRing& ring, std::uint64_t resumed_at) {
  constexpr double kSecondsBetween = 0.1;
  const std::unique_lock lock(telling_, std::try_to_lock);
  const double seconds = seconds_since(start_);
  if (!settings_.progress || !lock.owns_lock() || seconds - told_ < kSecondsBetween) {
    return;
  }
  told_ = seconds;
  const std::uint64_t done = task_.files_done;
  const bool goes_on = settings_.progress({.samples = resumed_at + done,
                                           .total = total_,
                                           .bytes_read = task_.bytes_read,
                                           .seconds = seconds,
                                           .samples_per_second = static_cast<double>(done) / seconds});
  if (!goes_on) {
    ring.stop({.kind = ErrorKind::cancelled,
               .message = "the build was cancelled",
               .advice = "start it again to resume",
               .place = {.stage = "build"}});
  }
}

Status AudioPipeline::run(const Start& start, Write write, const AudioRing::Finished& finished,
                          AudioBuildReport& report) {
  const unsigned workers = worker_count(settings_.workers);
  task_.write = std::move(write);
  total_ = report.files;
  start_ = std::chrono::steady_clock::now();
  PENSTOCK_ASSIGN(const std::unique_ptr<AudioRing> ring, make_ring(start, workers, report));
  std::mutex mutex;
  Status outcome;
  parallel_for(workers, workers, [&](std::size_t) {
    const auto fail = [&](Error error) {
      ring->stop(error);
      const std::lock_guard lock(mutex);
      if (outcome.ok()) {
        outcome = std::move(error);
      }
    };
    try {
      auto worker = AudioWorker::make(task_);
      if (!worker.ok()) {
        fail(std::move(worker).error());
        return;
      }
      const auto work = [&](const AudioPart& part) {
        Status status = worker->work(part);
        report_progress(*ring, start.first_file);
        return status;
      };
      if (Status status = ring->work(work, finished, worker->seconds().wait); !status.ok()) {
        fail(std::move(status).error());
      }
      const std::lock_guard lock(mutex);
      const AudioStageSeconds& spent = worker->seconds();
      report.stages.read += spent.read;
      report.stages.convert += spent.convert;
      report.stages.compute += spent.compute;
      report.stages.write += spent.write;
      report.stages.wait += spent.wait;
    } catch (...) {  // the others must not wait for this one; parallel_for carries it to the caller
      ring->stop({.kind = ErrorKind::cancelled, .message = "another thread failed"});
      throw;
    }
  });
  report.bytes_read = task_.bytes_read;
  report.bytes_written = task_.bytes_written;
  report.seconds = seconds_since(start_);
  report.bottleneck = bottleneck_of(report.stages, report.seconds * workers);
  return outcome;
}

Result<AudioBuildReport> test_audio_pipeline(std::uint64_t files, const AudioBuildSettings& settings) {
  PENSTOCK_ASSIGN(const AudioShape shape, shape_of(settings));
  const std::vector<std::uint8_t> wav = made_up_wav(shape.wave_samples(), settings.sample_rate);
  const AudioFiles none;
  AudioPipeline pipeline(settings, shape, none, wav);
  AudioBuildReport report;
  report.files = files;
  const auto write_nothing = [](std::uint64_t, std::size_t, const void*, const void*) { return Status(); };
  const auto finished = [&report](const AudioBuffer& buffer) -> Status {
    report.samples += buffer.count;
    return {};
  };
  PENSTOCK_TRY(pipeline.run({}, write_nothing, finished, report));
  return report;
}

}  // namespace penstock::inline v0
