#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "bind_options.hpp"
#include "penstock/loader.hpp"
#include "penstock/mean_std.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

// The order of an epoch.
using OrderArray = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// How long Ctrl-C may take while the consumer waits.
constexpr std::chrono::milliseconds kBatchPatience{50};

nb::object next(Loader& loader, std::uint64_t ticket) {
  for (;;) {
    Result<Loader::Step> step = [&] {
      const GilRelease release;
      return loader.next(ticket, kBatchPatience);
    }();
    if (!step && PyErr_CheckSignals() != 0) {  // Ctrl-C while a function of the user ran in this thread
      throw nb::python_error();
    }
    Loader::Step taken = value_or_raise(std::move(step));
    switch (taken.state) {
      case Loader::Step::State::ready:
        return nb::cast(std::move(taken.batch));
      case Loader::Step::State::finished:
        return nb::none();
      case Loader::Step::State::waiting:
        break;
    }
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  }
}

/// The next batch if it is complete and intact; a bad one is left to next(), which says so.
nb::object next_if_ready(Loader& loader, std::uint64_t ticket) {
  const bool ready = [&] {
    const GilRelease release;
    return loader.is_ready(ticket);
  }();
  return ready ? next(loader, ticket) : nb::none();
}

void await_cache(Loader& loader) {
  for (;;) {
    const bool worth_it = [&] {
      const GilRelease release;
      return loader.await_cache(kBatchPatience);
    }();
    if (!worth_it) {
      return;
    }
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  }
}

/// Workers may be at an unfinished epoch for as long as a source holds them up.
void await_workers(Loader& loader) {
  for (;;) {
    Result<bool> free = [&] {
      const GilRelease release;
      return loader.await_workers(kBatchPatience);
    }();
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
    if (value_or_raise(std::move(free))) {
      return;
    }
  }
}

nb::tuple mean_std(Loader& loader, const std::string& field, const nb::object& show) {
  Watched<CountProgress> watched;
  const MeanStd result =
      watched.run([&] { return compute_mean_std(loader, field, count_reporter(watched)); }, show);
  return nb::make_tuple(result.mean, result.std);
}

nb::object auto_tune(const std::optional<LoaderStats::AutoTune>& tune) {
  if (!tune) {
    return nb::none();
  }
  nb::list steps;
  for (const LoaderStats::AutoTune::Step& step : tune->steps) {
    nb::dict entry;
    entry["workers"] = step.workers;
    entry["prefetch"] = step.prefetch;
    entry["batches_per_second"] = step.batches_per_second;
    entry["consumer_wait_share"] = step.consumer_wait_share;
    entry["decision"] = step.decision;
    steps.append(entry);
  }
  nb::dict values;
  values["settled"] = tune->settled;
  values["workers"] = tune->workers;
  values["prefetch"] = tune->prefetch;
  values["max_workers"] = tune->max_workers;
  values["steps"] = steps;
  return values;
}

nb::dict stats(const Loader& loader) {
  const LoaderStats stats = loader.stats();
  nb::dict stages;
  for (const LoaderStats::Stage& stage : stats.stages) {
    nb::dict entry;
    entry["seconds"] = stage.seconds;
    entry["share"] = stage.share;
    stages[stage.name.c_str()] = entry;
  }
  nb::dict values;
  values["batches"] = stats.batches;
  values["samples"] = stats.samples;
  values["bytes"] = stats.bytes;
  values["errors"] = stats.errors;
  values["empty_batches"] = stats.empty_batches;
  values["short_batches"] = stats.short_batches;
  values["repeated"] = stats.repeated;
  values["padding"] = stats.padding;
  values["seconds"] = stats.seconds;
  values["samples_per_second"] = stats.samples_per_second;
  values["first_batch_seconds"] = stats.first_batch_seconds;
  values["stages"] = stages;
  values["worker_busy_seconds"] = stats.worker_busy_seconds;
  values["worker_wait_seconds"] = stats.worker_wait_seconds;
  values["consumer_wait_seconds"] = stats.consumer_wait_seconds;
  values["cpu_seconds"] = stats.cpu_seconds;
  values["cpu_seconds_per_batch"] = stats.cpu_seconds_per_batch;
  values["queue_fill"] = stats.queue_fill;
  values["batches_ready"] = stats.batches_ready;
  values["buffer_bytes"] = stats.buffer_bytes;
  values["undelivered_bytes"] = stats.undelivered_bytes;
  values["workers"] = stats.workers;
  values["auto_tune"] = auto_tune(stats.auto_tune);
  values["seed"] = stats.seed;
  values["rank"] = stats.rank;
  values["world_size"] = stats.world;
  nb::dict decoded;
  for (const LoaderStats::Decoded& by : stats.decoded) {
    decoded[by.codec.c_str()] = by.count;
  }
  values["decoded"] = decoded;
  values["memory_format"] =
      stats.memory_format == MemoryFormat::channels_last ? "channels_last" : "channels_first";
  values["simd_target"] = stats.simd_target;
  values["cache"] = to_str(stats.cache);
  values["verdict"] = stats.verdict;
  return values;
}

}  // namespace

