#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/cpu.hpp"
#include "formats/format.hpp"
#include "formats/sample_table.hpp"
#include "formats/source_list.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

Error opened_alone(const NamedPath& entry, const Format::Alone& alone, std::size_t sources) {
  return {
      .kind = ErrorKind::unsupported,
      .message = fmt::format("'{}' is {}, among {} sources", printable_path(entry.path), alone.what, sources),
      .advice = alone.advice,
      .place = {.source = entry.named, .shard = entry.path, .stage = "open"}};
}

/// The error is that of a path which no format knows: there is none, since files are taken for tars and
/// folders for class folders at last.
Result<const Format*> format_of(const NamedPath& path, bool among_many) {
  const Candidate candidate(path);
  for (const Format* const format : formats()) {
    const auto recognised = format->recognise(candidate, among_many);
    if (!recognised.ok()) {
      Error error = recognised.error();
      error.place.source = path.named;
      return error;
    }
    if (*recognised) {
      return format;
    }
  }
  return Error{.kind = ErrorKind::unsupported,
               .message = "is of no format that can be read",
               .place = {.source = path.named, .shard = path.path, .stage = "open"}};
}

}  // namespace

Result<std::unique_ptr<SampleTable>> open_samples(const std::vector<std::string>& sources,
                                                  const FieldChoice& fields, const Storages& storages) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_ASSIGN(const std::vector<NamedPath> found, resolve_sources(sources, storages));
  const bool among_many = found.size() > 1;
  const Format* format = nullptr;
  for (const NamedPath& entry : found) {
    PENSTOCK_ASSIGN(format, format_of(entry, among_many));
    if (among_many && format->alone) {
      return opened_alone(entry, *format->alone, found.size());
    }
  }
  return format->open(found, fields);
}

}  // namespace penstock::inline v0
