#include "formats/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/printable.hpp"
#include "formats/field_value.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

using Token = JsonReader::Token;

/// What a value is that begins with this token.
const char* words_for(Token token) noexcept {
  switch (token) {
    case Token::null:
      return "null";
    case Token::boolean:
      return "true or false";
    case Token::number:
      return "a number";
    case Token::text:
      return "text";
    case Token::begin_list:
      return "a list";
    default:
      return "an object";
  }
}

/// A text is read to its end whatever the path leads to, so that what is not JSON is told first. What reads
/// returns false where it is none.
class PathReader {
 public:
  PathReader(const JsonText& json, const std::string& path, Annotations& out)
      : json_(json), path_(path), reader_(out.memory.reader), out_(out) {
    reader_.restart(json.text);
  }

  /// Calls take(token) for every value that the path leads to; it reads to the end of the value.
  template <class Take>
  bool read(Take&& take) {
    return walk(next(), path_, take) && next() == Token::end;
  }
  Status status() const { return wrong_ ? Status(*wrong_) : Status(); }

  Token next() { return reader_.next(); }
  std::string_view written() const noexcept { return reader_.written(); }
  /// Where the value begins that was read last.
  std::size_t begin() const noexcept { return reader_.begin(); }

  /// Takes note of the first thing that is wrong with what the path leads to.
  void wrong(std::optional<std::size_t> at, std::string_view what) {
    if (!wrong_) {
      const std::string place = at ? ", at " + json_.byte_in_words(*at) : "";
      wrong_ = Error{.kind = ErrorKind::corrupt,
                     .message = fmt::format("path '{}': {}{}", printable(path_), what, place),
                     .advice = {},
                     .place = {.stage = "decode"}};
    }
  }

  /// To the end of the value that begins with this token.
  bool skip(Token token) {
    for (std::size_t open = 0;; token = next()) {
      if (token == Token::wrong) {
        return false;
      }
      open += token == Token::begin_list || token == Token::begin_object ? 1 : 0;
      open -= token == Token::end_list || token == Token::end_object ? 1 : 0;
      if (open == 0) {
        return true;
      }
    }
  }

  /// Calls use(token) for each item of a list whose bracket was read.
  template <class Use>
  bool each_item(Use&& use) {
    for (Token token = next(); token != Token::end_list; token = next()) {
      if (!use(token)) {
        return false;
      }
    }
    return true;
  }

 private:
  /// Whether the name that was read is this one.
  bool is_named(std::string_view name) {
    if (reader_.written().find('\\') == std::string_view::npos) {
      return reader_.written() == name;
    }
    reader_.unescape(out_.memory.name);
    return out_.memory.name == name;
  }

  template <class Take>
  bool walk(Token token, std::string_view rest, Take&& take) {
    if (wrong_ || token == Token::wrong) {
      return skip(token);
    }
    if (rest.empty()) {
      return take(token);
    }
    const std::size_t at = begin();
    const std::size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const std::string_view after = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    if (token == Token::begin_list) {
      return name == "*" ? each_item([&](Token item) { return walk(item, after, take); })
                         : walk_place(at, name, after, take);
    }
    bool found = false;
    if (token == Token::begin_object) {
      if (!walk_member(name, after, take, found)) {
        return false;
      }
    } else if (!skip(token)) {
      return false;
    }
    if (!found) {
      wrong(at, name == "*" ? "'*' stands for the elements of a list, and there is none"
                            : fmt::format("there is no '{}'", printable(std::string(name))));
    }
    return true;
  }

  /// One member of the object: of several of one name the last, as Python has it.
  template <class Take>
  bool walk_member(std::string_view name, std::string_view after, Take&& take, bool& found) {
    const std::size_t numbers = out_.numbers.size(), labels = out_.labels.size();
    const std::size_t groups = out_.groups.size(), count = out_.count;
    for (Token token = next(); token != Token::end_object; token = next()) {
      if (token == Token::wrong) {
        return false;
      }
      if (!is_named(name)) {
        if (!skip(next())) {
          return false;
        }
        continue;
      }
      if (found) {
        out_.numbers.resize(numbers);
        out_.labels.resize(labels);
        out_.groups.resize(groups);
        out_.count = count;
        wrong_.reset();  // by a member before: walk() was asked while nothing was wrong
      }
      found = true;
      if (!walk(next(), after, take)) {
        return false;
      }
    }
    return true;
  }

  /// One element of the list that begins `at`.
  template <class Take>
  bool walk_place(std::size_t at, std::string_view name, std::string_view after, Take&& take) {
    const std::optional<std::uint64_t> place = parse_decimal(name);
    std::uint64_t count = 0;
    if (!each_item([&](Token item) { return count++ == place ? walk(item, after, take) : skip(item); })) {
      return false;
    }
    if (!place || count <= *place) {
      wrong(at, fmt::format("a list of {} has no '{}'", count, printable(std::string(name))));
    }
    return true;
  }

  const JsonText& json_;
  const std::string& path_;
  JsonReader& reader_;
  Annotations& out_;
  std::optional<Error> wrong_;
};

/// Boxes or key points at the end of a path.
class ItemReader {
 public:
  ItemReader(PathReader& in, const AnnotationSpec& spec, Annotations& out)
      : in_(in), spec_(spec), out_(out) {}

  bool take(Token token) {
    const bool several = spec_.path.find('*') != std::string::npos;
    const std::size_t before = out_.count;
    const bool points = spec_.kind == AnnotationKind::keypoints;
    if (!take(token, points && !several)) {
      return false;
    }
    if (points && several) {
      add_group(before);
    }
    return true;
  }

