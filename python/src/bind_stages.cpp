#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "bind.hpp"
#include "penstock/foreign_stage.hpp"
#include "pipeline/foreign/helper_pool.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

/// An exception of penstock._stages as an error of ours.
Error error_of(nb::python_error& raised) {
  const std::string kind = from_str(nb::module_::import_("penstock.errors").attr("_kind_of")(raised.value()));
  const std::string text = from_str(nb::str(raised.value()));
  const std::size_t line = std::min(text.find("\n\n"), text.size());  // a traceback follows
  Error error{.kind = ErrorKind::invalid,
              .message = text.substr(0, line),
              .advice = "",
              .place = {.stage = "plan"},
              .detail = line < text.size() ? text.substr(line + 2) : ""};
  for (const ErrorKind known : {ErrorKind::io, ErrorKind::timeout, ErrorKind::cancelled}) {
    error.kind = kind == name_of(known) ? known : error.kind;
  }
  return error;
}

/// Calls `body` with the GIL; exceptions become errors. An interrupt is put back, for the consumer to see.
template <class Body>
auto with_gil(Body&& body) -> decltype(body()) {
  const GilAcquire gil;
  try {
    return body();
  } catch (nb::python_error& raised) {
    if (raised.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();
      return Error{.kind = ErrorKind::cancelled, .message = "interrupted", .advice = "", .place = {}};
    }
    return error_of(raised);
  }
}

nb::tuple shape_tuple(const ArraySpec& array) {
  nb::list extents;
  for (const std::size_t extent : array.shape) {
    extents.append(extent);
  }
  return nb::tuple(extents);
}

Result<ArraySpec> array_spec(nb::handle type, nb::handle shape) {
  const std::optional<Scalar> scalar = scalar_named(from_str(type));
  if (!scalar) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "arrays of " + from_str(type) + " are not supported",
                 .advice = "",
                 .place = {}};
  }
  ArraySpec spec{.type = *scalar, .shape = {}};
  for (const nb::handle extent : nb::cast<nb::tuple>(shape)) {
    spec.shape.push_back(nb::cast<std::size_t>(extent));
  }
  return spec;
}

/// What the function is tried on. Not square, so that results tell height from width.
ArraySpec example_of(ArraySpec spec) {
  constexpr std::array<std::size_t, 2> kExample = {160, 208};
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    spec.shape[i] = spec.shape[i] == kAnyExtent ? kExample[i % kExample.size()] : spec.shape[i];
  }
  return spec;
}

/// What it may return for others than an example of `in`, by what it returned for that.
ArraySpec varying(ArraySpec spec, const ArraySpec& in) {
  const bool channels_stay = spec.shape.size() == 3 &&
                             (spec.shape[2] == 3 || (in.shape.size() == 3 && spec.shape[2] == in.shape[2]));
  std::fill(spec.shape.begin(), spec.shape.end() - (channels_stay ? 1 : 0), kAnyExtent);
  return spec;
}

/// Has penstock._stages.StageHelpers start processes where workers find too few.
class PythonStarter final : public HelperStarter {
 public:
  explicit PythonStarter(nb::object helpers) : helpers_(std::move(helpers)) {}
  ~PythonStarter() override {
    const GilAcquire gil;
    helpers_.reset();
  }

  Result<Started> start() override {
    return with_gil([&]() -> Result<Started> {
      const auto [id, socket, process] = nb::cast<std::tuple<int, int, int>>(helpers_.attr("start_one")());
      return Started{.id = id, .socket = socket, .process = process};
    });
  }
  std::string ended(int id) override {
    Result<std::string> end =
        with_gil([&]() -> Result<std::string> { return from_str(helpers_.attr("ended")(id)); });
    return end ? std::move(end).value() : end.error().message;
  }

 private:
  nb::object helpers_;
};

