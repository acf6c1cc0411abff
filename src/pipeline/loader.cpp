#include "penstock/loader.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/types.h>

#include <algorithm>
#include <mutex>
#include <system_error>

#include "core/printable.hpp"
#include "pipeline/loader_impl.hpp"
#include "pipeline/run/auto_tuner.hpp"

namespace penstock::inline v0 {
namespace {

// Waits are cut into slices, so that close() and state() of other threads get their turn.
constexpr std::chrono::milliseconds kSlice{100};

Result<std::uint64_t> draw_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    return Error{.kind = ErrorKind::io,
                 .message = "the system provides no random numbers",
                 .advice = "pass a seed",
                 .place = {.stage = "options"}};
  }
  return seed >> 11;  // 53 bits: a number that every reader of JSON keeps as it is
}

/// A cache is a store of one table, whose samples rows would not find by the tables they were joined of.
Status check_cache(const Dataset& dataset, const LoaderOptions& options) {
  if (!options.cache || row_tables(*dataset.table()).size() == 1) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = "cache and rows of several data sets cannot be combined",
               .advice = "build a store of each: penstock build SRC DST",
               .place = {.stage = "options"}};
}

/// What on_error skip did to batches, where that is not what the options promise otherwise.
std::string surprise(const LoaderStats& stats, const LoaderOptions& options) {
  const char* const cure = "on_error='replace' puts other samples into their rows";
  if (stats.empty_batches > 0) {
    return fmt::format(
        "on_error='skip' has left a batch with 0 rows, whose mean loss is nan: all its samples are bad; {}",
        cure);
  }
  if (options.drop_last && stats.short_batches > 0) {
    return fmt::format(
        "on_error='skip' has left a batch with fewer than batch_size={} rows, although drop_last is set; {}",
        options.batch_size, cure);
  }
  return "";
}

}  // namespace

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() {
  if (impl_ && impl_->inherited()) {
    // The workers stayed with the parent: there is nobody to join, and locks may be held forever.
    impl_.release();
  }
}

Result<Loader> Loader::open(Dataset dataset, FieldTransforms transforms, LoaderOptions options,
                            std::vector<View> views) {
  RowRecipe rows{.plan = sample_per_row(dataset.size())};
  return open(std::move(dataset), std::move(transforms), std::move(options), std::move(views),
              std::move(rows));
}

Result<Loader> Loader::open(Dataset dataset, FieldTransforms transforms, LoaderOptions options,
                            std::vector<View> views, RowRecipe rows) {
  PENSTOCK_TRY(options.validate());
  PENSTOCK_TRY(check_cache(dataset, options));
  options.max_pixels = options.max_pixels.value_or(dataset.max_pixels());
  if (!options.enable_transforms) {
    transforms.clear();
    views.clear();
  }
  PENSTOCK_ASSIGN(Plan plan, Plan::make(dataset, transforms, views, options, rows));
  PENSTOCK_ASSIGN(const std::uint64_t seed, options.seed ? *options.seed : draw_seed());
  PENSTOCK_ASSIGN(auto rule, rule_for(dataset, rows.plan, options.with<&LoaderOptions::seed>(seed)));
  PENSTOCK_TRY(plan.start_stages(max_workers(options)));
  try {
    return Loader(std::make_unique<Impl>(std::move(dataset), std::move(plan), std::move(transforms),
                                         std::move(views), std::move(options), std::move(rows), seed,
                                         std::move(rule)));
  } catch (const std::system_error& refused) {
    return workers_refused(refused);
  }
}

const Dataset& Loader::dataset() const noexcept { return impl_->dataset; }
const LoaderOptions& Loader::options() const noexcept { return impl_->options; }
std::uint64_t Loader::steps() const noexcept { return impl_->planner()->steps(); }

void Loader::set_epoch(std::uint64_t epoch) noexcept {
  if (impl_->inherited()) {
    return;  // the lock may be held forever; start_epoch() says what is wrong
  }
  const std::lock_guard lock(impl_->iterating);
  impl_->planner()->set_epoch(epoch);
}

std::uint64_t Loader::next_epoch() const {
  if (impl_->inherited()) {
    return 0;  // as set_epoch()
  }
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner()->walk().next_epoch();
}

std::optional<std::uint64_t> Loader::next_position() const {
  if (impl_->inherited()) {
    return {};  // as set_epoch()
  }
  const std::lock_guard lock(impl_->iterating);
  const EpochWalk& walk = impl_->planner()->walk();
  return walk.starts_with_gaps() ? std::nullopt : std::optional(walk.start().position);
}

Status Loader::set_shard(int rank, int world) {
  PENSTOCK_TRY(impl_->check_owner());
  LoaderOptions checked = impl_->options;
  checked.shard_rank = rank;
  checked.shard_world_size = world;
  PENSTOCK_TRY(checked.validate());
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner()->set_shard(rank, world);
}

Result<std::uint64_t> Loader::start_epoch(std::optional<std::vector<std::uint64_t>> order) {
  PENSTOCK_TRY(impl_->check_owner());
  while (await_cache(kSlice)) {
  }
  for (bool free = false; !free;) {
    PENSTOCK_ASSIGN(free, await_workers(kSlice));
  }
  const std::lock_guard lock(impl_->iterating);
  return impl_->start_epoch(std::move(order));
}

