#include "formats/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/printable.hpp"
#include "formats/json_reader.hpp"

namespace penstock::inline v0 {
namespace {

using Token = JsonReader::Token;

constexpr std::size_t kMaxObjectNames = 256;  // of one object, as Json has it

/// A text is read to its end whatever the path leads to, so that what is not JSON is told first.
class PathReader {
 public:
  PathReader(std::string_view text, const std::string& path, AnnotationMemory& memory)
      : reader_(text), path_(path), memory_(memory) {
    memory_.names.clear();
    memory_.unescaped.clear();
  }

  /// Calls take(token) for every value that the path leads to; it reads to the end of the value.
  template <class Take>
  Status read(Take&& take) {
    PENSTOCK_TRY(walk(reader_.next(), path_, take));
    if (reader_.next() != Token::end) {
      return reader_.error();
    }
    return status();
  }
  Status status() const { return wrong_ ? Status(*wrong_) : Status(); }

  Token next() { return reader_.next(); }

  /// Takes note of the first thing that is wrong with what the path leads to.
  void wrong(std::string_view what) {
    if (!wrong_) {
      wrong_ = Error{.kind = ErrorKind::corrupt,
                     .message = fmt::format("path '{}': {}", printable(path_), what),
                     .advice = {},
                     .place = {.stage = "decode"}};
    }
  }

  /// The number that was read.
  Status number(double& value) const {
    const std::string_view written = reader_.written();
    const char* const end = written.data() + written.size();
    const auto [stop, problem] = std::from_chars(written.data(), end, value);
    if (problem != std::errc() || stop != end || !std::isfinite(value)) {
      return reader_.error("number too large");
    }
    value = written == "-0" ? 0.0 : value;  // an integer, which has no sign then
    return {};
  }
  std::string_view written() const noexcept { return reader_.written(); }

  /// To the end of the value that begins with this token.
  Status skip(Token token) {
    const auto skip_next = [this](Token inner) { return skip(inner); };
    switch (token) {
      case Token::begin_list:
        return each_item(skip_next);
      case Token::begin_object:
        return each_member([&](std::string_view) { return skip(reader_.next()); });
      case Token::number: {
        double value = 0;
        return number(value);
      }
      case Token::null:
      case Token::boolean:
      case Token::text:
        return {};
      default:  // no other token comes where a value is expected
        return reader_.error();
    }
  }

  /// Calls use(token) for each item of a list whose bracket was read.
  template <class Use>
  Status each_item(Use&& use) {
    for (Token token = reader_.next(); token != Token::end_list; token = reader_.next()) {
      PENSTOCK_TRY(use(token));
    }
    return {};
  }

 private:
  template <class Use>
  Status each_member(Use&& use) {
    const std::size_t first = memory_.names.size();
    for (Token token = reader_.next(); token != Token::end_object; token = reader_.next()) {
      if (token == Token::wrong) {
        return reader_.error();
      }
      const std::string_view name = this->name();
      const auto begin = memory_.names.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::find(begin, memory_.names.end(), name) != memory_.names.end()) {
        return reader_.error("duplicate member");
      }
      if (memory_.names.size() - first == kMaxObjectNames) {
        return reader_.error("an object has too many members");
      }
      memory_.names.push_back(name);
      PENSTOCK_TRY(use(name));
    }
    memory_.names.resize(first);
    return {};
  }

  std::string_view name() {
    const std::string_view written = reader_.written();
    if (written.find('\\') == std::string_view::npos) {
      return written;
    }
    return memory_.unescaped.emplace_back(reader_.unescaped());
  }

  template <class Take>
  Status walk(Token token, std::string_view rest, Take&& take) {
    if (wrong_) {
      return skip(token);
    }
    if (rest.empty()) {
      return take(token);
    }
    const std::size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const std::string_view after = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    if (token == Token::begin_list) {
      return name == "*" ? each_item([&](Token item) { return walk(item, after, take); })
                         : walk_place(name, after, take);
    }
    bool found = false;
    if (token == Token::begin_object) {
      PENSTOCK_TRY(each_member([&](std::string_view member) {
        found = found || member == name;
        return member == name ? walk(reader_.next(), after, take) : skip(reader_.next());
      }));
    } else {
      PENSTOCK_TRY(skip(token));
    }
    if (!found) {
      wrong(name == "*" ? "'*' stands for the elements of a list, and there is none"
                        : fmt::format("there is no '{}'", printable(std::string(name))));
    }
    return {};
  }

  /// One element of the list.
  template <class Take>
  Status walk_place(std::string_view name, std::string_view after, Take&& take) {
    std::size_t place = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), place);
    const bool is_place = problem == std::errc() && end == name.data() + name.size();
    std::size_t count = 0;
    PENSTOCK_TRY(each_item(
        [&](Token item) { return count++ == place && is_place ? walk(item, after, take) : skip(item); }));
    if (!is_place || count <= place) {
      wrong(fmt::format("a list of {} has no '{}'", count, printable(std::string(name))));
    }
    return {};
  }

  JsonReader reader_;
  const std::string& path_;
  AnnotationMemory& memory_;
  std::optional<Error> wrong_;
};

