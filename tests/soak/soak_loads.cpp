#include "soak_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

struct NamedLoad {
  const char* name;
  void (SoakLoad::*run)();
};

constexpr std::array kLoads = {
    NamedLoad{"whole_epochs", &SoakLoad::whole_epochs},
    NamedLoad{"several_ranks", &SoakLoad::several_ranks},
    NamedLoad{"stop_and_resume", &SoakLoad::stop_and_resume},
    NamedLoad{"abandoned", &SoakLoad::abandoned},
    NamedLoad{"errors_raised", &SoakLoad::errors_raised},
    NamedLoad{"closed_by_another", &SoakLoad::closed_by_another},
    NamedLoad{"impatient", &SoakLoad::impatient},
    NamedLoad{"source_fails_for_a_while", &SoakLoad::source_fails_for_a_while},
};

}  // namespace

SoakLoad::SoakLoad(SoakData& data, std::uint64_t seed)
    : data_(data),
      random_(seed),
      table_(below(data.tables().size())),
      on_error_(below(2) == 0 ? OnError::skip : OnError::replace) {}

std::size_t SoakLoad::count() { return kLoads.size(); }
const char* SoakLoad::name(std::size_t number) { return kLoads[number].name; }
void SoakLoad::run(std::size_t number) { (this->*kLoads[number].run)(); }

LoaderOptions SoakLoad::settings() {
  LoaderOptions options = options_of_every_load();
  options.batch_size = static_cast<std::int64_t>(1 + below(14));
  options.num_workers = static_cast<int>(below(4));
  options.prefetch = static_cast<int>(below(5));
  options.persistent_workers = below(4) != 0;
  options.on_error = on_error_;
  return options;
}

Loader SoakLoad::open(const LoaderOptions& options) {
  return open_loader(data_.tables()[table_], options, augmentation());
}

void SoakLoad::check(const Rows& got, const Rows& expected, const std::string& what) const {
  if (got != expected) {
    const auto place = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end()).first;
    throw std::runtime_error(fmt::format("{}, table {}: {} rows, {} expected; they differ from row {} on",
                                         what, table_, got.size(), expected.size(), place - got.begin()));
  }
}

