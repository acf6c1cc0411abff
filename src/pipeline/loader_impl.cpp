#include "pipeline/loader_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/plan/pipeline_fingerprint.hpp"
#include "pipeline/run/auto_tuner.hpp"

namespace penstock::inline v0 {

Result<std::shared_ptr<const OrderRule>> rule_for(const Dataset& dataset, const RowPlanPtr& plan,
                                                  const LoaderOptions& options) {
  const std::vector<RowTable> tables = row_tables(*dataset.table());
  PENSTOCK_ASSIGN(ShuffleRule shuffle_rule, ShuffleRule::make(options, *plan, tables));
  PENSTOCK_ASSIGN(LengthRule length_rule, LengthRule::make(options, *plan, tables));
  return OrderRule::make(options.sampler, options.shuffle, plan, *options.seed, std::move(shuffle_rule),
                         std::move(length_rule));
}

Loader::Impl::Impl(Dataset dataset, Plan plan, FieldTransforms transforms, std::vector<View> views,
                   LoaderOptions options, RowRecipe rows, std::uint64_t seed,
                   std::shared_ptr<const OrderRule> rule)
    : dataset(std::move(dataset)),
      options(std::move(options)),
      rule_(std::move(rule)),
      planner_(std::make_shared<Planner>(this->dataset, std::move(plan),
                                         this->options.with<&LoaderOptions::seed>(seed), rule_)),
      transforms_(std::move(transforms)),
      views_(std::move(views)),
      rows_(std::move(rows)) {
  if (this->options.cache) {
    const auto& named = this->options.cache_trust;
    cache_ = CachedStore::start(this->dataset, *this->options.cache,
                                named ? Trust::parse(*named).value() : Trust(), max_workers(this->options));
  }
}

Loader::Impl::~Impl() {
  if (cache_) {
    cache_->stop();
  }
}

Result<std::uint64_t> Loader::Impl::start_epoch(std::optional<std::vector<std::uint64_t>> order) {
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

std::optional<Clock::time_point> Loader::Impl::cache_deadline() {
  constexpr std::chrono::seconds kCachePatience{30};
  if (cache_ && epoch_took_ && !cache_deadline_) {
    const std::chrono::duration<double> patience = std::max<Clock::duration>(kCachePatience, *epoch_took_);
    cache_deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::min(
                           patience, std::chrono::duration<double>(options.timeout_seconds.value_or(1e9))));
  }
  return cache_deadline_;
}

Result<std::shared_ptr<const OrderRule>> Loader::Impl::rule_of(std::uint64_t seed) const {
  return seed == this->seed() ? rule_
                              : rule_for(dataset, rows_.plan, options.with<&LoaderOptions::seed>(seed));
}

RunIdentity Loader::Impl::identity(const OrderRule& rule) const {
  return {
      .samples = dataset.size(),
      .seed = rule.seed(),
      .generator_seed = options.generator_seed.value_or(rule.seed()),
      .dataset = dataset.fingerprint(),
      .order = rule.describe_sampler(),
      .pipeline = pipeline_fingerprint(dataset, transforms_, views_, options, draws_by_field(transforms_)),
      .pipeline_before = pipeline_fingerprint(dataset, transforms_, views_, options, false)};
}

ShardIdentity Loader::Impl::shard() const {
  const RankSlices& slices = planner_->walk().slices();
  return {.batch_size = static_cast<std::uint64_t>(options.batch_size),
          .rank = slices.rank(),
          .world = slices.world()};
}

Status Loader::Impl::take_rule(std::shared_ptr<const OrderRule> rule) {
  if (rule->seed() == seed() || planner_->closed()) {
    return {};
  }
  const Dataset source = planner_->dataset();
  rule_ = std::move(rule);
  return replace_planner(source, options.with<&LoaderOptions::seed>(rule_->seed()));
}

Status Loader::Impl::check_owner() const {
  if (!inherited()) {
    return {};
  }
  return Error{
      .kind = ErrorKind::invalid,
      .message = "this loader was opened before the process forked, and its workers stayed with the parent",
      .advice = "create a loader in the child",
      .place = {.stage = "deliver"}};
}

Status Loader::Impl::read_from_cache() {
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

Status Loader::Impl::replace_planner(const Dataset& source, const LoaderOptions& changed) {
  PENSTOCK_ASSIGN(Plan plan, Plan::make(source, transforms_, views_, changed, rows_));
  auto next = std::make_shared<Planner>(source, std::move(plan), changed, rule_, planner_.get());
  planner_->close(/*keep_stages=*/true);
  const std::lock_guard lock(replacing_);
  planner_ = std::move(next);
  return {};
}

}  // namespace penstock::inline v0