/// A function of the user: in this process with the GIL, or in a helper without.
class PythonStage final : public ForeignStage {
 public:
  /// `stage`: a penstock._stages.Stage, or a weak proxy of one.
  PythonStage(nb::object stage, std::string name, std::string identity, std::uint32_t number,
              std::shared_ptr<HelperPool> pool)
      : stage_(std::move(stage)),
        name_(std::move(name)),
        identity_(std::move(identity)),
        number_(number),
        pool_(std::move(pool)) {}
  ~PythonStage() override {
    const GilAcquire gil;
    stage_.reset();
  }

  std::string name() const override { return name_; }
  std::string identity() const override { return identity_; }
  std::string where() const override {
    Result<std::string> text =
        with_gil([&]() -> Result<std::string> { return from_str(stage_.attr("where")()); });
    return text ? std::move(text).value() : text.error().message;
  }

  Result<ArraySpec> describe(const ArraySpec& in) override {
    return with_gil([&]() -> Result<ArraySpec> {
      const nb::tuple out = nb::cast<nb::tuple>(
          stage_.attr("describe")(name_of(in.type), shape_tuple(example_of(in)), in.fixed()));
      PENSTOCK_ASSIGN(const ArraySpec returned, array_spec(out[0], out[1]));
      return nb::cast<bool>(out[2]) ? returned : varying(returned, in);
    });
  }

  Status run(const ArraySpec& in, void* data, const StageKey& key, const Room& room) override {
    const auto begin = std::chrono::steady_clock::now();
    const void* like_given = nullptr;  // the result, if it is an array like the one that was given
    const Room noted = [&](const ArraySpec& result) -> Result<void*> {
      PENSTOCK_ASSIGN(void* const memory, room(result));
      like_given = result.type == in.type && result.shape == in.shape ? memory : nullptr;
      return memory;
    };
    Status done = in_helper_.load(std::memory_order_relaxed)
                      ? pool_->call(number_, name_, in, data, key, noted)
                      : with_gil([&] { return run_here(in, data, key, noted); });
    if (done) {
      look_for_changes(like_given, data, in.bytes());
    }
    const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - begin;
    calls_.fetch_add(1, std::memory_order_relaxed);
    nanoseconds_.fetch_add(static_cast<std::uint64_t>(spent.count()), std::memory_order_relaxed);
    return done;
  }

  Status start(int workers) override {
    pool_->open();
    return with_gil([&]() -> Status {
      in_helper_ = nb::cast<bool>(stage_.attr("start")(workers));
      return {};
    });
  }
  void stop() noexcept override { pool_->stop(); }

  std::uint64_t calls() const noexcept { return calls_; }
  /// Calls that returned what they were given, at most kLookedAt; -1 once one returned something else.
  int unchanged() const noexcept { return has_changed_ ? -1 : unchanged_.load(); }
  double seconds() const noexcept { return 1e-9 * static_cast<double>(nanoseconds_); }

 private:
  // A function that has changed nothing for that many samples is not looked at any more.
  static constexpr int kLookedAt = 64;

  /// Both run_here() and helpers work on copies, so `data` is still what the function was given.
  void look_for_changes(const void* result, const void* data, std::size_t bytes) noexcept {
    if (has_changed_.load(std::memory_order_relaxed) ||
        unchanged_.load(std::memory_order_relaxed) >= kLookedAt) {
      return;
    }
    if (result != nullptr && std::memcmp(result, data, bytes) == 0) {
      unchanged_.fetch_add(1, std::memory_order_relaxed);
    } else {
      has_changed_ = true;
    }
  }

