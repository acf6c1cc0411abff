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

Error mixed_formats(const NamedPath& first, const Format& format, const NamedPath& entry,
                    const Format& other) {
  return {
      .kind = ErrorKind::unsupported,
      .message = fmt::format("sources of different formats cannot be opened together: '{}' ({}), '{}' ({})",
                             printable_path(first.path), format.name, printable_path(entry.path), other.name),
      .advice = "open the sources of each format by themselves",
      .place = {.source = entry.named, .shard = entry.path, .stage = "open"}};
}

Result<const Format*> format_of(const NamedPath& path, bool among_many,
                                std::span<const Format* const> catalogue) {
  const Candidate candidate(path);
  for (const Format* const format : catalogue) {
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
               .message = "the format of the source is not recognised",
               .place = {.source = path.named, .shard = path.path, .stage = "open"}};
}

}  // namespace

Result<const Format*> find_format(const std::vector<NamedPath>& sources,
                                  std::span<const Format* const> catalogue) {
  const bool among_many = sources.size() > 1;
  const Format* first = nullptr;
  for (const NamedPath& entry : sources) {
    PENSTOCK_ASSIGN(const Format* const format, format_of(entry, among_many, catalogue));
    if (among_many && format->alone) {
      return opened_alone(entry, *format->alone, sources.size());
    }
    if (first != nullptr && format != first) {
      return mixed_formats(sources.front(), *first, entry, *format);
    }
    first = format;
  }
  return first;
}

Result<std::unique_ptr<SampleTable>> open_samples(const std::vector<std::string>& sources,
                                                  const OpenOptions& options, const Storages& storages) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_ASSIGN(const std::vector<NamedPath> found, resolve_sources(sources, storages));
  PENSTOCK_ASSIGN(const Format* const format, find_format(found, formats()));
  return format->open(found, options);
}

}  // namespace penstock::inline v0
