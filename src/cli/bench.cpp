#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "penstock/loader.hpp"

namespace penstock::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchArguments {
  std::vector<std::string> sources;
  double seconds = 5;
  int size = 224;
  int batch_size = 256;
  int workers = 0;
  int prefetch = LoaderOptions{}.prefetch;
  bool json = false;
};

struct Measured {
  LoaderStats stats;
  std::vector<std::string> warnings;
  bool has_images = false;
};

/// Runs epochs until the time is over; the error of the first bad sample.
Status consume(Loader& loader, double seconds) {
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (Clock::now() < end && !interrupted()) {
    PENSTOCK_ASSIGN(const std::uint64_t ticket, loader.start_epoch());
    while (Clock::now() < end && !interrupted()) {
      PENSTOCK_ASSIGN(const std::optional<Batch> batch, loader.next(ticket));
      if (!batch) {
        break;
      }
    }
  }
  return {};
}

/// An epoch of few batches is over before the workers are under way.
std::optional<std::string> too_few(std::uint64_t samples, const BenchArguments& arguments) {
  constexpr std::uint64_t kFew = 4;
  const auto size = static_cast<std::uint64_t>(arguments.batch_size);
  const std::uint64_t batches = (samples + size - 1) / size;
  if (batches >= kFew) {
    return {};
  }
  return fmt::format(
      "an epoch of {} samples fills {} batches of {}, so mostly the start of epochs is measured; use more "
      "data or a smaller --batch-size",
      samples, batches, size);
}

Result<Measured> measure(const BenchArguments& arguments) {
  PENSTOCK_ASSIGN(Dataset dataset, Dataset::open(arguments.sources));
  if (dataset.size() == 0) {
    return Error{.kind = ErrorKind::invalid, .message = "the data set has no samples"};
  }
  Measured measured{.stats = {}, .warnings = dataset.warnings(), .has_images = false};
  if (auto remark = too_few(dataset.size(), arguments)) {
    measured.warnings.push_back(std::move(*remark));
  }
  print_warnings(measured.warnings, arguments.json);
  LoaderOptions options{.batch_size = arguments.batch_size, .shuffle = true, .prefetch = arguments.prefetch};
  if (arguments.workers > 0) {
    options.num_workers = arguments.workers;
  }
  options.on_error = OnError::skip;
  FieldTransforms transforms;
  for (const FieldInfo& field : dataset.fields()) {
    if (field.kind == FieldKind::image && field.name == "image") {
      transforms.emplace_back(field.name, presets::imagenet_train(arguments.size));
    }
  }
  measured.has_images = !transforms.empty();
  PENSTOCK_ASSIGN(Loader loader, Loader::open(std::move(dataset), std::move(transforms), options));
  PENSTOCK_TRY(consume(loader, arguments.seconds));
  measured.stats = loader.stats();
  return measured;
}

int run(const BenchArguments& arguments) {
  catch_interrupt();
  const auto measured = measure(arguments);
  if (!measured.ok()) {
    return fail(measured.error(), arguments.json);
  }
  const LoaderStats* const stats = &measured->stats;
  if (arguments.json) {
    Json::Members stages;
    for (const LoaderStats::Stage& stage : stats->stages) {
      stages.emplace_back(stage.name, stage.share);
    }
    Json::Members decoded;
    for (const LoaderStats::Decoded& by : stats->decoded) {
      decoded.emplace_back(by.codec, by.count);
    }
    print_document(Json::Members{{"images_per_second", stats->samples_per_second},
                                 {"images", stats->samples},
                                 {"seconds", stats->seconds},
                                 {"errors", stats->errors},
                                 {"stages", std::move(stages)},
                                 {"decoded", std::move(decoded)},
                                 {"simd_target", stats->simd_target},
                                 {"verdict", stats->verdict},
                                 {"warnings", as_json(measured->warnings)}});
  } else {
    const char* const what = measured->has_images ? "images" : "samples";
    print_line(stdout, "{:.0f} {}/s: {} {} in {:.1f} s, {}batches of {}", stats->samples_per_second, what,
               stats->samples, what, stats->seconds,
               measured->has_images ? fmt::format("imagenet_train({}), ", arguments.size) : "",
               arguments.batch_size);
    for (const LoaderStats::Stage& stage : stats->stages) {
      print_line(stdout, "  {:<10} {:>5.1f} %", stage.name, 100 * stage.share);
    }
    for (const LoaderStats::Decoded& by : stats->decoded) {
      print_line(stdout, "  {} decoded by the {} codec", by.count, by.codec);
    }
    if (stats->errors > 0) {
      print_line(stdout, "{} bad samples were skipped", stats->errors);
    }
    print_line(stdout, "{}", stats->verdict);
  }
  return stats->errors > 0 ? kFinding : kSuccess;
}

std::string check_seconds(const std::string& text) {
  constexpr double kWeek = 7 * 24 * 3600;
  double seconds = 0;
  const bool number = CLI::detail::lexical_cast(text, seconds);
  return number && seconds > 0 && seconds <= kWeek
             ? ""
             : fmt::format("must be above 0 and at most {1} seconds, got '{0}'", text, kWeek);
}

}  // namespace

void add_bench(CLI::App& app, int& code) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* const verb =
      app.add_subcommand("bench", "images or recordings per second of a loader on your own data");
  verb->add_option("path", arguments->sources, "any source: tar shards, class folders, a store")->required();
  verb->add_option("--seconds", arguments->seconds, "how long to measure")
      ->check(check_seconds)
      ->capture_default_str();
  verb->add_option("--size", arguments->size, "side of the delivered images")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  verb->add_option("--batch-size", arguments->batch_size, "images per batch")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  verb->add_option("--prefetch", arguments->prefetch, "batches prepared ahead of the consumer")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  verb->add_option("--workers", arguments->workers, "threads (default: the cores this process may use)")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--json", arguments->json, "print one JSON document");
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
