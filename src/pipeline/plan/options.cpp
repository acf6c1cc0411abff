#include "penstock/options.hpp"

#include <fmt/format.h>

#include "io/trust.hpp"

namespace penstock::inline v0 {

namespace {

Error wrong(const char* option, std::string given, const char* right) {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("{} = {} cannot be", option, std::move(given)),
               .advice = right,
               .place = {.stage = "options"}};
}

Status check_path(const char* option, const std::optional<std::string>& path) {
  if (path && path->empty()) {
    return wrong(option, "''", "name one, or leave it out");
  }
  if (path && path->find('\0') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("{} must not contain NUL", option),
                 .advice = "name a path of your file system",
                 .place = {.stage = "options"}};
  }
  return {};
}

Status check_shuffle(const LoaderOptions& options) {
  const bool shuffles =
      options.shuffle || (options.sampler.kind == Sampler::Kind::random && !options.sampler.replacement);
  if (options.shuffle_mode != ShuffleMode::everywhere && !shuffles) {
    return wrong("shuffle_mode", "other than 'global' without shuffle=True", "give shuffle=True too");
  }
  if (options.shuffle_window && options.shuffle_mode != ShuffleMode::window) {
    return wrong("shuffle_window", fmt::format("{} without shuffle_mode='window'", *options.shuffle_window),
                 "give both, or leave it out");
  }
  if (options.shuffle_shards && options.shuffle_mode != ShuffleMode::shards) {
    return wrong("shuffle_shards", fmt::format("{} without shuffle_mode='shards'", *options.shuffle_shards),
                 "give both, or leave it out");
  }
  if (options.shuffle_window && *options.shuffle_window < 4) {
    return wrong("shuffle_window", fmt::format("{}", *options.shuffle_window), "give 4 samples or more");
  }
  if (options.shuffle_shards == std::uint64_t{0}) {
    return wrong("shuffle_shards", "0", "give 1 or more");
  }
  if (options.length_window && *options.length_window < 2) {
    return wrong("length_window", fmt::format("{}", *options.length_window), "give 2 samples or more");
  }
  const bool has_order =
      options.sampler.kind == Sampler::Kind::indices || options.sampler.kind == Sampler::Kind::given;
  if (options.length_window && has_order) {
    return wrong("length_window", fmt::format("{} with this sampler", *options.length_window),
                 "leave out one of them: the sampler names the order of every sample");
  }
  return {};
}

Status check_tuning(const LoaderOptions& options) {
  if (!(options.cpu_budget > 0 && options.cpu_budget <= 1)) {
    return wrong("cpu_budget", fmt::format("{}", options.cpu_budget), "give a share above 0.0 and up to 1.0");
  }
  if (options.cpu_budget != 1 && options.num_workers && !options.auto_tune) {
    return wrong("cpu_budget",
                 fmt::format("{} with num_workers={}", options.cpu_budget, *options.num_workers),
                 "leave out one of them, or give auto_tune=True too");
  }
  if (options.auto_tune && options.num_workers == 0) {
    return wrong("auto_tune", "True with num_workers=0",
                 "there are no workers to tune: give the most that may be used, or leave num_workers out");
  }
  if (options.auto_tune && options.prefetch == 0) {
    return wrong("auto_tune", "True with prefetch=0",
                 "workers need batches to prepare: give prefetch=1 or more to begin with");
  }
  return {};
}

}  // namespace

Status LoaderOptions::validate() const {
  constexpr std::int64_t kMaxRows = std::int64_t{1} << 24;
  if (batch_size < 1 || batch_size > kMaxRows) {
    return wrong("batch_size", fmt::format("{}", batch_size), "give a whole number from 1 to 16777216");
  }
  if (num_workers && (*num_workers < 0 || *num_workers > 1024)) {
    return wrong("num_workers", fmt::format("{}", *num_workers),
                 "give 0 to 1024 threads, or None for the cores this process may use");
  }
  if (prefetch < 0 || prefetch > 4096) {
    return wrong("prefetch", fmt::format("{}", prefetch), "give 0 to 4096 batches");
  }
  if (max_pixels == std::uint64_t{0}) {
    return wrong("max_pixels", "0", "give the largest width * height to accept");
  }
  PENSTOCK_TRY(check_path("cache", cache));
  PENSTOCK_TRY(check_path("error_report", error_report));
  if (cache_trust && !cache) {
    return wrong("cache_trust", "given without cache", "give both, or leave it out");
  }
  if (cache_trust) {
    PENSTOCK_TRY(Trust::parse(*cache_trust));
  }
  if (timeout_seconds && !(*timeout_seconds > 0 && *timeout_seconds <= 1e9)) {
    return wrong("timeout_seconds", fmt::format("{}", *timeout_seconds),
                 "give seconds above 0 and up to 1e9, or None to wait for ever");
  }
  if (max_errors.share && !(*max_errors.share >= 0 && *max_errors.share <= 1)) {
    return wrong("max_errors", fmt::format("{}", *max_errors.share),
                 "give a whole number, or a share from 0.0 to 1.0");
  }
  if (on_error == OnError::raise && (max_errors != MaxErrors{} || max_error_run)) {
    const std::string given = max_error_run      ? fmt::format("{}", *max_error_run)
                              : max_errors.share ? fmt::format("{}", *max_errors.share)
                                                 : fmt::format("{}", *max_errors.count);
    return wrong(max_error_run ? "max_error_run" : "max_errors", given + " with on_error='raise'",
                 "the first bad sample raises: give on_error='skip' or 'replace' too");
  }
  if (collate_buffer_size == std::uint64_t{0}) {
    return wrong("collate_buffer_size", "0", "give a number of bytes, or None");
  }
  constexpr int kMaxRanks = 1 << 20;
  if (shard_world_size && (*shard_world_size < 1 || *shard_world_size > kMaxRanks)) {
    return wrong("shard_world_size", fmt::format("{}", *shard_world_size), "give 1 or more");
  }
  if (shard_rank && !shard_world_size) {
    return wrong("shard_rank", fmt::format("{} without shard_world_size", *shard_rank),
                 "give both: which of how many, or none");
  }
  if (shard_rank && (*shard_rank < 0 || *shard_rank >= *shard_world_size)) {
    return wrong("shard_rank", fmt::format("{}", *shard_rank), "give 0 to shard_world_size - 1");
  }
  const int max_loaders = kMaxRanks / shard_world_size.value_or(1);
  if (num_workers_pytorch < 1 || num_workers_pytorch > max_loaders) {
    return wrong("num_workers_pytorch", fmt::format("{}", num_workers_pytorch),
                 "give 1 or more, and no more than 1048576 loaders in all");
  }
  if (worker_id < 0 || worker_id >= num_workers_pytorch) {
    return wrong("worker_id", fmt::format("{}", worker_id), "give 0 to num_workers_pytorch - 1");
  }
  if (!seed && (shard_world_size.value_or(1) > 1 || num_workers_pytorch > 1)) {
    return wrong("seed", "None with several processes",
                 "each would draw its own and see other samples: give all of them the same number");
  }
  PENSTOCK_TRY(check_shuffle(*this));
  return check_tuning(*this);
}

}  // namespace penstock::inline v0
