#include "pipeline/run/row_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace penstock::inline v0 {

namespace {

constexpr int kReplaceAttempts = 16;

}  // namespace

void fail_rows(const RowRun& run, const std::exception_ptr& thrown) noexcept {
  const auto lose = [&run](const char* problem) {
    for (std::uint32_t r = run.first; r < run.first + run.count; ++r) {
      run.storage->row_errors[r] = std::make_unique<Error>(from_exception(problem));
      run.storage->row_replaced[r] = 0;
    }
  };
  try {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      lose(problem.what());
    } catch (...) {  // whatever a format or a function of the user throws
      lose("an exception of an unknown kind");
    }
  } catch (const std::bad_alloc&) {  // also of the words for another exception
    run.storage->set_lack_of_memory(std::current_exception());
  }
}

RowWorker::RowWorker(const Plan& plan, const SampleTable& table, const LoaderOptions& options,
                     BufferPool& pool, WorkerCounters& counters)
    : tables_(row_tables(table)),
      options_(options),
      counters_(counters),
      tools_{.tables = tables_, .options = options, .pool = pool, .counters = counters} {
  std::size_t column = 0;
  for (const FillPlanPtr& fill : plan.fills()) {
    fillers_.push_back(fill->make_filler(tools_, column));
    fields_.insert(fields_.end(), fill->fields().begin(), fill->fields().end());
    column += fill->columns().size();
  }
}

void RowWorker::fill(const RowRun& run) noexcept {
  counters_.enter(WorkStage::assemble, 0);
  try {
    prepare(run);
    for (const auto& filler : fillers_) {
      filler->begin(run, {parts_.data(), run.count});
    }
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
      fill_or_replace(run, row, parts_[row - run.first]);
    }
    for (const auto& filler : fillers_) {
      filler->end(run);
    }
  } catch (...) {  // outside of any one row
    fail_rows(run, std::current_exception());
  }
  counters_.enter(WorkStage::idle, 0);
}

void RowWorker::prepare(const RowRun& run) {
  parts_.resize(std::max<std::size_t>(parts_.size(), run.count));
  for (std::uint32_t i = 0; i < run.count; ++i) {
    run.order->parts_at(run.place_of(run.first + i), parts_[i]);
  }
  if (run.order->is_sequential()) {
    return;  // the system's own reading ahead suits samples in order
  }
  for (std::uint32_t i = 0; i < run.count; ++i) {
    for (const RowPart& part : parts_[i]) {
      tables_[part.table].table->will_read(part.sample, fields_);
    }
  }
}

void RowWorker::fill_or_replace(const RowRun& run, std::size_t row, const RowParts& parts) {
  BatchStorage& storage = *run.storage;
  RowTask task{.storage = storage,
               .row = row,
               .parts = parts,
               .sample = first_sample(parts),
               .base = {.seed = options_.generator_seed.value_or(*options_.seed),
                        .epoch = run.order->epoch(),
                        .sample = run.place_of(row)},
               .by_place = run.order->repeats()};
  storage.index[row] = static_cast<std::int64_t>(task.sample);
  Status filled = fill_row(task);
  if (filled) {
    return;
  }
  // Those that are cancelled are tried again; without resources every sample would fail.
  const auto is_no_fault_of_the_sample = [](const Status& outcome) {
    return outcome.error().kind == ErrorKind::cancelled || outcome.error().systemic;
  };
  const bool replace = options_.on_error == OnError::replace && !is_no_fault_of_the_sample(filled);
  storage.row_errors[row] = std::make_unique<Error>(std::move(filled).error());
  if (!replace) {
    return;
  }
  RandomKey key = task.key();
  key.seed = *options_.seed;
  Draws draws(key, kReplaceOp);
  for (int attempt = 0; attempt < kReplaceAttempts; ++attempt) {
    run.order->parts_at(draws.below(run.order->places()), replacement_);
    task.parts = replacement_;
    task.sample = first_sample(replacement_);
    Status replaced = fill_row(task);
    if (replaced) {
      storage.index[row] = static_cast<std::int64_t>(task.sample);
      storage.row_replaced[row] = 1;
      return;
    }
    if (is_no_fault_of_the_sample(replaced)) {
      storage.row_errors[row] = std::make_unique<Error>(std::move(replaced).error());
      return;
    }
  }
  storage.row_errors[row]->advice =
      fmt::format("{} samples drawn to take its row failed too: check the source", kReplaceAttempts);
}

std::uint64_t RowWorker::first_sample(const RowParts& parts) const noexcept {
  return tables_[parts.front().table].first + parts.front().sample;
}

Status RowWorker::fill_row(const RowTask& task) {
  task.storage.drawn[task.row].clear();
  for (const auto& filler : fillers_) {
    PENSTOCK_TRY(filler->fill(task));
  }
  return {};
}

}  // namespace penstock::inline v0