Result<bool> Loader::await_workers(std::chrono::milliseconds patience) {
  PENSTOCK_TRY(impl_->check_owner());
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner()->make_way(Clock::now() + patience);
}

Result<std::string> Loader::state() const {
  PENSTOCK_TRY(impl_->check_owner());
  const std::lock_guard lock(impl_->iterating);
  LoaderState state{.run = impl_->identity(), .progress = impl_->planner()->walk().progress(), .shard = {}};
  if (!state.progress.delivered.empty()) {
    state.shard = impl_->shard();
  }
  return write_state(state);
}

Status Loader::load_state(std::string_view text, bool strict) {
  PENSTOCK_TRY(impl_->check_owner());
  const std::lock_guard lock(impl_->iterating);
  PENSTOCK_ASSIGN(LoaderState state, read_state(text));
  const std::uint64_t seed = impl_->options.seed ? impl_->seed() : state.run.seed;
  PENSTOCK_ASSIGN(auto rule, impl_->rule_of(seed));
  if (strict) {
    PENSTOCK_TRY(check_fits(state, impl_->identity(*rule), impl_->shard()));
  } else if (state.shard && *state.shard != impl_->shard()) {
    state.progress.delivered.clear();  // no steps of ours: what came early comes again
  }
  if (state.progress.position > rule->places() && !rule->is_given()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("the state's position {} is beyond the {} places of an epoch",
                                        state.progress.position, rule->places()),
                 .advice = "use the state of a loader of this data set",
                 .place = {.stage = "resume"}};
  }
  PENSTOCK_TRY(impl_->take_rule(std::move(rule)));
  impl_->planner()->resume(std::move(state.progress));
  return {};
}

Status Loader::skip(std::uint64_t steps) {
  PENSTOCK_TRY(impl_->check_owner());
  const std::lock_guard lock(impl_->iterating);
  impl_->planner()->skip(steps);
  return {};
}

Result<Loader::Step> Loader::next(std::uint64_t ticket, std::chrono::milliseconds patience) {
  PENSTOCK_TRY(impl_->check_owner());
  const std::lock_guard lock(impl_->iterating);
  Result<Step> step = impl_->planner()->next(ticket, Clock::now() + patience);
  if (step && step->state == Step::State::finished) {
    impl_->epoch_ended();
  }
  return step;
}

bool Loader::is_ready(std::uint64_t ticket) const {
  if (impl_->inherited()) {
    return false;
  }
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner()->is_ready(ticket);
}

Result<std::optional<Batch>> Loader::next(std::uint64_t ticket) {
  for (;;) {
    PENSTOCK_ASSIGN(Step step, next(ticket, kSlice));
    if (step.state == Step::State::ready) {
      return std::optional<Batch>(std::move(step.batch));
    }
    if (step.state == Step::State::finished) {
      return std::optional<Batch>();
    }
  }
}

bool Loader::cache_building(std::chrono::milliseconds patience) const {
  return impl_->cache() != nullptr && impl_->cache()->building(patience);
}

bool Loader::await_cache(std::chrono::milliseconds patience) {
  if (impl_->cache() == nullptr) {
    return false;
  }
  const std::optional<Clock::time_point> deadline = [this] {
    const std::lock_guard lock(impl_->iterating);
    return impl_->cache_deadline();
  }();
  const Clock::time_point now = Clock::now();
  if (!deadline || now >= *deadline) {
    return false;
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - now);
  return impl_->cache()->building(std::min(patience, left));
}

std::vector<Loader::Problem> Loader::problems() const {
  std::vector<Problem> problems;
  if (impl_->inherited()) {
    return problems;
  }
  const auto add = [&problems](const char* about, const char* before, const std::string& text) {
    if (!text.empty()) {
      problems.push_back({.about = about, .text = before + printable_line(text)});
    }
  };
  const std::shared_ptr<Planner> planner = impl_->planner();
  if (CachedStore* const cache = impl_->cache()) {
    add("cache", "the cache ", cache->troubled() ? cache->state() : "");
    add("close", "", cache->left_behind());
  }
  add("error_report", "", planner->report_problem());
  add("close", "", planner->left_behind());
  add("skip", "", surprise(planner->stats(), impl_->options));
  for (const Problem& problem : impl_->list_problems()) {
    add(problem.about.c_str(), "", problem.text);
  }
  for (const auto& [column, remark] : planner->remarks()) {
    add(("field " + column).c_str(), "", remark);
  }
  return problems;
}

LoaderStats Loader::stats() const {
  LoaderStats stats = impl_->planner()->stats();
  stats.cache = impl_->cache() != nullptr ? printable_line(impl_->cache()->state()) : "";
  return stats;
}
std::vector<Error> Loader::errors() const { return impl_->planner()->errors(); }
std::string Loader::plan() const { return impl_->planner()->describe(); }
std::vector<FieldInfo> Loader::columns() const { return impl_->planner()->columns(); }

void Loader::close() noexcept {
  if (impl_->inherited()) {
    return;
  }
  const std::lock_guard lock(impl_->iterating);
  impl_->planner()->close();
  if (impl_->cache() != nullptr) {
    impl_->cache()->stop();
  }
}

}  // namespace penstock::inline v0