void SoakLoad::whole_epochs() {
  LoaderOptions options = settings();
  options.loading_mode = below(2) == 0 ? LoadingMode::ordered : LoadingMode::as_ready;
  Loader loader = open(options);
  std::atomic<bool> done{false};
  std::thread observer([&loader, &done] {
    while (!done) {
      (void)loader.stats();
      (void)loader.errors();
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  std::vector<Rows> epochs(1 + below(SoakData::kEpochs));
  std::string problem;
  try {
    for (Rows& rows : epochs) {
      add_rest(loader, loader.start_epoch().value(), rows);
    }
  } catch (const std::exception& error) {
    problem = error.what();
  }
  done = true;
  observer.join();
  if (!problem.empty()) {
    throw std::runtime_error(problem);
  }
  for (std::uint64_t epoch = 0; epoch < epochs.size(); ++epoch) {
    Rows expected = data_.reference(table_, on_error_, epoch);
    if (options.loading_mode == LoadingMode::as_ready) {
      std::sort(expected.begin(), expected.end());
      std::sort(epochs[epoch].begin(), epochs[epoch].end());
    }
    check(epochs[epoch], expected, "whole epochs");
  }
}

void SoakLoad::several_ranks() {
  const int world = static_cast<int>(2 + below(3));
  LoaderOptions options = settings();
  options.shard_world_size = world;
  std::vector<std::future<std::vector<Rows>>> ranks;
  for (int rank = 0; rank < world; ++rank) {
    options.shard_rank = rank;
    ranks.push_back(std::async(std::launch::async, [loader = open(options)]() mutable {
      std::vector<Rows> steps;
      const std::uint64_t ticket = loader.start_epoch().value();
      while (std::optional<Batch> batch = loader.next(ticket).value()) {
        add_rows(*batch, steps.emplace_back());
      }
      return steps;
    }));
  }
  std::vector<std::vector<Rows>> steps;
  for (std::future<std::vector<Rows>>& rank : ranks) {
    steps.push_back(rank.get());
  }
  Rows joined;
  for (std::size_t step = 0; step < steps[0].size(); ++step) {
    for (const std::vector<Rows>& rank : steps) {
      joined.insert(joined.end(), rank.at(step).begin(), rank.at(step).end());
    }
  }
  const Rows& expected = data_.reference(table_, on_error_, 0);
  const std::uint64_t tail = SoakData::kSamples % static_cast<std::uint64_t>(options.batch_size * world);
  if (tail < static_cast<std::uint64_t>(world) && joined.size() > expected.size()) {
    joined.resize(expected.size());  // a tail smaller than the number of ranks is filled up
  }
  check(joined, expected, fmt::format("{} ranks", world));
}

void SoakLoad::stop_and_resume() {
  // A state of batches that came early fits the same batches only.
  const bool as_ready = below(2) == 0;
  const std::int64_t batch_size = settings().batch_size;
  Rows rows;
  std::optional<std::string> state;
  for (bool over = false; !over;) {
    LoaderOptions options = settings();
    if (as_ready) {
      options.loading_mode = LoadingMode::as_ready;
      options.batch_size = batch_size;
    }
    Loader loader = open(options);
    if (state && !loader.load_state(*state)) {
      throw std::runtime_error("a state was refused");
    }
    const std::uint64_t ticket = loader.start_epoch().value();
    for (std::uint64_t left = 1 + below(6); left > 0 && !over; --left) {
      const std::optional<Batch> batch = loader.next(ticket).value();
      over = !batch;
      if (batch) {
        add_rows(*batch, rows);
      }
    }
    state = loader.state().value();
  }
  Rows expected = data_.reference(table_, on_error_, 0);
  if (as_ready) {
    std::sort(rows.begin(), rows.end());
    std::sort(expected.begin(), expected.end());
  }
  check(rows, expected, "stop and resume");
}

void SoakLoad::abandoned() {
  std::vector<Batch> kept;
  {
    Loader loader = open(settings());
    for (std::uint64_t epoch = 0; epoch < SoakData::kEpochs; ++epoch) {
      const std::uint64_t ticket = loader.start_epoch().value();
      if (std::optional<Batch> batch = loader.next(ticket).value()) {
        kept.push_back(std::move(*batch));
      }
      for (std::uint64_t more = below(3); more > 0; --more) {
        (void)loader.next(ticket);
      }
    }
  }
  std::async(std::launch::async, [this, batches = std::move(kept)] {
    for (const Batch& batch : batches) {
      Rows rows;
      add_rows(batch, rows);
      const Rows& expected = data_.reference(table_, on_error_, batch.epoch());
      check(rows, {expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(rows.size())},
            "abandoned");
    }
  }).get();
}

void SoakLoad::errors_raised() {
  LoaderOptions options = settings();
  options.on_error = OnError::raise;
  Loader loader = open(options);
  const std::uint64_t ticket = loader.start_epoch().value();
  const Rows& good = data_.reference(table_, OnError::skip, 0);
  std::set<std::int64_t> good_numbers;
  for (const std::string& row : good) {
    good_numbers.insert(number_of(row));
  }
  Rows rows;
  std::uint64_t raised = 0;
  for (;;) {
    const Result<std::optional<Batch>> batch = loader.next(ticket);
    if (!batch) {
      ++raised;
      const auto index = batch.error().place.index;
      if (!index || good_numbers.contains(static_cast<std::int64_t>(*index))) {
        throw std::runtime_error("an error about no bad sample: " + batch.error().to_string());
      }
      continue;
    }
    if (!*batch) {
      break;
    }
    add_rows(**batch, rows);
  }
  std::set<std::int64_t> delivered;
  for (const std::string& row : rows) {
    delivered.insert(number_of(row));
  }
  Rows expected;
  std::copy_if(good.begin(), good.end(), std::back_inserter(expected),
               [&delivered](const std::string& row) { return delivered.contains(number_of(row)); });
  check(rows, expected, "errors raised");
  if (SoakData::kSamples - rows.size() > raised * static_cast<std::uint64_t>(options.batch_size)) {
    throw std::runtime_error(
        fmt::format("{} rows after {} errors in batches of {}", rows.size(), raised, options.batch_size));
  }
}

void SoakLoad::closed_by_another() {
  Loader loader = open(settings());
  const std::chrono::microseconds delay(below(8000));
  std::thread closer([&loader, delay] {
    std::this_thread::sleep_for(delay);
    loader.close();
  });
  std::string problem;
  for (bool closed = false; !closed && problem.empty();) {
    const Result<std::uint64_t> ticket = loader.start_epoch();
    bool over = !ticket;
    closed = over;
    while (!over) {
      const Result<std::optional<Batch>> batch = loader.next(*ticket);
      closed = !batch;
      over = closed || !*batch;
      if (!batch && batch.error().kind != ErrorKind::cancelled) {
        problem = batch.error().to_string();
      }
    }
  }
  closer.join();
  if (!problem.empty()) {
    throw std::runtime_error(problem);
  }
}

void SoakLoad::impatient() {
  LoaderOptions options = settings();
  options.num_workers = static_cast<int>(1 + below(3));
  if (below(2) == 0) {
    options.timeout_seconds = 0.001;
  }
  Loader loader = open(options);
  const std::uint64_t ticket = loader.start_epoch().value();
  Rows rows;
  for (bool over = false; !over;) {
    Result<Loader::Step> step = loader.next(ticket, std::chrono::milliseconds(below(3)));
    if (!step && step.error().kind != ErrorKind::timeout) {
      throw std::runtime_error(step.error().to_string());
    }
    if (step && step->state == Loader::Step::State::ready) {
      add_rows(step->batch, rows);
    }
    over = step && step->state == Loader::Step::State::finished;
  }
  check(rows, data_.reference(table_, on_error_, 0), "impatient");
}

void SoakLoad::source_fails_for_a_while() {
  // From some read on, for some reads: which rows they hit depends on the threads. The others are as ever.
  const auto table = tars_with({.after = below(60), .times = 1 + below(20)});
  LoaderOptions options = settings();
  options.on_error = OnError::skip;
  Loader loader = open_loader(table, options, augmentation());
  Rows rows;
  add_rest(loader, loader.start_epoch().value(), rows);
  std::set<std::int64_t> delivered;
  for (const std::string& row : rows) {
    delivered.insert(number_of(row));
  }
  const Rows& whole = data_.reference(1, OnError::skip, 0);  // the same tars without the fault
  Rows expected;
  std::copy_if(whole.begin(), whole.end(), std::back_inserter(expected),
               [&delivered](const std::string& row) { return delivered.contains(number_of(row)); });
  check(rows, expected, "a source that fails for a while");
  if (loader.stats().errors < SoakData::kSamples - rows.size()) {
    throw std::runtime_error("rows are missing that no error tells of");
  }
}

}  // namespace penstock::inline v0
