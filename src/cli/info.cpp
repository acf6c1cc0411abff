#include <fmt/format.h>

#include <memory>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "formats/store.hpp"
#include "penstock/dataset.hpp"
#include "penstock/store.hpp"

namespace penstock::cli {
namespace {

struct InfoArguments {
  std::string path;
  bool json = false;
};

Json document_of(const StoreInfo& info, const std::vector<std::string>& warnings) {
  Json::List fields;
  for (const StoreInfo::Field& field : info.fields) {
    Json::Members codecs;
    for (const auto& [name, codec] : field.codecs) {
      codecs.emplace_back(name, Json::Members{{"fields", codec.fields},
                                              {"stored_bytes", codec.stored_bytes},
                                              {"original_bytes", codec.original_bytes}});
    }
    fields.push_back(Json::Members{
        {"name", field.info.name}, {"kind", name_of(field.info.kind)}, {"codecs", std::move(codecs)}});
  }
  Json::Members reasons;
  for (const auto& [reason, count] : info.kept_because) {
    reasons.emplace_back(reason, count);
  }
  Json::Members sizes;
  for (const auto& [side, count] : info.image_sizes) {
    sizes.emplace_back(std::to_string(side), count);
  }
  return Json::Members{{"format", "store"},
                       {"version", info.version},
                       {"written_by", info.written_by},
                       {"fingerprint", info.fingerprint},
                       {"samples", info.samples},
                       {"skipped", info.skipped},
                       {"image", info.image},
                       {"fields", std::move(fields)},
                       {"classes", as_json(info.classes)},
                       {"sources", as_json(info.sources)},
                       {"shards", info.shards},
                       {"total_bytes", info.total_bytes},
                       {"kept_because", std::move(reasons)},
                       {"image_sizes", sizes},
                       {"picture_sizes", std::move(sizes)},  // deprecated name
                       {"warnings", as_json(warnings)}};
}

void print(const StoreInfo& info, const std::string& path) {
  print_line(stdout, "{}: store of {} samples in {} shards, {}", path, info.samples, info.shards,
             as_size(info.total_bytes));
  print_line(stdout, "  written by  {}, image={}", info.written_by, info.image);
  print_line(stdout, "  fingerprint {}", info.fingerprint);
  for (const std::string& source : info.sources) {
    print_line(stdout, "  source      {}", printable_path(source));
  }
  if (info.skipped > 0) {
    print_line(stdout, "  left out    {} bad samples", info.skipped);
  }
  if (!info.classes.empty()) {
    print_line(stdout, "  classes     {}", info.classes.size());
  }
  for (const StoreInfo::Field& field : info.fields) {
    print_line(stdout, "  field       {} ({})", printable(field.info.name), name_of(field.info.kind));
    for (const auto& [name, codec] : field.codecs) {
      const double share = codec.original_bytes == 0 ? 1
                                                     : static_cast<double>(codec.stored_bytes) /
                                                           static_cast<double>(codec.original_bytes);
      print_line(stdout, "    {:<9} {:>10}  {} of {} ({:.3f})", name, codec.fields,
                 as_size(codec.stored_bytes), as_size(codec.original_bytes), share);
    }
  }
  for (const auto& [reason, count] : info.kept_because) {
    print_line(stdout, "  kept        {:>10}  {}", count, reason);
  }
  for (const auto& [side, count] : info.image_sizes) {
    print_line(stdout, "  longer side {:>10}  {}", count,
               side == 0 ? "unknown" : fmt::format("up to {}", side));
  }
}

/// Any other data set: what its index tells.
int run_dataset(const Dataset& dataset, const InfoArguments& arguments) {
  if (arguments.json) {
    Json::List fields;
    for (const FieldInfo& field : dataset.fields()) {
      fields.push_back(Json::Members{{"name", field.name}, {"kind", name_of(field.kind)}});
    }
    print_document(Json::Members{{"format", "source"},
                                 {"fingerprint", dataset.fingerprint()},
                                 {"samples", dataset.size()},
                                 {"fields", std::move(fields)},
                                 {"classes", as_json(dataset.classes())},
                                 {"warnings", as_json(dataset.warnings())}});
    return kSuccess;
  }
  print_line(stdout, "{}: {} samples, not a store", arguments.path, dataset.size());
  print_line(stdout, "  fingerprint {}", dataset.fingerprint());
  for (const FieldInfo& field : dataset.fields()) {
    print_line(stdout, "  field       {} ({})", printable(field.name), name_of(field.kind));
  }
  return kSuccess;
}

int run(const InfoArguments& arguments) {
  const auto dataset = Dataset::open(arguments.path);
  if (!dataset.ok()) {
    return fail(dataset.error(), arguments.json);
  }
  print_warnings(dataset->warnings(), arguments.json);
  if (const auto named = find_named(arguments.path); !named.ok() || !is_store(*named)) {
    return run_dataset(*dataset, arguments);
  }
  const auto info = store_info(arguments.path);
  if (!info.ok()) {
    return fail(info.error(), arguments.json);
  }
  if (arguments.json) {
    print_document(document_of(*info, dataset->warnings()));
  } else {
    print(*info, arguments.path);
  }
  return kSuccess;
}

}  // namespace

void add_info(CLI::App& app, int& code) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* const verb = app.add_subcommand("info", "show what a data set contains");
  verb->add_option("path", arguments->path, "a store, or any other source")->required();
  verb->add_flag("--json", arguments->json, "print one JSON document");
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
