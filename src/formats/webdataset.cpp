#include "formats/webdataset.hpp"

#include <algorithm>
#include <array>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"

namespace penstock::inline v0 {
namespace {

struct NamedExtension {
  std::string_view extension;
  std::string_view field;
  FieldKind kind;
};

/// Beside those of images and recordings, which their catalogues list.
constexpr std::array kNamedTexts = {
    NamedExtension{"cls", "label", FieldKind::integer}, NamedExtension{"json", "json", FieldKind::json},
    NamedExtension{"txt", "text", FieldKind::text}, NamedExtension{"text", "text", FieldKind::text}};
constexpr std::array kTypedTexts = {
    NamedExtension{"jsn", "", FieldKind::json},     NamedExtension{"transcript", "", FieldKind::text},
    NamedExtension{"cls2", "", FieldKind::integer}, NamedExtension{"index", "", FieldKind::integer},
    NamedExtension{"inx", "", FieldKind::integer},  NamedExtension{"id", "", FieldKind::integer},
    NamedExtension{"npy", "", FieldKind::array},    NamedExtension{"float", "", FieldKind::real}};

using NamedExtensions = std::vector<NamedExtension>;

template <class Texts>
NamedExtensions with_media(InTars in_tars, const Texts& texts) {
  NamedExtensions all(texts.begin(), texts.end());
  const auto add = [&](const std::vector<FileExtension>& extensions, std::string_view field, FieldKind kind) {
    for (const FileExtension& extension : extensions) {
      if (extension.in_tars == in_tars) {
        all.push_back({extension.text, field, kind});
      }
    }
  };
  add(image_catalog().extensions(), "image", FieldKind::image);
  add(audio_catalog().extensions(), "audio", FieldKind::audio);
  return all;
}

/// Extensions with a field name of their own, in order of preference where several share one.
const NamedExtensions& named_extensions() {
  static const NamedExtensions all = with_media(InTars::shared_field, kNamedTexts);
  return all;
}

/// Further last components that say what a value is; the field keeps its full name.
const NamedExtensions& typed_extensions() {
  static const NamedExtensions all = with_media(InTars::own_field, kTypedTexts);
  return all;
}

const NamedExtension* find(const NamedExtensions& table, std::string_view extension) noexcept {
  const auto found = std::find_if(table.begin(), table.end(), [extension](const NamedExtension& entry) {
    return entry.extension == extension;
  });
  return found == table.end() ? nullptr : &*found;
}

FieldKind kind_of(std::string_view extension) {
  const std::string_view last = extension.substr(extension.rfind('.') + 1);
  if (const NamedExtension* const named = find(named_extensions(), last)) {
    return named->kind;
  }
  const NamedExtension* const typed = find(typed_extensions(), last);
  return typed != nullptr ? typed->kind : FieldKind::bytes;
}

bool is_metadata(std::string_view path) noexcept {
  const std::string_view first = path.substr(0, path.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

std::size_t begin_of_file_name(std::string_view path) noexcept { return path.rfind('/') + 1; }

constexpr std::string_view kBesideMark = "._";

}  // namespace

bool is_named_by_desktop(std::string_view path) noexcept {
  const std::string_view file = path.substr(begin_of_file_name(path));
  return file == ".DS_Store" || file == "Thumbs.db" || file == "desktop.ini" || path.starts_with("__MACOSX/");
}

std::string companion_of(std::string_view path) {
  const std::size_t start = begin_of_file_name(path);
  return path.substr(start).starts_with(kBesideMark)
             ? std::string(path.substr(0, start)).append(path.substr(start + kBesideMark.size()))
             : std::string();
}

std::optional<MemberName> split_member_name(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = path.find('.', start);
  if (dot == std::string_view::npos || is_metadata(path) || is_named_by_desktop(path)) {
    return {};
  }
  if (dot == start) {
    // A hidden file belongs to its folder, unless that is the top or has a dot in its own name.
    if (start == 0) {
      return {};
    }
    const std::string_view folder = path.substr(0, slash);
    if (folder.substr(folder.rfind('/') + 1).find('.') != std::string_view::npos) {
      return {};
    }
  }
  return MemberName{path.substr(0, dot), path.substr(dot + 1)};
}

FieldInfo default_field(std::string_view extension) {
  if (const NamedExtension* const named = find(named_extensions(), extension)) {
    return {std::string(named->field), named->kind};
  }
  return {std::string(extension), kind_of(extension)};
}

std::vector<std::string_view> extensions_named(std::string_view field) {
  std::vector<std::string_view> extensions;
  for (const NamedExtension& entry : named_extensions()) {
    if (entry.field == field) {
      extensions.push_back(entry.extension);
    }
  }
  return extensions;
}

bool shares_default_field(std::string_view extension) {
  return find(named_extensions(), extension) != nullptr;
}

std::vector<std::optional<std::string>> name_fields(
    const std::vector<std::string>& extensions,
    const std::vector<std::pair<std::uint16_t, std::uint16_t>>& together) {
  const auto meet = [&together](std::size_t a, std::size_t b) {
    return std::any_of(together.begin(), together.end(), [a, b](const auto& pair) {
      return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
    });
  };
  std::vector<std::optional<std::string>> names(extensions.size());
  std::vector<std::pair<std::string_view, std::vector<std::size_t>>> shared;  // field and who has joined
  for (const NamedExtension& entry : named_extensions()) {
    const auto found = std::find(extensions.begin(), extensions.end(), entry.extension);
    if (found == extensions.end()) {
      continue;
    }
    const std::size_t number = static_cast<std::size_t>(found - extensions.begin());
    auto group = std::find_if(shared.begin(), shared.end(),
                              [&entry](const auto& g) { return g.first == entry.field; });
    if (group == shared.end()) {
      group = shared.insert(shared.end(), {entry.field, {}});
    }
    if (std::none_of(group->second.begin(), group->second.end(),
                     [&](std::size_t joined) { return meet(joined, number); })) {
      group->second.push_back(number);
      names[number] = std::string(entry.field);
    }
  }
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    const bool taken = std::any_of(shared.begin(), shared.end(),
                                   [&](const auto& group) { return group.first == extensions[i]; });
    if (!names[i] && !taken) {
      names[i] = extensions[i];
    }
  }
  return names;
}

}  // namespace penstock::inline v0
