#include "penstock/loader.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <system_error>

#include "core/printable.hpp"
#include "core/turn_lock.hpp"
#include "pipeline/cache/cached_store.hpp"
#include "pipeline/order/loader_state.hpp"
#include "pipeline/plan/list_fields.hpp"
#include "pipeline/plan/pipeline_fingerprint.hpp"
#include "pipeline/run/auto_tuner.hpp"
#include "pipeline/run/planner.hpp"

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

Result<std::shared_ptr<const OrderRule>> rule_for(const Dataset& dataset, const LoaderOptions& options) {
  PENSTOCK_ASSIGN(ShuffleRule shuffle_rule, ShuffleRule::make(options, *dataset.table()));
  PENSTOCK_ASSIGN(LengthRule length_rule, LengthRule::make(options, *dataset.table()));
  return OrderRule::make(options.sampler, options.shuffle, dataset.size(), *options.seed,
                         std::move(shuffle_rule), std::move(length_rule));
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

/// The planner, what lets several threads meet it, and the cache that may give it another data set.
class Loader::Impl {
 public:
  /// `seed`: that of the options, or drawn where they have none.
  Impl(Dataset dataset, Plan plan, FieldTransforms transforms, std::vector<View> views, LoaderOptions options,
       std::uint64_t seed, std::shared_ptr<const OrderRule> rule)
      : dataset(std::move(dataset)),
        options(std::move(options)),
        rule_(std::move(rule)),
        planner_(std::make_shared<Planner>(this->dataset, std::move(plan),
                                           this->options.with<&LoaderOptions::seed>(seed), rule_)),
        transforms_(std::move(transforms)),
        views_(std::move(views)) {
    if (this->options.cache) {
      const auto& named = this->options.cache_trust;
      cache_ = CachedStore::start(this->dataset, *this->options.cache,
                                  named ? Trust::parse(*named).value() : Trust(), max_workers(this->options));
    }
  }

  ~Impl() {
    if (cache_) {
      cache_->stop();
    }
  }

  /// Stays valid while it is held; a newer one may take its place between epochs.
  std::shared_ptr<Planner> planner() const {
    const std::lock_guard lock(replacing_);
    return planner_;
  }
  /// None for a fork: who builds it stayed with the parent, and its lock may be held forever.
  CachedStore* cache() const noexcept { return inherited() ? nullptr : cache_.get(); }

  /// Begins the next epoch: from the cache, once that is complete. `iterating` is held.
  Result<std::uint64_t> start_epoch(std::optional<std::vector<std::uint64_t>> order) {
    if (order.has_value() != rule_->is_given()) {
      return Error{.kind = ErrorKind::invalid,
                   .message = order ? "an order was given, but the sampler has its own"
                                    : "the sampler needs the order of each epoch",
                   .advice = "pass an order if, and only if, the sampler is Sampler::given()",
                   .place = {.stage = "deliver"}};
    }
    PENSTOCK_TRY(read_from_cache());
    epoch_took_.reset();
    cache_deadline_.reset();
    epoch_begun_ = Clock::now();
    return planner_->start_epoch(std::move(order));
  }
  /// The epoch has come to its end. `iterating` is held.
  void epoch_ended() { epoch_took_ = epoch_took_.value_or(Clock::now() - epoch_begun_); }

  /// Until when the next epoch waits for the cache: nothing if it does not. `iterating` is held.
  std::optional<Clock::time_point> cache_deadline() {
    constexpr std::chrono::seconds kCachePatience{30};
    if (cache_ && epoch_took_ && !cache_deadline_) {
      const std::chrono::duration<double> patience = std::max<Clock::duration>(kCachePatience, *epoch_took_);
      cache_deadline_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::min(
                             patience, std::chrono::duration<double>(options.timeout_seconds.value_or(1e9))));
    }
    return cache_deadline_;
  }

  std::uint64_t seed() const noexcept { return *planner_->options().seed; }
  RunIdentity identity(std::uint64_t seed) const {
    return {
        .samples = dataset.size(),
        .seed = seed,
        .generator_seed = options.generator_seed.value_or(seed),
        .dataset = dataset.fingerprint(),
        .order = rule_->describe_sampler(),
        .pipeline = pipeline_fingerprint(dataset, transforms_, views_, options, draws_by_field(transforms_)),
        .pipeline_before = pipeline_fingerprint(dataset, transforms_, views_, options, false)};
  }
  std::vector<Problem> list_problems() const { return penstock::list_problems(dataset, transforms_); }
  ShardIdentity shard() const {
    const RankSlices& slices = planner_->walk().slices();
    return {.batch_size = static_cast<std::uint64_t>(options.batch_size),
            .rank = slices.rank(),
            .world = slices.world()};
  }

  /// Continues with another seed than was drawn. `iterating` is held.
  Status take_seed(std::uint64_t seed) {
    if (seed == this->seed() || planner_->closed()) {
      return {};
    }
    const Dataset source = planner_->dataset();
    const LoaderOptions changed = options.with<&LoaderOptions::seed>(seed);
    PENSTOCK_ASSIGN(rule_, rule_for(dataset, changed));
    return replace_planner(source, changed);
  }

  /// Whether this process is a fork of the one that opened the loader.
  bool inherited() const noexcept { return ::getpid() != owner_; }
  Status check_owner() const {
    if (!inherited()) {
      return {};
    }
    return Error{
        .kind = ErrorKind::invalid,
        .message = "this loader was opened before the process forked, and its workers stayed with the parent",
        .advice = "create a loader in the child",
        .place = {.stage = "deliver"}};
  }

  const Dataset dataset;  ///< the source, whatever is read
  const LoaderOptions options;
  TurnLock iterating;  ///< held while planning, waiting and delivering

 private:
  Status read_from_cache() {
    if (!cache_ || from_cache_ || planner_->closed()) {
      return {};
    }
    const std::optional<Dataset> store = cache_->store();
    if (!store) {
      return {};
    }
    PENSTOCK_TRY(replace_planner(*store, planner_->options()));
    from_cache_ = true;
    return {};
  }

  Status replace_planner(const Dataset& source, const LoaderOptions& changed) {
    PENSTOCK_ASSIGN(Plan plan, Plan::make(source, transforms_, views_, changed));
    auto next = std::make_shared<Planner>(source, std::move(plan), changed, rule_, planner_.get());
    planner_->close(/*keep_stages=*/true);
    const std::lock_guard lock(replacing_);
    planner_ = std::move(next);
    return {};
  }

  const pid_t owner_ = ::getpid();
  std::shared_ptr<const OrderRule> rule_;
  mutable std::mutex replacing_;
  std::shared_ptr<Planner> planner_;
  const FieldTransforms transforms_;
  const std::vector<View> views_;
  std::shared_ptr<CachedStore> cache_;
  Clock::time_point epoch_begun_;
  std::optional<Clock::duration> epoch_took_;  // the last one, if it came to its end
  std::optional<Clock::time_point> cache_deadline_;
  bool from_cache_ = false;
};

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
  PENSTOCK_TRY(options.validate());
  options.max_pixels = options.max_pixels.value_or(dataset.max_pixels());
  if (!options.enable_transforms) {
    transforms.clear();
    views.clear();
  }
  PENSTOCK_ASSIGN(Plan plan, Plan::make(dataset, transforms, views, options));
  PENSTOCK_ASSIGN(const std::uint64_t seed, options.seed ? *options.seed : draw_seed());
  PENSTOCK_ASSIGN(auto rule, rule_for(dataset, options.with<&LoaderOptions::seed>(seed)));
  PENSTOCK_TRY(plan.start_stages(max_workers(options)));
  try {
    return Loader(std::make_unique<Impl>(std::move(dataset), std::move(plan), std::move(transforms),
                                         std::move(views), std::move(options), seed, std::move(rule)));
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
  LoaderState state{
      .run = impl_->identity(impl_->seed()), .progress = impl_->planner()->walk().progress(), .shard = {}};
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
  if (strict) {
    PENSTOCK_TRY(check_fits(state, impl_->identity(seed), impl_->shard()));
  } else if (state.shard && *state.shard != impl_->shard()) {
    state.progress.delivered.clear();  // no steps of ours: what came early comes again
  }
  const OrderRule& rule = impl_->planner()->walk().rule();
  if (state.progress.position > rule.places() && !rule.is_given()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("the state's position {} is beyond the {} places of an epoch",
                                        state.progress.position, rule.places()),
                 .advice = "use the state of a loader of this data set",
                 .place = {.stage = "resume"}};
  }
  PENSTOCK_TRY(impl_->take_seed(seed));
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
