#include "formats/tar_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "formats/table_base.hpp"
#include "formats/text.hpp"
#include "formats/webdataset.hpp"

namespace penstock::inline v0 {
namespace {

struct DefaultField {
  std::string_view name;
  std::uint64_t samples = 0;
  std::vector<std::uint16_t> extensions;
};

std::vector<DefaultField> default_fields(const TarIndex& index) {
  std::vector<DefaultField> fields;
  std::unordered_map<std::string_view, std::size_t> numbers;
  const auto extensions = index.extensions();
  for (std::size_t e = 0; e < extensions.size() && e <= UINT16_MAX; ++e) {
    if (extensions[e].has_field == 0) {
      continue;
    }
    const std::string_view name = index.text(extensions[e].field);
    const auto [entry, is_new] = numbers.try_emplace(name, fields.size());
    if (is_new) {
      fields.push_back({.name = name, .samples = 0, .extensions = {}});
    }
    fields[entry->second].samples += extensions[e].samples;
    fields[entry->second].extensions.push_back(static_cast<std::uint16_t>(e));
  }
  return fields;
}

FieldKind kind_of(const TarIndex& index, std::uint16_t extension) {
  return default_field(index.text(index.extensions()[extension].extension)).kind;
}

FieldSpec spec_of(std::string name, FieldKind kind) {
  using Encoding = FieldSpec::Encoding;
  switch (kind) {
    case FieldKind::integer:
    case FieldKind::real:
    case FieldKind::text:
    case FieldKind::json:
      return FieldSpec::of({std::move(name), kind}, Encoding::text);
    case FieldKind::array:
      return FieldSpec::of({std::move(name), kind}, Encoding::npy);
    default:
      return FieldSpec::of({std::move(name), kind}, Encoding::file);
  }
}

std::string list_fields(const TarIndex& index, const std::vector<DefaultField>& fields) {
  constexpr std::size_t kShown = 20;
  std::string list;
  for (std::size_t f = 0; f < fields.size() && f < kShown; ++f) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", printable(fields[f].name));
    std::string extensions;
    for (const std::uint16_t e : fields[f].extensions) {
      const std::string_view extension = index.text(index.extensions()[e].extension);
      if (extension != fields[f].name) {
        extensions += fmt::format("{}{}", extensions.empty() ? "" : ", ", extension);
      }
    }
    list += extensions.empty() ? "" : fmt::format(" ({})", extensions);
  }
  return fields.size() > kShown ? fmt::format("{} and {} more", list, fields.size() - kShown) : list;
}

Result<TarFields> all_of_every_sample(const TarIndex& index, const std::vector<DefaultField>& defaults) {
  constexpr std::size_t kShown = 8;
  TarFields chosen;
  std::string some;
  std::size_t left_out = 0;
  for (const DefaultField& field : defaults) {
    if (field.samples == index.size()) {
      chosen.fields.push_back(spec_of(std::string(field.name), kind_of(index, field.extensions[0])));
      chosen.extensions.push_back(field.extensions);
    } else if (left_out++ < kShown) {
      some += fmt::format("{}{} ({} of {} samples)", some.empty() ? "" : ", ", printable(field.name),
                          field.samples, index.size());
    }
  }
  if (chosen.fields.size() > kMaxUnchosenFields) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("every sample has {} fields, over the limit of {}",
                                        chosen.fields.size(), kMaxUnchosenFields),
                 .advice = "choose some",
                 .place = {.stage = "open"}};
  }
  if (left_out > 0) {
    chosen.left_out = fmt::format("fields that not all samples have are left out unless chosen: {}{}", some,
                                  left_out > kShown ? fmt::format(" and {} more", left_out - kShown) : "");
  }
  return chosen;
}

}  // namespace

Result<TarFields> choose_tar_fields(const TarIndex& index, const FieldChoice& choice) {
  const std::vector<DefaultField> defaults = default_fields(index);
  if (choice.empty()) {
    return all_of_every_sample(index, defaults);
  }
  PENSTOCK_TRY(check_field_choice(choice));
  TarFields chosen;
  for (const auto& [name, wanted_text] : choice) {
    const std::string_view wanted = wanted_text;  // clang 14 captures no structured binding
    const auto field = std::find_if(defaults.begin(), defaults.end(),
                                    [&](const DefaultField& f) { return f.name == wanted; });
    std::vector<std::uint16_t> extensions;
    if (field != defaults.end()) {
      extensions = field->extensions;
    } else {
      const std::string lower = lower_case(wanted);
      for (std::size_t e = 0; e < index.extensions().size() && e <= UINT16_MAX; ++e) {
        if (index.text(index.extensions()[e].extension) == lower) {
          extensions.push_back(static_cast<std::uint16_t>(e));
        }
      }
    }
    if (extensions.empty()) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("no sample has the field or extension '{}'", printable(wanted)),
                   .advice = fmt::format("available: {}", list_fields(index, defaults)),
                   .place = {.stage = "open"}};
    }
    chosen.fields.push_back(spec_of(name, kind_of(index, extensions[0])));
    chosen.fields.back().chosen_by = wanted;
    chosen.extensions.push_back(std::move(extensions));
  }
  return chosen;
}

}  // namespace penstock::inline v0
