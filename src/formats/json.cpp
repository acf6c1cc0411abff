#include "formats/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/printable.hpp"
#include "core/utf8.hpp"

namespace penstock::inline v0 {
namespace {

void write_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    const std::size_t length = character_size(text);
    if (length == 0) {
      out += fmt::format("\\udc{:02x}", c);
    } else if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c == '\n') {
      out += "\\n";
    } else if (const std::uint32_t code = character_code(text.substr(0, length)); !is_harmless(code)) {
      out += fmt::format("\\u{:04x}", code);  // the same value, and nothing that a terminal obeys
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

}  // namespace

Json::Json(std::int64_t value) {
  if (value >= 0) {
    value_ = static_cast<std::uint64_t>(value);
  } else {
    value_ = value;
  }
}

std::optional<std::uint64_t> Json::whole() const noexcept {
  const auto* const number = std::get_if<std::uint64_t>(&value_);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<double> Json::number() const noexcept {
  if (const auto* const fraction = std::get_if<double>(&value_)) {
    return *fraction;
  }
  if (const std::int64_t* const below_zero = negative()) {
    return static_cast<double>(*below_zero);
  }
  const std::optional<std::uint64_t> count = whole();
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

const Json* Json::find(std::string_view name) const noexcept {
  if (const Members* const all = members()) {
    for (const auto& [key, value] : *all) {
      if (key == name) {
        return &value;
      }
    }
  }
  return nullptr;
}

bool Json::holds_others() const noexcept {
  const auto nested = [](const Json& item) { return item.list() != nullptr || item.members() != nullptr; };
  if (const List* const items = list()) {
    return std::any_of(items->begin(), items->end(), nested);
  }
  if (const Members* const all = members()) {
    return std::any_of(all->begin(), all->end(), [&](const auto& member) { return nested(member.second); });
  }
  return false;
}

std::string Json::text(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

void Json::write(std::string& out, int indent, int depth) const {
  const bool lines = indent > 0 && holds_others();
  const auto separate = [&](std::size_t number, int level) {
    if (number > 0) {
      out += lines ? "," : ", ";
    }
    if (lines) {
      out += '\n';
      out.append(static_cast<std::size_t>(indent * level), ' ');
    }
  };
  const auto close = [&](bool empty, char bracket) {
    if (!empty) {
      if (lines) {
        out += '\n';
        out.append(static_cast<std::size_t>(indent * depth), ' ');
      }
    }
    out += bracket;
  };
  if (const List* const items = list()) {
    out += '[';
    for (std::size_t i = 0; i < items->size(); ++i) {
      separate(i, depth + 1);
      (*items)[i].write(out, indent, depth + 1);
    }
    close(items->empty(), ']');
  } else if (const Members* const all = members()) {
    out += '{';
    for (std::size_t i = 0; i < all->size(); ++i) {
      separate(i, depth + 1);
      write_string(out, (*all)[i].first);
      out += ": ";
      (*all)[i].second.write(out, indent, depth + 1);
    }
    close(all->empty(), '}');
  } else if (const std::string* const words = string()) {
    write_string(out, *words);
  } else if (is_null()) {
    out += "null";
  } else if (const bool* const truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else if (const auto* const whole = std::get_if<std::uint64_t>(&value_)) {
    out += std::to_string(*whole);
  } else if (const auto* const negative = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*negative);
  } else {
    const double number = std::get<double>(value_);
    out += std::isfinite(number) ? fmt::format("{}", number) : "null";  // JSON has no infinity
  }
}

}  // namespace penstock::inline v0
