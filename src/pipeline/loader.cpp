#include "penstock/loader.hpp"

#include <fmt/format.h>

#include <mutex>
#include <system_error>

#include "pipeline/planner.hpp"

namespace penstock {

/// The planner, and what lets several threads meet it.
class Loader::Impl {
 public:
  Impl(Dataset dataset, Plan plan, LoaderOptions options)
      : planner(std::move(dataset), std::move(plan), std::move(options)) {}

  std::mutex iterating;  ///< held while planning, waiting and delivering
  Planner planner;
};

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

Result<Loader> Loader::open(Dataset dataset, FieldTransforms transforms, LoaderOptions options) {
  PENSTOCK_TRY(options.validate());
  PENSTOCK_ASSIGN(Plan plan, Plan::make(dataset, transforms, options));
  try {
    return Loader(std::make_unique<Impl>(std::move(dataset), std::move(plan), std::move(options)));
  } catch (const std::system_error& refused) {
    return Error{.kind = ErrorKind::io,
                 .message = fmt::format("the system refused to start the workers: {}", refused.what()),
                 .advice = "lower num_workers or raise the limit on threads",
                 .place = {.stage = "open"}};
  }
}

const Dataset& Loader::dataset() const noexcept { return impl_->planner.dataset(); }
const LoaderOptions& Loader::options() const noexcept { return impl_->planner.options(); }
std::uint64_t Loader::steps() const noexcept { return impl_->planner.steps(); }

void Loader::set_epoch(std::uint64_t epoch) noexcept {
  const std::lock_guard lock(impl_->iterating);
  impl_->planner.set_epoch(epoch);
}

Result<std::uint64_t> Loader::start_epoch() {
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner.start_epoch();
}

Result<Loader::Step> Loader::next(std::uint64_t ticket, std::chrono::milliseconds patience) {
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner.next(ticket, Clock::now() + patience);
}

Result<std::optional<Batch>> Loader::next(std::uint64_t ticket) {
  // In slices, so that close() and stats() of other threads get their turn.
  constexpr std::chrono::milliseconds kSlice{100};
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

LoaderStats Loader::stats() const { return impl_->planner.stats(); }
std::vector<Error> Loader::errors() const { return impl_->planner.errors(); }
std::string Loader::plan() const { return impl_->planner.describe(); }

void Loader::close() noexcept {
  const std::lock_guard lock(impl_->iterating);
  impl_->planner.close();
}

}  // namespace penstock
