#include <fmt/format.h>

#include <memory>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "penstock/store.hpp"

namespace penstock::cli {
namespace {

struct VerifyArguments {
  std::vector<std::string> paths;
  std::vector<std::string> sources;
  std::vector<std::string> fields;  ///< "name=field"
  bool no_decode = false;
  int workers = 0;
  bool json = false;
};

/// Of kinds that are there.
std::string decoded(const VerifyReport& report) {
  return (report.images > 0 ? fmt::format(", {} images decoded", report.images) : "") +
         (report.recordings > 0 ? fmt::format(", {} recordings decoded", report.recordings) : "");
}

int run(const VerifyArguments& arguments) {
  VerifySettings settings;
  settings.sources = arguments.sources;
  settings.fields = field_choice(arguments.fields);
  settings.decode = !arguments.no_decode;
  if (arguments.workers > 0) {
    settings.workers = arguments.workers;
  }
  catch_interrupt();
  const auto report = [&] {
    ProgressLine line(!arguments.json);
    settings.progress = [&line](std::uint64_t done, std::uint64_t total) {
      line.show(done, total, "");
      return !interrupted();
    };
    return verify(arguments.paths, settings);
  }();
  if (!report.ok()) {
    return fail(report.error(), arguments.json);
  }
  print_warnings(report->warnings, arguments.json);
  if (arguments.json) {
    Json::List errors;
    for (const Error& error : report->errors) {
      errors.push_back(as_json(error));
    }
    print_document(Json::Members{
        {"path", arguments.paths.size() == 1 ? Json(arguments.paths[0]) : as_json(arguments.paths)},
        {"ok", report->ok()},
        {"samples", report->samples},
        {"images", report->images},
        {"recordings", report->recordings},
        {"pictures", report->images},    // deprecated name
        {"sounds", report->recordings},  // deprecated name
        {"compared", report->compared},
        {"bytes", report->bytes},
        {"not_in_store", report->not_in_store},
        {"problems", report->problems},
        {"notes", as_json(report->notes)},
        {"warnings", as_json(report->warnings)},
        {"errors", std::move(errors)}});
  } else {
    for (const Error& error : report->errors) {
      print_line(stdout, "{}", error.to_string());
    }
    if (report->problems > report->errors.size()) {
      print_line(stdout, "and {} more problems", report->problems - report->errors.size());
    }
    for (const std::string& note : report->notes) {
      print_line(stdout, "note: {}", note);
    }
    print_line(stdout, "{}: {} samples{}, {} fields compared, {} checked: {}",
               fmt::join(arguments.paths, " "), report->samples, decoded(*report), report->compared,
               as_size(report->bytes),
               report->ok() ? "no problem found" : fmt::format("{} problems", report->problems));
  }
  return report->ok() ? kSuccess : kFinding;
}

}  // namespace

void add_verify(CLI::App& app, int& code) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* const verb = app.add_subcommand(
      "verify", "check every byte of a store, or read and decode every sample of any other source");
  verb->add_option("path", arguments->paths, "a store, tar shards, class folders, an HDF5 file of recordings")
      ->required();
  verb->add_option("--source", arguments->sources, "compare with the data set that the store was built from");
  verb->add_option("--field", arguments->fields,
                   "a field of the source, NAME or NAME=FIELD, as given to build; may be repeated")
      ->take_all()
      ->expected(1);
  verb->add_flag("--no-decode", arguments->no_decode,
                 "verify checksums only, without decoding images or recordings");
  verb->add_option("--workers", arguments->workers, "threads (default: the cores that the process may use)")
      ->check(CLI::Range(1, 4096));
  verb->add_flag("--json", arguments->json, "print one JSON document");
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
