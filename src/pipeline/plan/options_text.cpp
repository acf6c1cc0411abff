// Options as plain values: dictionaries, text, and changed copies.

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/must_be.hpp"
#include "formats/json.hpp"
#include "penstock/options.hpp"
#include "pipeline/plan/option_names.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kMoreAhead = 4;  // batches, where a preset wants more than usual

Json json_of(bool value) { return value; }
Json json_of(double value) { return value; }
Json json_of(const std::string& value) { return value; }
template <class Integer>
requires std::integral<Integer> Json json_of(Integer value) {
  if constexpr (std::is_signed_v<Integer>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}
template <class Enum>
requires std::is_enum_v<Enum> Json json_of(Enum value) { return value_name(value); }
template <class T>
Json json_of(const std::vector<T>& values) {
  return Json::List(values.begin(), values.end());
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json();
}
Json json_of(const Sampler& sampler) {
  using Kind = Sampler::Kind;
  if (sampler.kind == Kind::automatic) {
    return {};
  }
  Json::Members members{{"kind", json_of(sampler.kind)}};
  if (sampler.weights) {
    members.emplace_back("weights", json_of(*sampler.weights));
  }
  if (sampler.indices) {
    members.emplace_back("indices", json_of(*sampler.indices));
  }
  if (sampler.kind == Kind::random || sampler.kind == Kind::weighted) {
    members.emplace_back("replacement", sampler.replacement);
  }
  if (sampler.kind == Kind::repeated) {
    members.emplace_back("num_repeats", json_of(sampler.num_repeats));
  }
  if (sampler.kind != Kind::sequential && sampler.kind != Kind::indices) {
    members.emplace_back("num_samples", json_of(sampler.num_samples));
  }
  return members;
}

template <class T>
std::string text_of(const T& value) {
  return json_of(value).text();
}
/// A share has a point, so that it is not a count.
std::string text_of(const MaxErrors& value) {
  if (!value.share) {
    return text_of(value.count);
  }
  const std::string digits = text_of(*value.share);
  return digits.find_first_not_of("0123456789") == std::string::npos ? digits + ".0" : digits;
}

/// What would be right; empty when the value was read.
using Wanted = std::string;

Wanted read(const Json& given, bool& value) {
  if (given.boolean() == nullptr) {
    return "true or false";
  }
  value = *given.boolean();
  return {};
}

template <class Integer>
requires std::integral<Integer> Wanted read(const Json& given, Integer& value) {
  using Limits = std::numeric_limits<Integer>;
  if (const auto whole = given.whole(); whole && *whole <= static_cast<std::uint64_t>(Limits::max())) {
    value = static_cast<Integer>(*whole);
    return {};
  }
  if (const std::int64_t* const negative = given.negative();
      negative != nullptr && Limits::is_signed && *negative >= static_cast<std::int64_t>(Limits::min())) {
    value = static_cast<Integer>(*negative);
    return {};
  }
  return fmt::format("an integer between {} and {}", Limits::min(), Limits::max());
}

Wanted read(const Json& given, double& value) {
  const std::optional<double> number = given.number();
  value = number.value_or(0);
  return number ? "" : "a number";
}

Wanted read(const Json& given, std::string& value) {
  if (given.string() == nullptr) {
    return "a string";
  }
  value = *given.string();
  return {};
}

template <class Enum>
requires std::is_enum_v<Enum> Wanted read(const Json& given, Enum& value) {
  std::vector<std::string> wanted;
  for (const auto& [name, choice] : value_names(Enum{})) {
    if (given.string() != nullptr && *given.string() == name) {
      value = choice;
      return {};
    }
    wanted.push_back(fmt::format("\"{}\"", name));
  }
  return one_of(wanted);
}

template <class T>
Wanted read(const Json& given, std::vector<T>& values) {
  if (given.list() == nullptr) {
    return "a list of numbers";
  }
  for (const Json& item : *given.list()) {
    if (Wanted wanted = read(item, values.emplace_back()); !wanted.empty()) {
      return "a list, each item " + wanted;
    }
  }
  return {};
}

template <class T>
Wanted read(const Json& given, std::optional<T>& value) {
  value.reset();
  return given.is_null() ? "" : read(given, value.emplace());
}

template <class T>
Wanted read(const Json& given, std::shared_ptr<const std::vector<T>>& values) {
  std::vector<T> list;
  Wanted wanted = read(given, list);
  values = std::make_shared<const std::vector<T>>(std::move(list));
  return wanted;
}

/// A whole number is a count, a fraction a share.
Wanted read(const Json& given, MaxErrors& value) {
  value = {};
  return given.is_fraction() ? read(given, value.share) : read(given, value.count);
}

Wanted read(const Json& given, Sampler& value) {
  value = {};
  if (given.is_null()) {
    return {};
  }
  const Wanted right = "null, or what to_dict() has for a sampler";
  if (given.members() == nullptr) {
    return right;
  }
  for (const auto& [name, member] : *given.members()) {
    const Wanted wanted = name == "kind"          ? read(member, value.kind)
                          : name == "replacement" ? read(member, value.replacement)
                          : name == "num_repeats" ? read(member, value.num_repeats)
                          : name == "num_samples" ? read(member, value.num_samples)
                          : name == "weights"     ? read(member, value.weights)
                          : name == "indices"     ? read(member, value.indices)
                                                  : right;
    if (!wanted.empty()) {
      return wanted == right ? right : fmt::format("{}: {}", name, wanted);
    }
  }
  return {};
}

Error wrong_option(const std::string& message, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = message,
          .advice = std::move(advice),
          .place = {.stage = "options"}};
}

}  // namespace