  Status run_here(const ArraySpec& in, const void* data, const StageKey& key, const Room& room) {
    // A copy: whoever keeps the array must not keep a view of memory that is used again.
    const nb::object memory = nb::steal(
        PyByteArray_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(in.bytes())));
    if (!memory.is_valid()) {
      throw nb::python_error();
    }
    const nb::tuple outcome = nb::cast<nb::tuple>(
        stage_.attr("call")(memory, name_of(in.type), shape_tuple(in), key.stream, key.sample, key.op));
    const auto code = nb::cast<std::uint32_t>(outcome[0]);
    if (code != HelperReply::returned) {
      Error error{.kind = code == HelperReply::raised ? ErrorKind::corrupt : ErrorKind::invalid,
                  .message = from_str(outcome[1]),
                  .advice = "",
                  .place = {}};
      error.detail = from_str(outcome[2]);
      const auto cause = nb::cast<nb::bytes>(outcome[3]);
      error.cause.assign(cause.c_str(), cause.size());
      return error;
    }
    PENSTOCK_ASSIGN(const ArraySpec result, array_spec(outcome[1], outcome[2]));
    PENSTOCK_ASSIGN(void* const out, room(result));
    Py_buffer array;
    if (PyObject_GetBuffer(nb::handle(outcome[3]).ptr(), &array, PyBUF_SIMPLE) != 0) {
      throw nb::python_error();
    }
    std::memcpy(out, array.buf, std::min(static_cast<std::size_t>(array.len), result.bytes()));
    PyBuffer_Release(&array);
    return {};
  }

  nb::object stage_;
  const std::string name_;
  const std::string identity_;
  const std::uint32_t number_;
  const std::shared_ptr<HelperPool> pool_;
  std::atomic<bool> in_helper_{false};
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<int> unchanged_{0};
  std::atomic<bool> has_changed_{false};
  std::atomic<std::uint64_t> nanoseconds_{0};
};

}  // namespace

void bind_stages(nb::module_& m) {
  nb::class_<HelperPool>(m, "HelperPool", "Helper processes and what they share with this one.")
      .def(
          "__init__",
          [](HelperPool* self, nb::object helpers, std::optional<double> timeout_seconds) {
            new (self) HelperPool(std::make_unique<PythonStarter>(std::move(helpers)), timeout_seconds);
          },
          nb::arg("helpers"), nb::arg("timeout_seconds").none())
      .def(
          "add",
          [](HelperPool& self, int id, int socket, int process) {
            raise_if_failed(self.add({.id = id, .socket = socket, .process = process}));
          },
          nb::arg("id"), nb::arg("socket"), nb::arg("process"), "Takes over the descriptors of a helper.")
      .def("stop", &HelperPool::stop)
      .def_prop_ro("started", &HelperPool::started)
      .def_prop_ro("lost", &HelperPool::lost)
      .def_prop_ro("alive", &HelperPool::alive);

  nb::class_<PythonStage>(m, "PythonStage", "A function of the user as a stage of the pipeline.")
      .def(nb::init<nb::object, std::string, std::string, std::uint32_t, std::shared_ptr<HelperPool>>(),
           nb::arg("stage"), nb::arg("name"), nb::arg("identity"), nb::arg("number"), nb::arg("pool"))
      .def("transform",
           [](const std::shared_ptr<PythonStage>& self) { return TransformHandle{foreign_transform(self)}; })
      .def_prop_ro("unchanged", &PythonStage::unchanged)
      .def_prop_ro("calls", &PythonStage::calls)
      .def_prop_ro("seconds", &PythonStage::seconds);

  m.def("measure_round_trip", &measure_round_trip, nb::call_guard<GilRelease>(),
        "Seconds that the way to a helper process and back takes now.");
  m.def("end_with", &end_with, nb::arg("socket"), nb::arg("parent"),
        "Ends this process with its parent, or when the other end of the socket is closed.");
  m.def(
      "scalar_names",
      [] {
        nb::list names;
        for (std::size_t type = 0; type < kScalarTypes; ++type) {
          names.append(name_of(static_cast<Scalar>(type)));
        }
        return names;
      },
      nb::sig("def scalar_names() -> list[str]"), "Types of arrays, in the order of their numbers.");
}

}  // namespace penstock::python
