#include <fmt/format.h>

#include <memory>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "penstock/store.hpp"

namespace penstock::cli {
namespace {

struct ConvertArguments {
  std::string path;
  std::string destination;
  std::uint64_t shard_bytes = ConvertSettings{}.shard_bytes;
  bool json = false;
};

int run(const ConvertArguments& arguments) {
  ConvertSettings settings;
  settings.shard_bytes = arguments.shard_bytes;
  catch_interrupt();
  const auto report = [&] {
    ProgressLine line(!arguments.json);
    settings.progress = [&line](std::uint64_t done, std::uint64_t total) {
      line.show(done, total, "");
      return !interrupted();
    };
    return convert_store(arguments.path, arguments.destination, settings);
  }();
  if (!report.ok()) {
    return fail(report.error(), arguments.json);
  }
  if (arguments.json) {
    print_document(Json::Members{{"samples", report->samples},
                                 {"bytes", report->bytes},
                                 {"renamed", report->renamed},
                                 {"shards", as_json(report->shards)},
                                 {"warnings", as_json(report->warnings)}});
    return kSuccess;
  }
  print_warnings(report->warnings, arguments.json);
  print_line(stdout, "{}: {} samples, {} in {} tar shards", arguments.destination, report->samples,
             as_size(report->bytes), report->shards.size());
  if (report->renamed > 0) {
    print_line(stdout, "{} keys were changed: tar shards allow no dot in them", report->renamed);
  }
  return kSuccess;
}

}  // namespace

void add_convert(CLI::App& app, int& code) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* const verb = app.add_subcommand("convert", "write a store as tar shards with the original files");
  verb->add_option("store", arguments->path, "the store")->required();
  verb->add_option("destination", arguments->destination, "the folder to create")->required();
  verb->add_option("--shard-bytes", arguments->shard_bytes, "max size of a tar")
      ->check(shard_bytes_range())
      ->capture_default_str();
  verb->add_flag("--json", arguments->json, "print one JSON document");
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
