#include "pipeline/order/loader_state.hpp"

#include <fmt/format.h>

#include <utility>

#include "formats/json.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kVersion = 1;

Error refused(std::string message, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.stage = "resume"}};
}

/// Steps after the first one missing, a bit each in hexadecimal digits: small whatever the window.
std::string write_delivered(const Progress& progress, std::uint64_t places_per_step) {
  std::string digits;
  for (const std::uint64_t position : progress.delivered) {
    const std::uint64_t step = (position - progress.position) / places_per_step;
    if (digits.size() <= step / 4) {
      digits.resize(step / 4 + 1, '0');
    }
    const char old = digits[step / 4];
    const int value = (old <= '9' ? old - '0' : old - 'a' + 10) | 1 << (step % 4);
    digits[step / 4] = "0123456789abcdef"[value];
  }
  return digits;
}

bool read_delivered(const std::string& digits, std::uint64_t places_per_step, Progress& progress) {
  constexpr std::size_t kMaxDigits = 16'384;  // of 4 steps each: more than any window of batches under way
  if (places_per_step == 0 || digits.size() > kMaxDigits) {
    return false;
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char digit = digits[i];
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && !(digit >= 'a' && digit <= 'f')) {
      return false;
    }
    const int value = decimal ? digit - '0' : digit - 'a' + 10;
    for (unsigned bit = 0; bit < 4; ++bit) {
      if ((value >> bit & 1) != 0) {
        progress.delivered.push_back(progress.position + (4 * i + bit) * places_per_step);
      }
    }
  }
  // The step at the position itself is the first that is missing.
  return progress.delivered.empty() || progress.delivered.front() != progress.position;
}

/// The members of a document one after the other; `valid` becomes false when one is missing or of another
/// kind.
struct Reader {
  const Json& document;
  bool valid = true;

  std::uint64_t whole(const char* name) {
    const Json* const member = document.find(name);
    const auto value = member != nullptr ? member->whole() : std::nullopt;
    valid = valid && value.has_value();
    return value.value_or(0);
  }
  std::string string(const char* name) {
    const Json* const member = document.find(name);
    const std::string* const value = member != nullptr ? member->string() : nullptr;
    valid = valid && value != nullptr;
    return value != nullptr ? *value : std::string();
  }
};

}  // namespace

std::string write_state(const LoaderState& state) {
  Json::Members members{{"version", kVersion},
                        {"epoch", state.progress.epoch},
                        {"position", state.progress.position},
                        {"samples", state.run.samples},
                        {"seed", state.run.seed},
                        {"generator_seed", state.run.generator_seed},
                        {"dataset", state.run.dataset},
                        {"order", state.run.order},
                        {"pipeline", state.run.pipeline}};
  if (state.shard) {
    members.emplace_back("batch_size", state.shard->batch_size);
    members.emplace_back("rank", state.shard->rank);
    members.emplace_back("world", state.shard->world);
    members.emplace_back("delivered",
                         write_delivered(state.progress, state.shard->batch_size * state.shard->world));
  }
  return Json(std::move(members)).text();
}

Result<LoaderState> read_state(std::string_view text) {
  const Result<Json> document = Json::parse(text);
  const Error no_state = refused("not the state of a Loader", "pass what state_dict() returned");
  if (!document || document->members() == nullptr) {
    return no_state;
  }
  Reader reader{*document};
  const std::uint64_t version = reader.whole("version");
  if (reader.valid && version != kVersion) {
    return refused(
        fmt::format("the state has version {}, this version of penstock reads version {}", version, kVersion),
        "use the version of penstock that wrote it, or a newer one");
  }
  LoaderState state;
  state.progress.epoch = reader.whole("epoch");
  state.progress.position = reader.whole("position");
  state.run = {.samples = reader.whole("samples"),
               .seed = reader.whole("seed"),
               .generator_seed = reader.whole("generator_seed"),
               .dataset = reader.string("dataset"),
               .order = reader.string("order"),
               .pipeline = reader.string("pipeline")};
  if (document->find("delivered") != nullptr) {
    state.shard = {.batch_size = reader.whole("batch_size"),
                   .rank = reader.whole("rank"),
                   .world = reader.whole("world")};
    reader.valid =
        reader.valid && read_delivered(reader.string("delivered"),
                                       state.shard->batch_size * state.shard->world, state.progress);
  }
  if (!reader.valid) {
    return no_state;
  }
  return state;
}

Status check_fits(const LoaderState& state, const RunIdentity& run, const ShardIdentity& shard) {
  std::string differences;
  const auto compare = [&](const char* what, const auto& of_state, const auto& here) {
    if (of_state != here) {
      differences += fmt::format("{}{}: {} in the state, {} here", differences.empty() ? "" : "; ", what,
                                 of_state, here);
    }
  };
  compare("samples", state.run.samples, run.samples);
  compare("data set", state.run.dataset, run.dataset);
  compare("order", state.run.order, run.order);
  compare("seed", state.run.seed, run.seed);
  compare("generator_seed", state.run.generator_seed, run.generator_seed);
  if (state.run.pipeline != run.pipeline && state.run.pipeline == run.pipeline_before) {
    return refused(
        "the state was made when lists for several fields drew alike by their place in the list, and "
        "now each field draws for itself",
        "finish the epoch with the version that made it, or pass strict=False to continue at that position "
        "with other draws");
  }
  compare("transforms, fields, decode and on_error", state.run.pipeline, run.pipeline);
  if (state.shard) {
    compare("batch_size", state.shard->batch_size, shard.batch_size);
    compare("rank", state.shard->rank, shard.rank);
    compare("world size", state.shard->world, shard.world);
  }
  if (differences.empty()) {
    return {};
  }
  return refused("the state does not fit this loader: " + differences,
                 "open the loader as it was, or pass strict=False to continue from that position anyway");
}

}  // namespace penstock::inline v0
