#include "pipeline/run/bad_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kErrorsKept = 1000;
constexpr std::uint64_t kSamplesForShare = 100;

void leave_out_bad_rows(BatchStorage& storage) {
  const std::size_t width = storage.columns.size();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < storage.rows; ++row) {
    if (storage.row_errors[row]) {
      continue;
    }
    if (kept != row) {
      for (std::size_t c = 0; c < width; ++c) {
        Column& column = storage.columns[c];
        if (column.ragged()) {
          column.rows[kept] = column.rows[row];
        } else {
          auto* const data = static_cast<std::uint8_t*>(column.data);
          std::memcpy(data + kept * column.row_bytes, data + row * column.row_bytes, column.row_bytes);
        }
        if (column.lengths != nullptr) {
          column.lengths[kept] = column.lengths[row];
        }
        if (!storage.has_raw) {
          storage.row_memory[kept * width + c] = std::move(storage.row_memory[row * width + c]);
        }
      }
      storage.index[kept] = storage.index[row];
      storage.drawn[kept].swap(storage.drawn[row]);
      if (storage.has_raw) {
        for (std::int64_t* values :
             {storage.raw.offsets, storage.raw.sizes, storage.raw.heights, storage.raw.widths}) {
          values[kept] = values[row];
        }
      }
    }
    ++kept;
  }
  storage.rows = kept;
}

}  // namespace

BadRows::BadRows(const LoaderOptions& options, ConsumerCounters& counters)
    : options_(options), counters_(counters) {
  if (options_.error_report) {
    report_.emplace(*options_.error_report);
  }
}

Status BadRows::take(BatchStorage& storage) {
  bool lost_rows = false;
  for (std::size_t row = 0; row < storage.rows; ++row) {
    ++seen_;
    if (!storage.row_errors[row]) {
      run_ = 0;
      continue;
    }
    Error error = *storage.row_errors[row];
    const bool lost = storage.row_replaced[row] == 0;
    write_down(storage, row);
    if (lost && (options_.on_error != OnError::skip || error.systemic)) {
      for (std::size_t later = row + 1; later < storage.rows; ++later) {
        write_down(storage, later);
      }
      counters_.errors.add(static_cast<std::uint64_t>(
          std::count_if(storage.row_errors.begin() + static_cast<std::ptrdiff_t>(row),
                        storage.row_errors.begin() + static_cast<std::ptrdiff_t>(storage.rows),
                        [](const auto& bad) { return bad != nullptr; })));
      if (error.advice.empty()) {
        error.advice = "pass on_error='skip' or on_error='replace' to continue without it";
      }
      return error;
    }
    lost_rows = lost_rows || lost;
    PENSTOCK_TRY(note(std::move(error)));
  }
  if (lost_rows) {
    leave_out_bad_rows(storage);
  }
  return {};
}

void BadRows::write_down(const BatchStorage& storage, std::size_t row) {
  if (!report_ || !storage.row_errors[row]) {
    return;
  }
  std::string problem = report_->add(*storage.row_errors[row], storage.epoch, storage.row_replaced[row] != 0);
  if (!problem.empty()) {
    const std::lock_guard lock(mutex_);
    report_problem_ = std::move(problem);
  }
}

std::string BadRows::report_problem() const {
  const std::lock_guard lock(mutex_);
  return report_problem_;
}

Status BadRows::note(Error error) {
  counters_.errors.add(1);
  ++noted_;
  ++run_;
  PENSTOCK_TRY(check_budget(error));
  const std::lock_guard lock(mutex_);
  if (errors_.size() < kErrorsKept) {
    errors_.push_back(std::move(error));
  }
  return {};
}

Status BadRows::check_budget(const Error& error) const {
  const MaxErrors& limit = options_.max_errors;
  const bool too_large_share = limit.share && seen_ >= kSamplesForShare &&
                               static_cast<double>(noted_) > *limit.share * static_cast<double>(seen_);
  std::string message;
  if ((limit.count && noted_ > *limit.count) || too_large_share) {
    message = fmt::format("{} of {} samples are bad, more than max_errors allows", noted_, seen_);
  } else if (options_.max_error_run && run_ > *options_.max_error_run) {
    message = fmt::format("{} samples in a row are bad, more than max_error_run allows", run_);
  } else {
    return {};
  }
  Error last = error;
  last.message = fmt::format("{}; the last: {}", message, error.message);
  last.advice = "look at errors() and fix the source, or allow more";
  return last;
}

std::vector<Error> BadRows::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

void BadRows::resume_from(const BadRows& before) {
  seen_ = before.seen_;
  noted_ = before.noted_;
  run_ = before.run_;
  errors_ = before.errors();
  report_problem_ = before.report_problem();
}

}  // namespace penstock::inline v0
