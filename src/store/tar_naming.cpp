#include "store/tar_naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"
#include "formats/text.hpp"
#include "formats/webdataset.hpp"

namespace penstock::inline v0 {
namespace {

/// What a file of this kind usually ends in; empty where nothing says the kind.
std::string usual_extension(FieldKind kind, ByteSpan file) {
  switch (kind) {
    case FieldKind::image:
      return std::string(image_catalog().extension_for(file));
    case FieldKind::audio:
      return std::string(audio_catalog().extension_for(file));
    case FieldKind::integer:
      return "cls";
    case FieldKind::json:
      return "json";
    case FieldKind::text:
      return "txt";
    default:
      return {};
  }
}

template <class List, class Item>
bool is_among(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

using Pairs = std::vector<std::pair<std::uint16_t, std::uint16_t>>;

/// The extensions of a sample that share a default field, as the index of tar shards lists them.
void add_pairs(const std::vector<std::string>& sample, const std::vector<std::string>& all, Pairs& together) {
  const auto number = [&all](const std::string& extension) {
    return static_cast<std::uint16_t>(std::find(all.begin(), all.end(), extension) - all.begin());
  };
  for (std::size_t a = 0; a < sample.size(); ++a) {
    for (std::size_t b = a + 1; b < sample.size(); ++b) {
      if (shares_default_field(sample[a]) && shares_default_field(sample[b]) &&
          default_field(sample[a]).name == default_field(sample[b]).name) {
        together.emplace_back(number(sample[a]), number(sample[b]));
      }
    }
  }
}

}  // namespace

TarNaming::TarNaming(std::vector<FieldInfo> fields) : fields_(std::move(fields)) {
  for (const FieldInfo& field : fields_) {
    rules_.push_back(rule_for(field));
  }
  // Of the extensions of one name that a sample has, the first in order of preference takes the name: a
  // field `image` beside a field `png` must not be written as png or webp.
  for (Rule& rule : rules_) {
    const auto is_taken = [this](const std::string& extension) {
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (rules_[i].own_name && fields_[i].name == extension) {
          return true;
        }
      }
      return false;
    };
    const auto taken = std::find_if(rule.shared.begin(), rule.shared.end(), is_taken);
    if (taken != rule.shared.begin()) {
      rule.shared.erase(taken, rule.shared.end());
    } else {
      std::erase_if(rule.shared, is_taken);
    }
  }
}

TarNaming::Rule TarNaming::rule_for(const FieldInfo& field) const {
  const auto shared = extensions_named(field.name);
  if (!shared.empty() && default_field(shared.front()) == field) {
    return {.shared = {shared.begin(), shared.end()}};
  }
  const FieldInfo read = default_field(field.name);
  if (read == field || usual_extension(field.kind, {}).empty()) {
    return {.own_name = true};
  }
  // A mask beside its image: png keeps its own name where jpg takes that of both.
  return {.own_name =
              read.kind == field.kind && has(read) && extensions_named(read.name).front() != field.name};
}

bool TarNaming::has(const FieldInfo& field) const { return is_among(fields_, field); }

std::string TarNaming::extension(std::size_t field, ByteSpan file) {
  const std::string& name = fields_[field].name;
  Rule& rule = rules_[field];
  if (rule.own_name) {
    return name;
  }
  const std::string usual = usual_extension(fields_[field].kind, file);
  if (!rule.shared.empty()) {
    return is_among(rule.shared, usual) ? usual : rule.shared.front();
  }
  if (rule.suffix.empty()) {
    rule.suffix = usual;  // the same for all samples, so that they have one field
  }
  return name + "." + rule.suffix;
}

void TarNaming::note(std::vector<std::string> extensions) {
  for (std::string& extension : extensions) {
    extension = lower_case(extension);
  }
  written_.insert(std::move(extensions));
}

std::vector<std::string> TarNaming::renamed() const {
  std::vector<std::string> all;
  for (const std::vector<std::string>& sample : written_) {
    std::copy_if(sample.begin(), sample.end(), std::back_inserter(all),
                 [&all](const std::string& extension) { return !is_among(all, extension); });
  }
  Pairs together;
  for (const std::vector<std::string>& sample : written_) {
    add_pairs(sample, all, together);
  }
  const std::vector<std::optional<std::string>> names = name_fields(all, together);
  std::vector<std::string> lines;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    std::set<std::string> changed;
    for (const std::vector<std::string>& sample : written_) {
      const auto at =
          static_cast<std::size_t>(std::find(all.begin(), all.end(), sample[field]) - all.begin());
      const FieldInfo read{names[at].value_or(""), default_field(all[at]).kind};
      if (read != fields_[field]) {
        changed.insert(read.name.empty()
                           ? "no field"
                           : fmt::format("'{}' ({})", printable(read.name), name_of(read.kind)));
      }
    }
    if (!changed.empty()) {
      lines.push_back(fmt::format("field '{}' ({}) is read from the tars as {}: choose and name fields there",
                                  printable(fields_[field].name), name_of(fields_[field].kind),
                                  fmt::join(changed, ", ")));
    }
  }
  return lines;
}

}  // namespace penstock::inline v0
