#include "pipeline/order/epoch_walk.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace penstock::inline v0 {

void EpochWalk::set_epoch(std::uint64_t epoch) noexcept {
  next_epoch_ = epoch;
  if (resume_ && resume_->epoch != epoch) {
    resume_.reset();
    untouched_ = false;
  }
}

void EpochWalk::resume(Progress from) {
  next_epoch_ = from.epoch;
  iterating_ = false;
  untouched_ = false;
  resume_ = std::move(from);
}

void EpochWalk::skip(std::uint64_t steps) {
  Progress from{.epoch = next_epoch(), .position = start().position, .delivered = {}};
  if (resume_) {
    from.delivered = resume_->delivered;
  }
  // A sampler of the caller's may not know its places before it is asked for them.
  const std::uint64_t places =
      rule_->is_given() ? std::numeric_limits<std::uint64_t>::max() : rule_->places();
  const std::uint64_t left = places - std::min(from.position, places);
  from.position += std::min(left, std::min(steps, left / slices_.whole() + 1) * slices_.whole());
  std::erase_if(from.delivered, [&](std::uint64_t position) { return position < from.position; });
  resume(std::move(from));
}

Progress EpochWalk::progress() const {
  if (resume_) {
    return *resume_;
  }
  return iterating_ ? received_ : Progress{.epoch = next_epoch_, .position = 0, .delivered = {}};
}

void EpochWalk::resume_from(const EpochWalk& before) {
  slices_ = before.slices_;
  next_epoch_ = before.next_epoch_;
  resume_ = before.resume_;
  received_ = before.received_;
  iterating_ = before.iterating_;
}

Cursor EpochWalk::start() const {
  const std::uint64_t position = resume_ ? resume_->position : 0;
  return {next_epoch(), position, slices_.steps(0, position)};
}

Cursor EpochWalk::begin(std::optional<std::vector<std::uint64_t>> order, bool repeats) {
  wanted_ = start();
  epoch_ = wanted_.epoch;
  if (order) {
    order_ = std::make_shared<const EpochOrder>(rule_, epoch_, std::move(*order), repeats);
  }
  received_ = {.epoch = epoch_, .position = wanted_.position, .delivered = {}};
  if (resume_) {
    received_.delivered = std::move(resume_->delivered);
  }
  delivered_ = received_.delivered;
  resume_ = received_;
  untouched_ = true;
  iterating_ = true;
  next_epoch_ = epoch_ + 1;
  return wanted_;
}

void EpochWalk::requested() noexcept {
  if (untouched_) {
    untouched_ = false;
    resume_.reset();
  }
}

Cursor EpochWalk::after(const Cursor& at) const noexcept {
  const std::uint64_t places = places_of(at.epoch);
  const Cursor next{at.epoch, slices_.end_of(at.position, places), at.step + 1};
  return slices_.steps(next.position, places) > 0 ? next : Cursor{at.epoch + 1, 0, 0};
}

bool EpochWalk::was_delivered(const Cursor& at) const noexcept {
  if (at.epoch != epoch_) {
    return false;
  }
  // Steps that came early leave delivered_ when the one they waited for is taken.
  const bool before_wanted = wanted_.epoch != epoch_ || at.position < wanted_.position;
  return before_wanted || std::binary_search(delivered_.begin(), delivered_.end(), at.position);
}

const std::shared_ptr<const EpochOrder>& EpochWalk::order_of(std::uint64_t epoch) {
  if (!order_ || order_->epoch() != epoch) {
    order_ = std::make_shared<const EpochOrder>(rule_, epoch);
  }
  return order_;
}

void EpochWalk::pass(const Cursor& at) {
  delivered_.insert(std::upper_bound(delivered_.begin(), delivered_.end(), at.position), at.position);
  while (was_delivered(wanted_)) {
    delivered_.erase(delivered_.begin());
    wanted_ = after(wanted_);
  }
}

void EpochWalk::received() {
  received_.epoch = epoch_;
  received_.position = wanted_.epoch == epoch_ ? wanted_.position : places_of(epoch_);
  received_.delivered = delivered_;
}

}  // namespace penstock::inline v0
