#include "mel_settings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "core/must_be.hpp"

namespace nb = nanobind;

namespace penstock::python {
namespace {

template <class Choice>
Choice choice_named(const char* option, const std::string& name, const std::vector<Choice>& choices) {
  std::string known;
  for (const Choice choice : choices) {
    if (name == name_of(choice)) {
      return choice;
    }
    known += (known.empty() ? "'" : ", '") + std::string(name_of(choice)) + "'";
  }
  throw Raise{must_be(option, "one of " + known, "'" + name + "'", "")};
}

}  // namespace

MelSettings mel_settings(const nb::dict& given) {
  MelSettings settings;
  settings.sample_rate = nb::cast<double>(given["sample_rate"]);
  settings.n_fft = nb::cast<int>(given["n_fft"]);
  settings.hop_length = nb::cast<int>(given["hop_length"]);
  settings.win_length = nb::cast<std::optional<int>>(given["win_length"]);
  settings.window = choice_named("window", nb::cast<std::string>(given["window"]),
                                 std::vector{AudioWindow::hann, AudioWindow::hamming, AudioWindow::blackman,
                                             AudioWindow::bartlett, AudioWindow::rectangular});
  settings.center = nb::cast<bool>(given["center"]);
  settings.pad_mode =
      choice_named("pad_mode", nb::cast<std::string>(given["pad_mode"]),
                   std::vector{AudioPadding::constant, AudioPadding::reflect, AudioPadding::edge});
  settings.power = nb::cast<double>(given["power"]);
  settings.n_mels = nb::cast<int>(given["n_mels"]);
  settings.fmin = nb::cast<double>(given["fmin"]);
  settings.fmax = nb::cast<std::optional<double>>(given["fmax"]);
  settings.htk = nb::cast<bool>(given["htk"]);
  settings.norm =
      choice_named("norm", nb::cast<std::string>(given["norm"]), std::vector{MelNorm::none, MelNorm::slaney});
  settings.db_mult = nb::cast<std::optional<float>>(given["db_mult"]);
  return settings;
}

}  // namespace penstock::python
