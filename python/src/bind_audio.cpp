#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "audio/read_audio.hpp"
#include "bind.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

/// [T] for mono, else [C, T].
nb::object to_array(Audio audio, bool mono) {
  float* const samples = audio.samples.get();
  nb::capsule owner(samples, [](void* held) noexcept { delete[] static_cast<float*>(held); });
  audio.samples.release();
  const std::size_t shape[2] = {static_cast<std::size_t>(audio.channels),
                                static_cast<std::size_t>(audio.frames)};
  return nb::cast(nb::ndarray<nb::numpy, float>(samples, mono ? 1 : 2, mono ? shape + 1 : shape, owner));
}

template <class Source>
nb::object read(const Source& source, double start, std::optional<double> duration,
                std::optional<int> sample_rate, bool mono) {
  const AudioRequest request{.start = start, .duration = duration, .sample_rate = sample_rate, .mono = mono};
  Audio audio = value_or_raise([&] {
    const GilRelease release;
    return read_audio(source, request);
  }());
  const int rate = audio.rate;
  return nb::make_tuple(to_array(std::move(audio), mono), rate);
}

}  // namespace

void bind_audio(nb::module_& m) {
  m.def(
      "read_audio",
      [](nb::handle source, double start, std::optional<double> duration, std::optional<int> sample_rate,
         bool mono) {
        if (nb::isinstance<nb::bytes>(source)) {
          const auto bytes = nb::borrow<nb::bytes>(source);
          const ByteSpan file(static_cast<const std::uint8_t*>(bytes.data()), bytes.size());
          return read(file, start, duration, sample_rate, mono);
        }
        return read(from_str(source), start, duration, sample_rate, mono);
      },
      nb::arg("source"), nb::arg("start"), nb::arg("duration").none(), nb::arg("sample_rate").none(),
      nb::arg("mono"),
      nb::sig("def read_audio(source: str | bytes, start: float, duration: float | None, "
              "sample_rate: int | None, mono: bool) -> tuple[Any, int]"));
}

}  // namespace penstock::python