/// In float32, as torchvision converts boxes.
void to_corners(BoxFormat format, float* box) {
  if (format == BoxFormat::xywh) {
    box[2] += box[0];
    box[3] += box[1];
  } else if (format == BoxFormat::cxcywh) {
    const float half_width = 0.5F * box[2], half_height = 0.5F * box[3];
    const float x = box[0], y = box[1];
    box[0] = x - half_width;
    box[1] = y - half_height;
    box[2] = x + half_width;
    box[3] = y + half_height;
  }
}

/// Boxes or key points at the end of a path.
class ItemReader {
 public:
  ItemReader(PathReader& in, const AnnotationSpec& spec, Annotations& out)
      : in_(in), spec_(spec), out_(out) {}

  Status take(Token token) {
    const bool several = spec_.path.find('*') != std::string::npos;
    const std::size_t before = out_.count;
    const bool points = spec_.kind == AnnotationKind::keypoints;
    PENSTOCK_TRY(take(token, points && !several));
    if (points && several) {
      add_group(before);
    }
    return {};
  }

 private:
  /// One box or key point, or several. `groups`: the key points of each element belong together.
  Status take(Token token, bool groups) {
    if (token != Token::begin_list) {
      in_.wrong("there is no list");
      return in_.skip(token);
    }
    token = in_.next();
    if (token != Token::begin_list) {
      const std::size_t before = out_.count;
      PENSTOCK_TRY(take_numbers(token));
      if (groups) {
        add_group(before);
      }
      return {};
    }
    for (; token != Token::end_list; token = in_.next()) {
      const std::size_t before = out_.count;
      PENSTOCK_TRY(take(token, false));
      if (groups) {
        add_group(before);
      }
    }
    return {};
  }

  void add_group(std::size_t before) {
    out_.groups.push_back(static_cast<std::uint32_t>(out_.count - before));
  }

  /// A list of numbers whose first element begins with this token.
  Status take_numbers(Token token) {
    std::vector<double>& list = out_.memory.list;
    list.clear();
    for (; token != Token::end_list; token = in_.next()) {
      double value = NAN;  // of what is none; JSON has no other
      PENSTOCK_TRY(token == Token::number ? in_.number(value) : in_.skip(token));
      list.push_back(value);
    }
    const bool boxes = spec_.kind == AnnotationKind::boxes;
    const std::size_t each = numbers_each(spec_.kind);
    // Key points may have a third number, and then follow each other: COCO's visibility.
    const std::size_t stride = boxes || list.size() % 3 != 0 ? each : 3;
    if (list.size() % stride != 0 || ((boxes || stride == each) && list.size() > stride)) {
      in_.wrong(fmt::format("{} numbers are not {}", list.size(),
                            boxes ? "a box, which has 4" : "a key point, which has 2 or 3"));
      return {};
    }
    for (std::size_t first = 0; first < list.size(); first += stride) {
      for (std::size_t i = first; i < first + each; ++i) {
        if (std::isnan(list[i])) {
          in_.wrong("something is not a number");
        }
        out_.numbers.push_back(static_cast<float>(list[i]));
      }
      if (boxes) {
        to_corners(spec_.format, out_.numbers.data() + out_.numbers.size() - each);
      }
      ++out_.count;
    }
    return {};
  }

  PathReader& in_;
  const AnnotationSpec& spec_;
  Annotations& out_;
};

Status take_labels(PathReader& in, Token token, std::vector<std::int64_t>& labels) {
  if (token == Token::begin_list) {
    return in.each_item([&](Token item) { return take_labels(in, item, labels); });
  }
  std::int64_t label = 0;
  const std::string_view written = in.written();
  const char* const end = written.data() + written.size();
  if (token == Token::number) {
    if (const auto [stop, problem] = std::from_chars(written.data(), end, label);
        problem == std::errc() && stop == end) {
      labels.push_back(label);
      return {};
    }
  }
  in.wrong("a label is not an integer of 64 bits");
  return in.skip(token);
}

}  // namespace

Status check_annotations(const AnnotationSpec& spec) {
  for (const std::string* path : {&spec.path, &spec.labels}) {
    if (path->starts_with('.') || path->ends_with('.') || path->find("..") != std::string::npos) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("the path '{}' has an empty part", printable(*path)),
                   .advice = "use names, places in lists and *, joined by dots: \"annotations.*.bbox\"",
                   .place = {.stage = "open"}};
    }
  }
  return {};
}

Status read_annotations(ByteSpan json, const AnnotationSpec& spec, Annotations& out) {
  out.numbers.clear();
  out.labels.clear();
  out.groups.clear();
  out.count = 0;
  const std::string_view text(reinterpret_cast<const char*>(json.data()), json.size());
  {
    PathReader in(text, spec.path, out.memory);
    ItemReader items(in, spec, out);
    PENSTOCK_TRY(in.read([&](Token token) { return items.take(token); }));
  }
  if (spec.labels.empty()) {
    return {};
  }
  PathReader in(text, spec.labels, out.memory);
  PENSTOCK_TRY(in.read([&](Token token) { return take_labels(in, token, out.labels); }));
  if (out.labels.size() != out.count) {
    in.wrong(fmt::format("{} labels for {} boxes", out.labels.size(), out.count));
  }
  return in.status();
}

}  // namespace penstock::inline v0
