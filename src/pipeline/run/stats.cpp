#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"
#include "core/cpu.hpp"
#include "core/usable_cores.hpp"
#include "pipeline/run/consumer_counters.hpp"

namespace penstock::inline v0 {

namespace {

constexpr double kNano = 1e-9;

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

// Epochs of fewer batches are over before all workers are under way, whatever is prefetched.
constexpr std::uint64_t kFewSteps = 3;

std::vector<LoaderStats::Decoded> decoded_by(const WorkerTotals& totals) {
  std::vector<LoaderStats::Decoded> decoded;
  for (std::size_t codec = 0; codec < image_codecs().size(); ++codec) {
    if (totals.decoded[codec] > 0) {
      decoded.push_back({.codec = image_codecs()[codec].name, .count = totals.decoded[codec]});
    }
  }
  for (std::size_t codec = 0; codec < audio_codecs().size(); ++codec) {
    if (totals.recordings[codec] > 0) {
      decoded.push_back({.codec = audio_codecs()[codec].name, .count = totals.recordings[codec]});
    }
  }
  return decoded;
}

}  // namespace

std::string verdict_of(const LoaderStats& stats, std::uint64_t steps) {
  if (stats.batches == 0) {
    return "nothing has been delivered yet";
  }
  const auto slowest = std::max_element(stats.stages.begin(), stats.stages.end(),
                                        [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  const std::string most = fmt::format("{} takes {} of the work", slowest->name, percent(slowest->share));
  const double waiting = share_of(stats.consumer_wait_seconds, stats.seconds);
  const double busy =
      share_of(stats.worker_busy_seconds, stats.worker_busy_seconds + stats.worker_wait_seconds);
  const int cores = static_cast<int>(usable_cores());
  if (stats.workers == 0) {
    return fmt::format(
        "the loader works in the consumer's own thread for {} of the time ({}); set num_workers to {} to "
        "load in parallel",
        percent(waiting), most, cores);
  }
  if (waiting < 0.1) {
    return fmt::format(
        "the consumer limits the rate: it waited for data {} of the time, and the workers were idle {} of "
        "theirs",
        percent(waiting), percent(1 - busy));
  }
  if (stats.auto_tune) {
    const LoaderStats::AutoTune& tune = *stats.auto_tune;
    return fmt::format(
        "the consumer waited {} of the time, and {}; auto_tune {} {} workers of at most {} and {} batches "
        "ahead",
        percent(waiting), most, tune.settled ? "settled on" : "is measuring, now with", tune.workers,
        tune.max_workers, tune.prefetch);
  }
  if (busy < 0.7 && steps <= kFewSteps) {
    return fmt::format(
        "an epoch has {}, too few to keep the workers busy: the consumer waited {} of the time and the "
        "workers {} of theirs; use smaller batches or more data",
        steps == 1 ? "one batch" : fmt::format("{} batches", steps), percent(waiting), percent(1 - busy));
  }
  if (busy < 0.7) {
    return fmt::format(
        "neither side is busy: the consumer waited {} of the time and the workers {} of theirs; raise "
        "prefetch, so that slow samples delay less",
        percent(waiting), percent(1 - busy));
  }
  const std::string remedy = stats.workers < cores
                                 ? fmt::format("raise num_workers from {} to {}", stats.workers, cores)
                                 : fmt::format("all {} cores are in use", cores);
  return fmt::format("the workers limit the rate: they were busy {} of the time and {}; {}", percent(busy),
                     most, remedy);
}

LoaderStats make_stats(const ConsumerCounters& consumer, const WorkerTotals& totals, int workers,
                       std::optional<LoaderStats::AutoTune> auto_tune, std::uint64_t buffer_bytes,
                       const Plan& plan, std::uint64_t steps) {
  LoaderStats stats;
  stats.auto_tune = std::move(auto_tune);
  stats.batches = consumer.batches.get();
  stats.samples = consumer.samples.get();
  stats.errors = consumer.errors.get();
  stats.empty_batches = consumer.empty_batches.get();
  stats.short_batches = consumer.short_batches.get();
  stats.repeated = consumer.repeated.get();
  stats.padding = share_of(static_cast<double>(consumer.padded_frames.get()),
                           static_cast<double>(consumer.audio_frames.get()));
  const std::int64_t span = consumer.last_delivery.load(std::memory_order_relaxed) -
                            consumer.first_request.load(std::memory_order_relaxed);
  stats.seconds = stats.batches > 0 ? static_cast<double>(span) * kNano : 0;
  stats.samples_per_second = share_of(static_cast<double>(stats.samples), stats.seconds);
  stats.first_batch_seconds = static_cast<double>(consumer.first_batch.get()) * kNano;
  stats.consumer_wait_seconds = static_cast<double>(consumer.wait.get()) * kNano;

  const bool decodes = !plan.raw_field();
  const auto seconds_in = [&totals](WorkStage stage) {
    return static_cast<double>(totals.spent[static_cast<std::size_t>(stage)]) * kNano;
  };
  stats.worker_wait_seconds = static_cast<double>(totals.wait) * kNano;
  stats.bytes = totals.bytes;
  const auto add_stage = [&](std::string name, WorkStage stage) {
    stats.stages.push_back({.name = std::move(name), .seconds = seconds_in(stage), .share = 0});
    stats.worker_busy_seconds += stats.stages.back().seconds;
  };
  add_stage("read", WorkStage::read);
  if (decodes) {
    add_stage("decode", WorkStage::decode);
    add_stage("transform", WorkStage::transform);
  }
  if (plan.has_foreign()) {
    add_stage("python", WorkStage::foreign);
  }
  add_stage(decodes ? "assemble" : "copy", WorkStage::assemble);
  for (LoaderStats::Stage& stage : stats.stages) {
    stage.share = share_of(stage.seconds, stats.worker_busy_seconds);
  }

  stats.decoded = decoded_by(totals);
  stats.workers = workers;
  stats.cpu_seconds = totals.cpu_seconds;
  stats.cpu_seconds_per_batch = share_of(stats.cpu_seconds, static_cast<double>(stats.batches));
  const double requests = static_cast<double>(consumer.requests.get());
  stats.queue_fill = share_of(static_cast<double>(consumer.queue_fill.get()) * 1e-3, requests);
  stats.batches_ready = share_of(static_cast<double>(consumer.batches_ready.get()), requests);
  stats.buffer_bytes = buffer_bytes;
  stats.undelivered_bytes = consumer.undelivered_bytes.load(std::memory_order_relaxed);
  const Result<CpuTarget> target = active_cpu_target();
  stats.simd_target = target ? name_of(*target) : "unknown";
  stats.verdict = verdict_of(stats, steps);
  return stats;
}

}  // namespace penstock::inline v0
