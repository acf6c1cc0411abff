#include "penstock/loader.hpp"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <mutex>
#include <system_error>

#include "pipeline/planner.hpp"

namespace penstock {

/// The planner, and what lets several threads meet it.
class Loader::Impl {
 public:
  Impl(Dataset dataset, Plan plan, LoaderOptions options)
      : planner(std::move(dataset), std::move(plan), std::move(options)) {}

  /// Whether this process is a fork of the one that opened the loader.
  bool inherited() const noexcept { return ::getpid() != owner_; }
  Status check_owner() const {
    if (!inherited()) {
      return {};
    }
    return Error{
        .kind = ErrorKind::invalid,
        .message = "this loader was opened before the process forked, and its workers stayed with the parent",
        .advice = "open a loader in the child",
        .place = {.stage = "deliver"}};
  }

  std::mutex iterating;  ///< held while planning, waiting and delivering
  Planner planner;

 private:
  const pid_t owner_ = ::getpid();
};

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() {
  if (impl_ && impl_->inherited()) {
    // The workers stayed with the parent: there is nobody to join, and locks may be held for ever.
    impl_.release();
  }
}

Result<Loader> Loader::open(Dataset dataset, FieldTransforms transforms, LoaderOptions options) {
  PENSTOCK_TRY(options.validate());
  options.max_pixels = options.max_pixels.value_or(dataset.max_pixels());
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
  if (impl_->inherited()) {
    return;  // the lock may be held for ever; start_epoch() says what is wrong
  }
  const std::lock_guard lock(impl_->iterating);
  impl_->planner.set_epoch(epoch);
}

Result<std::uint64_t> Loader::start_epoch() {
  PENSTOCK_TRY(impl_->check_owner());
  const std::lock_guard lock(impl_->iterating);
  return impl_->planner.start_epoch();
}

Result<Loader::Step> Loader::next(std::uint64_t ticket, std::chrono::milliseconds patience) {
  PENSTOCK_TRY(impl_->check_owner());
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
  if (impl_->inherited()) {
    return;
  }
  const std::lock_guard lock(impl_->iterating);
  impl_->planner.close();
}

}  // namespace penstock
