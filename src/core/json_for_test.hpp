#pragma once
// Just enough JSON to read expected.json of the fixtures.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::inline v0 {

struct JsonForTest {
  enum class Kind : std::uint8_t { null, boolean, number, text, list, object } kind = Kind::null;
  double number = 0;  ///< also 0 or 1 for a boolean
  std::string text;
  std::vector<std::string> names;  ///< of the items of an object
  std::vector<JsonForTest> items;

  const JsonForTest* find(std::string_view key) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == key) {
        return &items[i];
      }
    }
    return nullptr;
  }
  const JsonForTest& operator[](std::string_view key) const {
    static const JsonForTest kNull;
    const JsonForTest* const found = find(key);
    return found != nullptr ? *found : kNull;
  }

  static JsonForTest parse(std::string_view text) {
    std::size_t at = 0;
    return value(text, at);
  }

 private:
  static void skip_space(std::string_view text, std::size_t& at) {
    while (at < text.size() && std::string_view(" \t\r\n,:").find(text[at]) != std::string_view::npos) {
      ++at;
    }
  }

  static void append_utf8(std::string& out, unsigned code) {
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      out += static_cast<char>(0xE0 | (code >> 12));
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  static std::string string(std::string_view text, std::size_t& at) {
    std::string out;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] != '\\') {
        out += text[at];
        continue;
      }
      switch (text[++at]) {
        case 'n':
          out += '\n';
          break;
        case 't':
          out += '\t';
          break;
        case 'u':
          append_utf8(out, static_cast<unsigned>(
                               std::strtoul(std::string(text.substr(at + 1, 4)).c_str(), nullptr, 16)));
          at += 4;
          break;
        default:
          out += text[at];
      }
    }
    ++at;
    return out;
  }

  static JsonForTest value(std::string_view text, std::size_t& at) {
    JsonForTest result;
    skip_space(text, at);
    if (at >= text.size()) {
      return result;
    }
    if (text[at] == '{' || text[at] == '[') {
      const bool object = text[at] == '{';
      result.kind = object ? Kind::object : Kind::list;
      ++at;
      for (skip_space(text, at); at < text.size() && text[at] != '}' && text[at] != ']';
           skip_space(text, at)) {
        if (object) {
          result.names.push_back(string(text, at));
        }
        result.items.push_back(value(text, at));
      }
      ++at;
    } else if (text[at] == '"') {
      result.kind = Kind::text;
      result.text = string(text, at);
    } else {
      const std::size_t begin = at;
      while (at < text.size() && std::string_view(",]} \n\r\t").find(text[at]) == std::string_view::npos) {
        ++at;
      }
      const std::string word(text.substr(begin, at - begin));
      const bool boolean = word == "true" || word == "false";
      result.kind = word == "null" ? Kind::null : boolean ? Kind::boolean : Kind::number;
      result.number = boolean ? word == "true" : std::strtod(word.c_str(), nullptr);
    }
    return result;
  }
};

}  // namespace penstock::inline v0
