#include "transforms/composite/held_drawn.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kMaxChosen = 10000;  // of params that are given

}  // namespace

Drawn& ChosenDrawn::at(std::size_t place) const {
  if (memory_.size() <= place) {
    memory_.resize(place + 1);
  }
  DrawnList& here = memory_[place];
  here.resize(held_.size());
  const auto number = static_cast<std::size_t>(chosen[place]);
  if (!here[number]) {
    here[number] = held_[number]->make_drawn();
  }
  return *here[number];
}

Params ChosenDrawn::values() const {
  HeldDrawn drawn;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    drawn.list.push_back({std::string(held_[static_cast<std::size_t>(chosen[i])]->name()), at(i).values()});
  }
  return {{"chosen", std::vector<std::int64_t>(chosen.begin(), chosen.end())},
          {"transforms", std::move(drawn)}};
}

Status ChosenDrawn::set(std::string_view operation, const Params& values) {
  const auto refuse = [operation](std::string_view name, std::string_view problem) {
    return detail::wrong_drawn(operation, name, problem);
  };
  const std::vector<std::int64_t>* numbers = nullptr;
  std::span<const NamedDrawn> drawn;
  bool has_drawn = false;
  for (const auto& [name, value] : values) {
    if (name == "chosen") {
      numbers = std::get_if<std::vector<std::int64_t>>(&value);
    } else if (name == "transforms") {
      const auto* held = std::get_if<HeldDrawn>(&value);
      const auto* none =
          std::get_if<std::vector<std::int64_t>>(&value);  // an empty list is one of numbers too
      has_drawn = held != nullptr || (none != nullptr && none->empty());
      drawn = held != nullptr ? std::span<const NamedDrawn>(held->list) : drawn;
    } else {
      return detail::unknown_drawn(operation, name);
    }
  }
  if (numbers == nullptr || numbers->size() > kMaxChosen) {
    return refuse("chosen", fmt::format("must be a list of at most {} integers", kMaxChosen));
  }
  if (!has_drawn || drawn.size() != numbers->size()) {
    return refuse("transforms", fmt::format("must be what {} operations drew", numbers->size()));
  }
  chosen.clear();
  for (const std::int64_t number : *numbers) {
    if (number < 0 || static_cast<std::uint64_t>(number) >= held_.size()) {
      return refuse("chosen", fmt::format("has {}, and there are {} operations", number, held_.size()));
    }
    chosen.push_back(static_cast<int>(number));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    PENSTOCK_TRY(set_drawn(*held_[static_cast<std::size_t>(chosen[i])], drawn[i], at(i)));
  }
  return {};
}

void ChosenDrawn::save(std::vector<double>& numbers) const {
  detail::save_value(chosen, numbers);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    at(i).save(numbers);
  }
}

void ChosenDrawn::load(std::span<const double>& numbers) {
  detail::load_value(chosen, numbers);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    at(i).load(numbers);
  }
}

Draws held_draws(const Draws& draws, std::size_t place, const std::string& key, const RandomKey& sample) {
  if (!key.empty()) {
    return Draws(sample, key_address(key));
  }
  const Draws::State state = draws.state();
  const std::uint64_t stream = (std::uint64_t{state.key[1]} << 32) | state.key[0];
  const std::uint64_t own = mix64(mix64(stream, state.op), place);
  return Draws(Draws::State{.key = {static_cast<std::uint32_t>(own), static_cast<std::uint32_t>(own >> 32)},
                            .sample = state.sample,
                            .op = static_cast<std::uint32_t>(place),
                            .drawn = 0});
}

}  // namespace penstock::inline v0