 private:
  /// One box or key point, or several. `groups`: the key points of each element belong together.
  bool take(Token token, bool groups) {
    if (token != Token::begin_list) {
      in_.wrong(in_.begin(),
                fmt::format("{} is no list of {}", words_for(token), is_box() ? "boxes" : "key points"));
      return in_.skip(token);
    }
    const std::size_t at = in_.begin();
    token = in_.next();
    if (token != Token::begin_list) {
      const std::size_t before = out_.count;
      if (!take_numbers(at, token)) {
        return false;
      }
      if (groups) {
        add_group(before);
      }
      return true;
    }
    for (; token != Token::end_list; token = in_.next()) {
      const std::size_t before = out_.count;
      if (!take(token, false)) {
        return false;
      }
      if (groups) {
        add_group(before);
      }
    }
    return true;
  }

  bool is_box() const noexcept { return spec_.kind == AnnotationKind::boxes; }
  void add_group(std::size_t before) {
    out_.groups.push_back(static_cast<std::uint32_t>(out_.count - before));
  }

  /// A list of numbers that begins `at`, its first element with this token. Of key points a third number may
  /// follow each pair; where there is one pair alone nothing need.
  bool take_numbers(std::size_t at, Token token) {
    const std::size_t each = numbers_each(spec_.kind);
    const std::size_t stride = is_box() ? each : 3;
    std::size_t count = 0;
    for (; token != Token::end_list; token = in_.next(), ++count) {
      if (count % stride < each && (!is_box() || count < each)) {
        out_.numbers.push_back(coordinate(token));
      } else if (spec_.visibility) {
        out_.labels.push_back(visibility(token));
      }
      if (!in_.skip(token)) {
        return false;
      }
    }
    if (count != each && (is_box() ? count > 0 : count % stride != 0)) {
      in_.wrong(at, wrong_count(count));
      return true;
    }
    if (spec_.visibility && count == each) {
      in_.wrong(at, "a key point has no third number, its visibility");
    }
    if (is_box() && count > 0) {
      float* const box = out_.numbers.data() + out_.numbers.size() - each;
      to_corners(spec_.format, box);
      if (!std::all_of(box, box + each, [](float number) { return std::isfinite(number); })) {
        in_.wrong(at, "the corners of a box do not fit in float32");
      }
    }
    out_.count += (count + stride - 1) / stride;
    return true;
  }

  float coordinate(Token token) {
    if (token != Token::number) {
      in_.wrong(in_.begin(),
                fmt::format("{} is no number of a {}", words_for(token), is_box() ? "box" : "key point"));
      return 0;
    }
    const std::string_view written = in_.written();
    const auto value = static_cast<float>(parse_real(written).value_or(NAN));
    if (!std::isfinite(value)) {
      in_.wrong(in_.begin(), fmt::format("{} is no finite number of float32", printable(written, 40)));
    }
    return written == "-0" ? 0.0F : value;  // an integer, which has no sign then
  }

  std::string wrong_count(std::size_t count) const {
    if (is_box()) {
      return fmt::format("{} numbers are not a box, which has 4", count);
    }
    return fmt::format(
        "{} numbers are not key points: a list of numbers holds x, y and visibility of each, as COCO's do, "
        "or x and y of one",
        count);
  }

  std::int64_t visibility(Token token) {
    constexpr double kMax = 1 << 30;
    const double number = token == Token::number ? parse_real(in_.written()).value_or(NAN) : NAN;
    if (!(std::abs(number) <= kMax) || number != std::trunc(number)) {
      in_.wrong(in_.begin(), "the visibility of a key point is not an integer");
      return 0;
    }
    return static_cast<std::int64_t>(number);
  }

  PathReader& in_;
  const AnnotationSpec& spec_;
  Annotations& out_;
};

bool take_labels(PathReader& in, Token token, std::vector<std::int64_t>& labels) {
  if (token == Token::begin_list) {
    return in.each_item([&](Token item) { return take_labels(in, item, labels); });
  }
  const bool is_number = token == Token::number;
  const std::optional<std::int64_t> label = is_number ? parse_integer(in.written()) : std::nullopt;
  if (label) {
    labels.push_back(*label);
    return true;
  }
  in.wrong(in.begin(), is_number
                           ? fmt::format("label {} is not an integer of 64 bits", printable(in.written(), 40))
                           : fmt::format("{} is no label", words_for(token)));
  return in.skip(token);
}

}  // namespace

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
  const std::optional<JsonText> document = json_text(json, out.memory.utf8);
  if (!document) {
    return check_syntax(FieldKind::json, json);
  }
  {
    PathReader in(*document, spec.path, out);
    ItemReader items(in, spec, out);
    if (!in.read([&](Token token) { return items.take(token); })) {
      return check_syntax(FieldKind::json, json);
    }
    PENSTOCK_TRY(in.status());
  }
  if (spec.labels.empty()) {
    return {};
  }
  PathReader in(*document, spec.labels, out);
  if (!in.read([&](Token token) { return take_labels(in, token, out.labels); })) {
    return check_syntax(FieldKind::json, json);
  }
  if (out.labels.size() != out.count) {
    in.wrong({}, fmt::format("{} labels for {} boxes", out.labels.size(), out.count));
  }
  return in.status();
}

}  // namespace penstock::inline v0