std::map<std::string, std::string> LoaderOptions::to_dict() const {
  std::map<std::string, std::string> values;
  fields(*this, [&](const char* name, const auto& value, const char*) { values[name] = text_of(value); });
  return values;
}

Result<LoaderOptions> LoaderOptions::from_dict(const std::map<std::string, std::string>& values) {
  LoaderOptions options;
  for (const auto& [name, text] : values) {
    const Result<Json> given = Json::parse(text);
    if (!given) {
      return wrong_option(fmt::format("{}: {}, got {}", name, given.error().message, text),
                          "use a JSON value");
    }
    bool known = false;
    Wanted wanted;
    std::string names;
    fields(options, [&, &name = name](const char* option, auto& value, const char*) {
      names += (names.empty() ? "" : ", ") + std::string(option);
      if (name == option) {
        known = true;
        wanted = read(*given, value);
      }
    });
    if (!known) {
      return wrong_option(fmt::format("unknown option '{}'", name), "the options are: " + names);
    }
    if (!wanted.empty()) {
      return must_be(name, wanted, text, "options");
    }
  }
  PENSTOCK_TRY(options.validate());
  return options;
}

std::string LoaderOptions::to_string() const {
  const std::map<std::string, std::string> usual = LoaderOptions().to_dict();
  std::string changed;
  fields(*this, [&](const char* name, const auto& value, const char*) {
    if (const std::string text = text_of(value); text != usual.at(name)) {
      changed += fmt::format("{}{}={}", changed.empty() ? "" : ", ", name, text);
    }
  });
  return fmt::format("LoaderOptions({})", changed);
}

LoaderOptions LoaderOptions::with_shuffle(bool on, std::optional<std::uint64_t> with_seed) const {
  return with<&LoaderOptions::shuffle>(on).with<&LoaderOptions::seed>(with_seed ? with_seed : seed);
}

LoaderOptions LoaderOptions::with_timeout(std::optional<double> seconds) const {
  return with<&LoaderOptions::timeout_seconds>(seconds);
}

LoaderOptions LoaderOptions::channels_first() const {
  return with<&LoaderOptions::memory_format>(MemoryFormat::channels_first);
}

LoaderOptions LoaderOptions::channels_last() const {
  return with<&LoaderOptions::memory_format>(MemoryFormat::channels_last);
}

LoaderOptions LoaderOptions::random_sampling(bool replacement) const {
  return with<&LoaderOptions::sampler>(Sampler::random(replacement));
}

LoaderOptions LoaderOptions::gpu_optimized() const {
  LoaderOptions changed = channels_last();
  changed.prefetch = kMoreAhead;
  changed.persistent_workers = true;
  return changed;
}

LoaderOptions LoaderOptions::distributed_optimized(int rank, int world_size) const {
  LoaderOptions changed = random_sampling();
  changed.shard_rank = rank;
  changed.shard_world_size = world_size;
  changed.drop_last = true;
  changed.prefetch = kMoreAhead;
  changed.persistent_workers = true;
  return changed;
}

LoaderOptions LoaderOptions::debug_mode() const {
  LoaderOptions changed = *this;
  changed.num_workers = 0;
  changed.prefetch = 0;
  changed.auto_tune = false;
  changed.cpu_budget = 1.0;
  changed.shuffle = false;
  changed.shuffle_mode = ShuffleMode::everywhere;
  changed.shuffle_window.reset();
  changed.shuffle_shards.reset();
  changed.length_window.reset();
  changed.sampler = {};
  changed.loading_mode = LoadingMode::ordered;
  changed.on_error = OnError::raise;
  changed.max_errors = {};
  changed.max_error_run.reset();
  return changed;
}

}  // namespace penstock::inline v0
