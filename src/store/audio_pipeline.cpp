#include "store/audio_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "core/seconds_since.hpp"
#include "io/machine.hpp"
#include "store/build_options.hpp"
#include "store/ordered_run.hpp"

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

Result<std::size_t> AudioPipeline::take_memory(AudioBuildReport& report) {
  const AudioShape& shape = task_.shape;
  const auto workers = static_cast<std::size_t>(report.workers);
  const auto whole = static_cast<std::size_t>(settings_.num_mega_buffers);
  std::size_t batch = batch_files_of(settings_, shape, static_cast<unsigned>(workers), free_memory(), total_);
  while (true) {
    // All threads have a buffer when all are full: with more threads than buffers, each is cut.
    const std::size_t files = std::min(batch, (batch * whole + workers - 1) / workers);
    try {
      buffers_ = std::vector<AudioBuffer>((batch * whole + files - 1) / files);
      for (AudioBuffer& buffer : buffers_) {
        buffer.waves.reserve(files * shape.wave_bytes());
        buffer.mels.reserve(files * shape.mel_bytes());
        buffer.bad.resize(files);
      }
      report.batch_files = static_cast<int>(batch);
      return files;
    } catch (const std::bad_alloc&) {
      if (batch == 1) {
        return Error{.kind = ErrorKind::io,
                     .message = fmt::format("not enough memory for {} buffers of one file", whole),
                     .advice = "use a shorter duration or fewer num_mega_buffers",
                     .place = {.stage = "build"}};
      }
      batch /= 2;
    }
  }
}

Status AudioPipeline::report_progress() {
  constexpr double kSecondsBetween = 0.1;
  const std::unique_lock lock(telling_, std::try_to_lock);
  const double seconds = seconds_since(start_);
  if (settings_.progress && lock.owns_lock() && seconds - told_ >= kSecondsBetween) {
    told_ = seconds;
    const std::uint64_t done = task_.files_done;
    const bool goes_on = settings_.progress({.samples = resumed_at_ + done,
                                             .total = total_,
                                             .bytes_read = task_.bytes_read,
                                             .seconds = seconds,
                                             .samples_per_second = static_cast<double>(done) / seconds});
    cancelled_ = cancelled_ || !goes_on;
  }
  if (!cancelled_) {
    return {};
  }
  return Error{.kind = ErrorKind::cancelled,
               .message = "the build was cancelled",
               .advice = "start it again to resume",
               .place = {.stage = "build"}};
}

Status AudioPipeline::fill_and_compute(AudioWorker& worker, AudioBuffer& buffer) {
  PENSTOCK_TRY(report_progress());
  PENSTOCK_TRY(worker.fill(buffer));
  PENSTOCK_TRY(report_progress());
  PENSTOCK_TRY(worker.compute(buffer));
  return report_progress();
}

Status AudioPipeline::run(const Start& start, const WriteAudio& write, const Written& written,
                          AudioBuildReport& report) {
  const unsigned workers = worker_count(settings_.workers);
  report.workers = static_cast<int>(workers);
  total_ = report.files;
  resumed_at_ = start.first_file;
  start_ = std::chrono::steady_clock::now();
  PENSTOCK_ASSIGN(const std::size_t files, take_memory(report));
  std::vector<AudioWorker> threads;
  for (unsigned i = 0; i < workers; ++i) {
    PENSTOCK_ASSIGN(AudioWorker worker, AudioWorker::make(task_));
    threads.push_back(std::move(worker));
  }
  std::vector<double> waited(workers, 0.0);
  std::uint64_t row = start.first_row;
  Status outcome = run_in_order(
      0, (total_ - start.first_file + files - 1) / files, {.threads = workers, .waited = waited},
      std::span(buffers_),
      [&](std::size_t worker, std::uint64_t number, AudioBuffer& buffer) {
        buffer.first_file = start.first_file + number * files;
        buffer.count = static_cast<std::size_t>(std::min<std::uint64_t>(files, total_ - buffer.first_file));
        std::fill(buffer.bad.begin(), buffer.bad.end(), std::nullopt);
        buffer.failure.reset();
        if (Status made = fill_and_compute(threads[worker], buffer); !made.ok()) {
          buffer.failure = std::move(made).error();
        }
      },
      [](const AudioBuffer&) -> std::uint64_t { return 0; },
      [&](std::size_t worker, std::uint64_t, AudioBuffer& buffer) -> Status {
        if (buffer.failure) {
          return std::move(*buffer.failure);
        }
        PENSTOCK_ASSIGN(const std::uint64_t rows, threads[worker].write(buffer, row, write));
        row += rows;
        PENSTOCK_TRY(written(buffer, row));
        return report_progress();
      });
  for (unsigned i = 0; i < workers; ++i) {
    const AudioStageSeconds& spent = threads[i].seconds();
    report.stages.read += spent.read;
    report.stages.convert += spent.convert;
    report.stages.compute += spent.compute;
    report.stages.write += spent.write;
    report.stages.wait += waited[i];
  }
  report.bytes_read = task_.bytes_read;
  report.bytes_written = task_.bytes_written;
  report.seconds = seconds_since(start_);
  report.bottleneck = bottleneck_of(report.stages, report.seconds * workers);
  return outcome;
}

Result<AudioBuildReport> try_audio_pipeline(std::uint64_t files, const AudioBuildSettings& settings) {
  PENSTOCK_ASSIGN(const AudioShape shape, shape_of(settings));
  const std::vector<std::uint8_t> wav = made_up_wav(shape.wave_samples(), settings.sample_rate);
  const AudioFiles none;
  AudioPipeline pipeline(settings, shape, none, wav);
  AudioBuildReport report;
  report.files = files;
  const auto write_nothing = [](std::uint64_t, std::size_t, const void*, const void*) { return Status(); };
  const auto written = [&report](const AudioBuffer& buffer, std::uint64_t) -> Status {
    report.samples += buffer.count;
    return {};
  };
  PENSTOCK_TRY(pipeline.run({}, write_nothing, written, report));
  return report;
}

}  // namespace penstock::inline v0
