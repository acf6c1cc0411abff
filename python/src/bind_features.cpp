#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "mel_settings.hpp"
#include "penstock/audio.hpp"

namespace nb = nanobind;

namespace penstock::python {
namespace {

using Wave = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<nb::c_contig, nb::device::cpu>;

/// A program that any number of threads may call at once: each call has a copy of its own, which is kept for
/// the next.
template <class Program>
class Shared {
 public:
  explicit Shared(Program program) : pattern_(std::move(program)) {}

  const Program& pattern() const noexcept { return pattern_; }

  template <class Call>
  auto with_own(Call call) {
    Program program = take();
    auto outcome = call(program);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(program));
    return outcome;
  }

 private:
  Program take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return pattern_;
    }
    Program program = std::move(idle_.back());
    idle_.pop_back();
    return program;
  }

  const Program pattern_;
  std::mutex mutex_;
  std::vector<Program> idle_;
};

using SharedMel = Shared<MelSpectrogram>;
using SharedMfcc = Shared<Mfcc>;

std::size_t samples_of(const Wave& waves) { return waves.shape(waves.ndim() - 1); }
std::size_t count_of(const Wave& waves) {
  std::size_t count = 1;
  for (std::size_t axis = 0; axis + 1 < waves.ndim(); ++axis) {
    count *= waves.shape(axis);
  }
  return count;
}

/// Rows of `frames` values for each wave, in `out`.
void check_room(const Wave& waves, std::size_t rows, std::size_t frames, const Values& out) {
  if (out.size() != count_of(waves) * rows * frames) {
    throw Raise{{.kind = ErrorKind::invalid, .message = "the array for the results has another size"}};
  }
}

void run_mel(SharedMel& mel, const Wave& waves, const Values& out) {
  const std::size_t frames = value_or_raise(mel.pattern().frames(samples_of(waves)));
  check_room(waves, static_cast<std::size_t>(mel.pattern().settings().n_mels), frames, out);
  const bool halves = out.itemsize() == 2;
  const GilRelease release;
  raise_if_failed(mel.with_own([&](MelSpectrogram& own) {
    const std::size_t count = count_of(waves);
    return halves ? own.run(waves.data(), count, samples_of(waves), static_cast<std::uint16_t*>(out.data()))
                  : own.run(waves.data(), count, samples_of(waves), static_cast<float*>(out.data()));
  }));
}

void run_mfcc(SharedMfcc& mfcc, const Wave& waves, const Values& out) {
  const std::size_t frames = value_or_raise(mfcc.pattern().frames(samples_of(waves)));
  check_room(waves, static_cast<std::size_t>(mfcc.pattern().settings().n_mfcc), frames, out);
  const GilRelease release;
  raise_if_failed(mfcc.with_own([&](Mfcc& own) {
    return own.run(waves.data(), count_of(waves), samples_of(waves), static_cast<float*>(out.data()));
  }));
}

void to_db(bool power, const Wave& in, double ref, double amin, std::optional<double> top_db,
           const Values& out) {
  if (in.size() != out.size()) {
    throw Raise{{.kind = ErrorKind::invalid, .message = "the array for the results has another size"}};
  }
  const DecibelSettings settings{.ref = ref, .amin = amin, .top_db = top_db};
  const GilRelease release;
  raise_if_failed((power ? power_to_db : amplitude_to_db)(in.data(), in.size(), settings,
                                                          static_cast<float*>(out.data())));
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<SharedMel>(m, "MelSpectrogram")
      .def(
          "__init__",
          [](SharedMel* self, const nb::dict& settings) {
            new (self) SharedMel(value_or_raise(MelSpectrogram::make(mel_settings(settings))));
          },
          nb::arg("settings"))
      .def(
          "frames",
          [](const SharedMel& mel, std::size_t samples) {
            return value_or_raise(mel.pattern().frames(samples));
          },
          nb::arg("samples"))
      .def("filters", [](const SharedMel& mel) { return mel.pattern().filters(); })
      .def("window", [](const SharedMel& mel) { return mel.pattern().window(); })
      .def("run", &run_mel, nb::arg("waves"), nb::arg("out"),
           nb::sig("def run(self, waves: Any, out: Any) -> None"));
  nb::class_<SharedMfcc>(m, "Mfcc")
      .def(
          "__init__",
          [](SharedMfcc* self, const nb::dict& given) {
            MfccSettings settings{.mel = mel_settings(given)};
            settings.n_mfcc = nb::cast<int>(given["n_mfcc"]);
            settings.lifter = nb::cast<double>(given["lifter"]);
            settings.top_db = nb::cast<std::optional<double>>(given["top_db"]);
            new (self) SharedMfcc(value_or_raise(Mfcc::make(settings)));
          },
          nb::arg("settings"))
      .def(
          "frames",
          [](const SharedMfcc& mfcc, std::size_t samples) {
            return value_or_raise(mfcc.pattern().frames(samples));
          },
          nb::arg("samples"))
      .def("run", &run_mfcc, nb::arg("waves"), nb::arg("out"),
           nb::sig("def run(self, waves: Any, out: Any) -> None"));
  m.def("to_db", &to_db, nb::arg("power"), nb::arg("values"), nb::arg("ref"), nb::arg("amin"),
        nb::arg("top_db").none(), nb::arg("out"),
        nb::sig("def to_db(power: bool, values: Any, ref: float, amin: float, top_db: float | None, "
                "out: Any) -> None"));
}

}  // namespace penstock::python
