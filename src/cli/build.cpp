#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "formats/sample_table.hpp"
#include "penstock/store.hpp"

namespace penstock::cli {
namespace {

struct BuildArguments {
  std::vector<std::string> paths;   ///< the sources, then the destination
  std::vector<std::string> fields;  ///< "name=field"
  std::string image;
  int resize = 0;
  int resize_longest = 0;
  int quality = 0;
  std::optional<std::uint64_t> shard_bytes;
  bool append = false;
  BuildRunArguments run{.on_error = "raise"};
};

BuildSettings settings_of(const BuildArguments& arguments) {
  BuildSettings settings;
  settings.image = store_image_named(arguments.image);
  settings.resize_shorter = given(arguments.resize);
  settings.resize_longest = given(arguments.resize_longest);
  settings.quality = given(arguments.quality);
  settings.shard_bytes = arguments.shard_bytes;
  settings.append = arguments.append;
  apply_build_run(arguments.run, settings);
  return settings;
}

std::string time_left(const BuildProgress& progress) {
  if (progress.samples_per_second <= 0) {
    return "";
  }
  const auto seconds = static_cast<std::uint64_t>(static_cast<double>(progress.total - progress.samples) /
                                                  progress.samples_per_second);
  return fmt::format(", {}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

void print(const BuildReport& report, const BuildArguments& arguments) {
  if (arguments.run.json) {
    Json::List errors;
    for (const Error& error : report.errors) {
      errors.push_back(as_json(error));
    }
    print_document(Json::Members{{"store", arguments.paths.back()},
                                 {"samples", report.samples},
                                 {"added", report.added},
                                 {"skipped", report.skipped},
                                 {"resumed_at", report.resumed_at},
                                 {"was_complete", report.was_complete},
                                 {"bytes_read", report.bytes_read},
                                 {"bytes_written", report.bytes_written},
                                 {"seconds", report.seconds},
                                 {"fingerprint", report.fingerprint},
                                 {"warnings", as_json(report.warnings)},
                                 {"errors", std::move(errors)}});
    return;
  }
  if (report.was_complete) {
    print_line(stdout, "{}: {} samples, already complete{}", arguments.paths.back(), report.samples,
               report.skipped > 0 ? fmt::format(", {} left out", report.skipped) : "");
    return;
  }
  for (const Error& error : report.errors) {
    print_line(stderr, "left out: {}", error.to_string());
  }
  if (report.skipped > report.errors.size()) {
    print_line(stderr, "left out: {} more, not listed: {}", report.skipped - report.errors.size(),
               report.resumed_at > 0 ? "before the interruption, or after the first 1,000"
                                     : "after the first 1,000");
  }
  print_line(stdout, "{}: {} samples added{}{}; {} read, {} written in {:.1f} s", arguments.paths.back(),
             report.added, report.skipped > 0 ? fmt::format(", {} left out", report.skipped) : "",
             report.resumed_at > 0 ? fmt::format(", {} of them before", report.resumed_at) : "",
             as_size(report.bytes_read), as_size(report.bytes_written), report.seconds);
}

Result<BuildReport> build(const std::vector<std::string>& sources, const BuildArguments& arguments,
                          const BuildSettings& settings) {
  const FieldChoice choice = field_choice(arguments.fields);
  PENSTOCK_ASSIGN(const std::unique_ptr<SampleTable> table, open_samples(sources, {choice}));
  print_warnings(table->warnings(), arguments.run.json);  // before the work, which may take hours
  PENSTOCK_ASSIGN(BuildReport report, build_store(*table, fmt::format("{}", fmt::join(sources, " ")),
                                                  arguments.paths.back(), settings));
  print_warnings(report.lost, arguments.run.json);
  report.warnings.insert(report.warnings.end(), report.lost.begin(), report.lost.end());
  return report;
}

int run(const BuildArguments& arguments) {
  if (const Status fits = check_build_run(arguments.run, "samples"); !fits.ok()) {
    return fail(fits.error(), arguments.run.json);
  }
  BuildSettings settings = settings_of(arguments);
  const std::vector<std::string> sources(arguments.paths.begin(), arguments.paths.end() - 1);
  catch_interrupt();
  auto report = [&] {
    ProgressLine line(!arguments.run.json);
    settings.progress = [&line](const BuildProgress& progress) {
      const double rate =
          progress.seconds > 0 ? static_cast<double>(progress.bytes_read) / progress.seconds : 0;
      line.show(progress.samples, progress.total,
                fmt::format("  {:.0f} samples/s, {}/s{}", progress.samples_per_second,
                            as_size(static_cast<std::uint64_t>(rate)), time_left(progress)));
      return !interrupted();
    };
    return build(sources, arguments, settings);
  }();
  if (!report.ok()) {
    return fail(report.error(), arguments.run.json);
  }
  print(*report, arguments);
  return report->skipped > 0 ? kFinding : kSuccess;
}

}  // namespace

void add_build(CLI::App& app, int& code) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* const verb = app.add_subcommand("build", "write a data set as a store");
  verb->add_option("paths", arguments->paths,
                   "SRC... DST: paths, globs or brace patterns, then the folder to create")
      ->required()
      ->expected(2, -1);
  verb->add_option("--field", arguments->fields,
                   "a field to store, NAME or NAME=FIELD; may be given several times")
      ->take_all()
      ->expected(1);
  verb->add_option("--image", arguments->image, "how images are stored (default: repack)")
      ->check(CLI::IsMember({"repack", "repack_pixels", "keep", "raw"}));
  verb->add_option("--resize", arguments->resize, "shrink images: max length of the shorter side")
      ->check(CLI::Range(1, 65535));
  verb->add_option("--resize-longest", arguments->resize_longest, "the same for the longer side")
      ->check(CLI::Range(1, 65535));
  verb->add_option("--quality", arguments->quality, "JPEG quality of what is encoded again")
      ->check(CLI::Range(1, 100));
  verb->add_option("--shard-bytes", arguments->shard_bytes, "max size of a shard (default: 256 MiB)")
      ->check(shard_bytes_range());
  verb->add_flag("--append", arguments->append, "add to the store DST, with the settings it was built with");
  add_build_run(*verb, arguments->run, "samples", "any number");
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
