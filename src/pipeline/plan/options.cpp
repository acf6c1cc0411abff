#include "penstock/options.hpp"

#include <fmt/format.h>

#include "core/must_be.hpp"
#include "io/trust.hpp"

namespace penstock::inline v0 {

namespace {

Error wrong(const char* option, const std::string& given, const char* expected) {
  return must_be(option, expected, given, "options");
}

/// Options that do not go together.
Error conflict(std::string message, const char* advice) {
  return Error{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = advice,
               .place = {.stage = "options"}};
}

Status check_path(const char* option, const std::optional<std::string>& path) {
  if (path && path->empty()) {
    return wrong(option, "''", "a path");
  }
  if (path && path->find('\0') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("{} must not contain NUL", option),
                 .advice = {},
                 .place = {.stage = "options"}};
  }
  return {};
}

Status check_shuffle(const LoaderOptions& options) {
  const bool shuffles = options.shuffle || options.sampler.kind == Sampler::Kind::repeated ||
                        (options.sampler.kind == Sampler::Kind::random && !options.sampler.replacement);
  if (options.shuffle_mode != ShuffleMode::everywhere && !shuffles) {
    return conflict("shuffle_mode requires shuffle=True", "set shuffle=True, or omit shuffle_mode");
  }
  if (options.shuffle_window && options.shuffle_mode != ShuffleMode::window) {
    return conflict("shuffle_window requires shuffle_mode='window'", "set both, or omit shuffle_window");
  }
  if (options.shuffle_shards && options.shuffle_mode != ShuffleMode::shards) {
    return conflict("shuffle_shards requires shuffle_mode='shards'", "set both, or omit shuffle_shards");
  }
  if (options.shuffle_window && *options.shuffle_window < 4) {
    return wrong("shuffle_window", fmt::format("{}", *options.shuffle_window), "at least 4 samples");
  }
  if (options.shuffle_shards == std::uint64_t{0}) {
    return wrong("shuffle_shards", "0", "a positive integer");
  }
  if (options.length_window && *options.length_window < 2) {
    return wrong("length_window", fmt::format("{}", *options.length_window), "at least 2 samples");
  }
  const bool has_order = options.sampler.kind == Sampler::Kind::indices ||
                         options.sampler.kind == Sampler::Kind::given ||
                         options.sampler.kind == Sampler::Kind::repeated;
  if (options.length_window && has_order) {
    return conflict("length_window and this sampler cannot be combined",
                    "omit one of them: the sampler determines the order of every sample");
  }
  return {};
}

Status check_tuning(const LoaderOptions& options) {
  if (!(options.cpu_budget > 0 && options.cpu_budget <= 1)) {
    return wrong("cpu_budget", fmt::format("{}", options.cpu_budget), "a share above 0.0 and up to 1.0");
  }
  if (options.cpu_budget != 1 && options.num_workers && !options.auto_tune) {
    return conflict(fmt::format("cpu_budget={} and num_workers={} cannot be combined without auto_tune",
                                options.cpu_budget, *options.num_workers),
                    "omit one of them, or set auto_tune=True");
  }
  if (options.auto_tune && options.num_workers == 0) {
    return conflict("auto_tune requires workers, but num_workers=0",
                    "set num_workers to the maximum that may be used, or omit it");
  }
  if (options.auto_tune && options.prefetch == 0) {
    return conflict("auto_tune requires batches to prepare, but prefetch=0", "set prefetch to 1 or more");
  }
  return {};
}

}  // namespace

Status LoaderOptions::validate() const {
  constexpr std::int64_t kMaxRows = std::int64_t{1} << 24;
  if (batch_size < 1 || batch_size > kMaxRows) {
    return wrong("batch_size", fmt::format("{}", batch_size), "an integer between 1 and 16777216");
  }
  if (num_workers && (*num_workers < 0 || *num_workers > 1024)) {
    return wrong("num_workers", fmt::format("{}", *num_workers),
                 "between 0 and 1024, or None for the cores this process may use");
  }
  if (prefetch < 0 || prefetch > 4096) {
    return wrong("prefetch", fmt::format("{}", prefetch), "between 0 and 4096");
  }
  if (max_pixels == std::uint64_t{0}) {
    return wrong("max_pixels", "0", "a positive integer");
  }
  PENSTOCK_TRY(check_path("cache", cache));
  PENSTOCK_TRY(check_path("error_report", error_report));
  if (cache_trust && !cache) {
    return conflict("cache_trust requires cache", "set both, or omit cache_trust");
  }
  if (cache_trust) {
    PENSTOCK_TRY(Trust::parse(*cache_trust));
  }
  if (timeout_seconds && !(*timeout_seconds > 0 && *timeout_seconds <= 1e9)) {
    return wrong("timeout_seconds", fmt::format("{}", *timeout_seconds),
                 "above 0 and at most 1e9 seconds, or None to wait forever");
  }
  if (max_errors.share && !(*max_errors.share >= 0 && *max_errors.share <= 1)) {
    return wrong("max_errors", fmt::format("{}", *max_errors.share),
                 "an integer, or a share between 0.0 and 1.0");
  }
  if (on_error == OnError::raise && (max_errors != MaxErrors{} || max_error_run)) {
    return conflict(
        fmt::format("{} has no effect with on_error='raise'", max_error_run ? "max_error_run" : "max_errors"),
        "the first bad sample raises; set on_error='skip' or 'replace'");
  }
  if (collate_buffer_size == std::uint64_t{0}) {
    return wrong("collate_buffer_size", "0", "a positive number of bytes, or None");
  }
  constexpr int kMaxRanks = 1 << 20;
  if (shard_world_size && (*shard_world_size < 1 || *shard_world_size > kMaxRanks)) {
    return wrong("shard_world_size", fmt::format("{}", *shard_world_size), "between 1 and 1048576");
  }
  if (shard_rank && !shard_world_size) {
    return conflict("shard_rank requires shard_world_size", "set both, or neither");
  }
  if (shard_rank && (*shard_rank < 0 || *shard_rank >= *shard_world_size)) {
    return wrong("shard_rank", fmt::format("{}", *shard_rank), "between 0 and shard_world_size - 1");
  }
  const int max_loaders = kMaxRanks / shard_world_size.value_or(1);
  if (num_workers_pytorch < 1 || num_workers_pytorch > max_loaders) {
    return wrong("num_workers_pytorch", fmt::format("{}", num_workers_pytorch),
                 "at least 1, and at most 1048576 for all ranks together");
  }
  if (worker_id < 0 || worker_id >= num_workers_pytorch) {
    return wrong("worker_id", fmt::format("{}", worker_id), "between 0 and num_workers_pytorch - 1");
  }
  if (!seed && (shard_world_size.value_or(1) > 1 || num_workers_pytorch > 1)) {
    return conflict("seed=None cannot be used with several processes",
                    "each would draw its own and see other samples; pass the same seed to all of them");
  }
  PENSTOCK_TRY(check_shuffle(*this));
  return check_tuning(*this);
}

}  // namespace penstock::inline v0
