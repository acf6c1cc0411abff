#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/transforms_file.hpp"
#include "cli/verbs.hpp"
#include "penstock/mean_std.hpp"

namespace penstock::cli {
namespace {

struct StatsArguments {
  std::vector<std::string> sources;
  std::string transforms;
  std::string field = "image";
  int workers = 0;
  bool json = false;
};

struct Computed {
  MeanStd result;
  std::vector<Error> errors;  ///< of images that were left out
  std::uint64_t skipped = 0;
  std::vector<std::string> warnings;
};

Result<Computed> compute(const StatsArguments& arguments) {
  PENSTOCK_ASSIGN(TransformsConfig config, transforms_of_file(arguments.transforms));
  if (!config.views.empty()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = arguments.transforms + ": mean and std need one list, not views"};
  }
  PENSTOCK_ASSIGN(Dataset dataset, Dataset::open(arguments.sources));
  Computed computed{.result = {}, .errors = {}, .skipped = 0, .warnings = dataset.warnings()};
  print_warnings(computed.warnings, arguments.json);
  LoaderOptions options{.num_workers = given(arguments.workers)};
  options.on_error = OnError::skip;
  FieldTransforms transforms;
  if (!config.list.empty()) {
    transforms.emplace_back(arguments.field, std::move(config.list));
  }
  PENSTOCK_ASSIGN(Loader loader, Loader::open(std::move(dataset), std::move(transforms), options));
  ProgressLine line(!arguments.json);
  PENSTOCK_ASSIGN(computed.result, compute_mean_std(loader, arguments.field, [&](auto done, auto total) {
                    line.show(done, total, " images");
                    return !interrupted();
                  }));
  computed.errors = loader.errors();
  computed.skipped = loader.stats().errors;
  return computed;
}

Json as_numbers(const std::vector<double>& numbers) {
  Json::List list;
  for (const double number : numbers) {
    list.emplace_back(number);
  }
  return list;
}

int run(const StatsArguments& arguments) {
  catch_interrupt();
  const auto computed = compute(arguments);
  if (!computed.ok()) {
    return fail(computed.error(), arguments.json);
  }
  const MeanStd& result = computed->result;
  if (arguments.json) {
    Json::List errors;
    for (const Error& error : computed->errors) {
      errors.push_back(as_json(error));
    }
    print_document(Json::Members{{"mean", as_numbers(result.mean)},
                                 {"std", as_numbers(result.std)},
                                 {"images", result.images},
                                 {"pixels", result.pixels},
                                 {"skipped", computed->skipped},
                                 {"errors", std::move(errors)},
                                 {"warnings", as_json(computed->warnings)}});
  } else {
    for (const Error& error : computed->errors) {
      print_line(stderr, "{}", error.to_string());
    }
    print_line(stdout, "mean  {:.6f}", fmt::join(result.mean, "  "));
    print_line(stdout, "std   {:.6f}", fmt::join(result.std, "  "));
    print_line(stdout, "of {} images, {} pixels{}", result.images, result.pixels,
               computed->skipped > 0 ? fmt::format("; {} bad samples were left out", computed->skipped) : "");
  }
  return computed->skipped > 0 ? kFinding : kSuccess;
}

}  // namespace

void add_stats(CLI::App& app, int& code) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App* const verb =
      app.add_subcommand("stats", "mean and standard deviation of all images, channel by channel");
  verb->add_option("path", arguments->sources, "any source of images")->required();
  verb->add_option("--transforms", arguments->transforms, kTransformsHelp);
  verb->add_option("--field", arguments->field, "the field that holds the images")->capture_default_str();
  verb->add_option("--workers", arguments->workers, "threads (default: the cores this process may use)")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--json", arguments->json, "print one JSON document");
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
