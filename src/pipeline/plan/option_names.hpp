#pragma once
// What the values of options are called: in Python, in dictionaries and in messages.

#include <array>
#include <string_view>
#include <utility>

#include "penstock/options.hpp"

namespace penstock::inline v0 {

template <class Enum, std::size_t Count>
using NameTable = std::array<std::pair<std::string_view, Enum>, Count>;

inline constexpr NameTable<OnError, 3> kOnErrorNames = {
    {{"raise", OnError::raise}, {"skip", OnError::skip}, {"replace", OnError::replace}}};
inline constexpr NameTable<MemoryFormat, 3> kMemoryFormatNames = {
    {{"channels_first", MemoryFormat::channels_first},
     {"channels_last", MemoryFormat::channels_last},
     {"auto", MemoryFormat::automatic}}};
inline constexpr NameTable<LoadingMode, 2> kLoadingModeNames = {
    {{"ordered", LoadingMode::ordered}, {"as_ready", LoadingMode::as_ready}}};
inline constexpr NameTable<ShuffleMode, 3> kShuffleModeNames = {
    {{"global", ShuffleMode::everywhere}, {"shards", ShuffleMode::shards}, {"window", ShuffleMode::window}}};
inline constexpr NameTable<Sampler::Kind, 7> kSamplerKindNames = {{{"automatic", Sampler::Kind::automatic},
                                                                   {"sequential", Sampler::Kind::sequential},
                                                                   {"random", Sampler::Kind::random},
                                                                   {"weighted", Sampler::Kind::weighted},
                                                                   {"repeated", Sampler::Kind::repeated},
                                                                   {"indices", Sampler::Kind::indices},
                                                                   {"given", Sampler::Kind::given}}};

inline constexpr NameTable<Fuse, 3> kFuseNames = {
    {{"off", Fuse::off}, {"exact", Fuse::exact}, {"fast", Fuse::fast}}};

constexpr const auto& value_names(Fuse) { return kFuseNames; }
constexpr const auto& value_names(OnError) { return kOnErrorNames; }
constexpr const auto& value_names(MemoryFormat) { return kMemoryFormatNames; }
constexpr const auto& value_names(LoadingMode) { return kLoadingModeNames; }
constexpr const auto& value_names(ShuffleMode) { return kShuffleModeNames; }
constexpr const auto& value_names(Sampler::Kind) { return kSamplerKindNames; }

/// The name of that value; every value has one.
template <class Enum>
constexpr std::string_view value_name(Enum value) {
  for (const auto& [name, choice] : value_names(Enum{})) {
    if (choice == value) {
      return name;
    }
  }
  return {};
}

}  // namespace penstock::inline v0