void bind_loader(nb::module_& m) {
  using TransformLists = std::vector<std::pair<nb::str, std::vector<TransformHandle>>>;
  using ViewLists = std::vector<std::tuple<nb::str, int, std::vector<TransformHandle>>>;
  nb::class_<Loader>(m, "Loader", "Batches of a data set, epoch after epoch.")
      .def_static(
          "open",
          [](const Dataset& dataset, const TransformLists& lists, const nb::dict& options,
             const ViewLists& named) {
            const auto list_of = [](const std::vector<TransformHandle>& handles) {
              std::vector<TransformPtr> operations;
              for (const TransformHandle& handle : handles) {
                operations.push_back(handle.transform);
              }
              return operations;
            };
            FieldTransforms transforms;
            for (const auto& [name, handles] : lists) {
              transforms.emplace_back(from_str(name), list_of(handles));
            }
            std::vector<View> views;
            for (const auto& [name, count, handles] : named) {
              views.push_back({from_str(name), count, list_of(handles)});
            }
            return value_or_raise(
                Loader::open(dataset, std::move(transforms), options_from(options), std::move(views)));
          },
          nb::arg("dataset"), nb::arg("transforms"), nb::arg("options"), nb::arg("views"))
      .def_prop_ro("steps", &Loader::steps)
      .def_prop_ro(
          "columns",
          [](const Loader& self) {
            nb::list columns;
            for (const FieldInfo& column : self.columns()) {
              columns.append(nb::make_tuple(to_str(column.name), name_of(column.kind)));
            }
            return columns;
          },
          nb::sig("def columns(self) -> list[tuple[str, str]]"))
      .def("set_epoch", &Loader::set_epoch, nb::arg("epoch"), nb::call_guard<GilRelease>())
      .def_prop_ro("next_epoch", &Loader::next_epoch, nb::call_guard<GilRelease>())
      .def_prop_ro("next_position", &Loader::next_position, nb::call_guard<GilRelease>())
      .def(
          "set_shard",
          [](Loader& self, int rank, int world) {
            Status done = [&] {
              const GilRelease release;
              return self.set_shard(rank, world);
            }();
            raise_if_failed(std::move(done));
          },
          nb::arg("rank"), nb::arg("world"))
      .def(
          "start_epoch",
          [](Loader& self, const std::optional<OrderArray>& order) {
            std::optional<std::vector<std::uint64_t>> samples;
            if (order) {
              samples.emplace(order->data(), order->data() + order->size());
            }
            await_workers(self);
            Result<std::uint64_t> ticket = [&] {
              const GilRelease release;
              return self.start_epoch(std::move(samples));
            }();
            return value_or_raise(std::move(ticket));
          },
          nb::arg("order").none() = nb::none(),
          nb::sig("def start_epoch(self, order: Any | None = None) -> int"))
      .def("state",
           [](const Loader& self) {
             Result<std::string> state = [&] {
               const GilRelease release;
               return self.state();
             }();
             return value_or_raise(std::move(state));
           })
      .def(
          "load_state",
          [](Loader& self, const std::string& state, bool strict) {
            Status done = [&] {
              const GilRelease release;
              return self.load_state(state, strict);
            }();
            raise_if_failed(std::move(done));
          },
          nb::arg("state"), nb::arg("strict"))
      .def(
          "skip",
          [](Loader& self, std::uint64_t steps) {
            Status done = [&] {
              const GilRelease release;
              return self.skip(steps);
            }();
            raise_if_failed(std::move(done));
          },
          nb::arg("steps"))
      .def("next", &next, nb::arg("ticket"), nb::sig("def next(self, ticket: int) -> Batch | None"),
           "The next batch, or None at the end of the epoch.")
      .def("next_if_ready", &next_if_ready, nb::arg("ticket"),
           nb::sig("def next_if_ready(self, ticket: int) -> Batch | None"),
           "The next batch if it is ready and intact, else None.")
      .def("stats", &stats, nb::sig("def stats(self) -> dict[str, Any]"))
      .def(
          "errors",
          [](const Loader& self) {
            nb::list errors;
            for (const Error& error : self.errors()) {
              errors.append(to_exception(error));
            }
            return errors;
          },
          nb::sig("def errors(self) -> list[Exception]"))
      .def("await_cache", &await_cache,
           "Waits as long as the next epoch gains by it that the cache becomes complete.")
      .def(
          "problems",
          [](const Loader& self) {
            nb::list problems;
            for (const Loader::Problem& problem : self.problems()) {
              problems.append(nb::make_tuple(problem.about, to_str(problem.text)));
            }
            return problems;
          },
          nb::sig("def problems(self) -> list[tuple[str, str]]"))
      .def("mean_std", &mean_std, nb::arg("field"), nb::arg("show").none(),
           nb::sig("def mean_std(self, field: str, show: object | None) -> tuple[list[float], list[float]]"),
           "Mean and standard deviation of each channel of the next epoch's images.")
      .def("plan", [](const Loader& self) { return to_str(self.plan()); })
      .def("close", &Loader::close, nb::call_guard<GilRelease>());
}

}  // namespace penstock::python
