#include "transforms/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "transforms/image_walk.hpp"
#include "transforms/join_warps.hpp"
#include "transforms/passes.hpp"

namespace penstock::inline v0 {
namespace {

using ImageList = OperationList<ImageTransform, ImageSpec>;

template <class Value>
const Value* find_param(const Params& params, std::string_view name) {
  const auto found =
      std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.first == name; });
  return found == params.end() ? nullptr : std::get_if<Value>(&found->second);
}

/// An operation as the trial runs it: whatever happens with some probability happens there.
struct Shown {
  TransformPtr in_trial;
  std::string chance;  ///< " (p=0.5)"; empty: it happens to every image
  std::string text;    ///< of one that picks from others, which no trial can show; else empty
};

void add_shown(const TransformPtr& operation, std::vector<Shown>& shown) {
  const Params params = operation->params();
  const auto* const p = find_param<double>(params, "p");
  const auto* const held = find_param<HeldOperations>(params, "transforms");
  if (held != nullptr && (operation->name() == "Sequential" || (p != nullptr && *p == 1))) {
    for (const TransformPtr& each : held->list) {
      add_shown(each, shown);
    }
    return;
  }
  const Params drawn = operation->make_drawn()->values();
  if (std::any_of(drawn.begin(), drawn.end(),
                  [](const auto& value) { return std::holds_alternative<HeldDrawn>(value.second); })) {
    shown.push_back({.in_trial = operation, .chance = {}, .text = repr(*operation)});
    return;
  }
  Shown plain{.in_trial = operation, .chance = {}, .text = {}};
  if (p != nullptr && *p > 0 && *p < 1) {
    Params certain = params;
    for (auto& [name, value] : certain) {
      value = name == "p" ? ParamValue(1.0) : value;
    }
    plain.in_trial = make_transform(operation->name(), certain).value();
    plain.chance = fmt::format(" (p={})", *p);
  }
  shown.push_back(std::move(plain));
}

/// The edits of operations that follow each other, up to one that picks from others.
struct Stretch {
  ImageSize image;
  ImageEdits edits{};
  std::vector<std::string> chances{};  ///< of each edit
  std::string then{};                  ///< the one that picks
  bool then_moves = false;             ///< whether that may move pixels
};

/// The fullest stretches among a few draws.
std::vector<Stretch> try_out(const ImageList& list, const std::vector<Shown>& shown, DrawnList& drawn,
                             ImageSize image) {
  std::vector<Stretch> fullest = {{.image = image}};
  std::size_t most = 0;
  for (std::uint64_t sample = 0; sample < 32; ++sample) {
    std::vector<Stretch> stretches = {{.image = image}};
    std::size_t count = 0;
    WalkMemory memory;
    ImageWalk walk({.image = {.size = image}, .boxes = {}, .key = {0, 0, sample}}, memory);
    for (std::size_t i = 0; i < list.size(); ++i) {
      walk.slots.image.type = list.spec(i).type;
      walk.slots.image.channels = list.spec(i).channels;
      Draws draws(RandomKey{0, 0, sample}, static_cast<std::uint32_t>(i));
      Stretch& stretch = stretches.back();
      const bool picks = !shown[i].text.empty();
      ImageEdits picked;
      if (!walk.add(list[i], &draws, *drawn[i], picks ? picked : stretch.edits).ok()) {
        return fullest;
      }
      if (picks) {
        stretch.then = shown[i].text;
        stretch.then_moves = list[i].moves_pixels();
        stretches.push_back({.image = walk.slots.image.size});
      } else {
        count += stretch.edits.size() - stretch.chances.size();
        stretch.chances.resize(stretch.edits.size(), shown[i].chance);
      }
    }
    if (sample == 0 || count > most) {
      fullest = std::move(stretches);
      most = count;
    }
  }
  return fullest;
}

void add(std::string& text, const std::string& part) { text += (text.empty() ? "" : " + ") + part; }

std::string name_of_edit(const ImageEdit& edit) {
  if (const auto* table = std::get_if<TableEdit>(&edit)) {
    return table->name;
  }
  if (const auto* pixels = std::get_if<PixelsEdit>(&edit)) {
    return pixels->name;
  }
  if (const auto* floats = std::get_if<FloatEdit>(&edit)) {
    return floats->name;
  }
  if (const auto* items = std::get_if<AnnotationEdit>(&edit)) {
    return items->name;
  }
  if (const auto* field = std::get_if<FieldEdit>(&edit)) {
    return field->name;
  }
  if (std::holds_alternative<MoveEdit>(edit)) {
    return "turn";
  }
  return std::holds_alternative<WarpEdit>(edit) ? "warp" : "pad";
}

/// The chance of the mirrorings that way; empty where there are several.
std::string chance_of_flip(const Stretch& stretch, bool down) {
  std::string chance;
  int flips = 0;
  for (std::size_t i = 0; i < stretch.edits.size(); ++i) {
    const auto* const flip = std::get_if<FlipEdit>(&stretch.edits[i]);
    if (flip != nullptr && flip->down == down) {
      chance = ++flips == 1 ? stretch.chances[i] : "";
    }
  }
  return chance;
}

bool is_whole(const Rect& box, ImageSize image) { return box == Rect{0, 0, image.width, image.height}; }

bool needs_part(const Pass& pass) {
  return !is_whole(pass.box, pass.input) ||
         !is_whole(pass.keep, pass.resize ? pass.resize->size : ImageSize{pass.box.width, pass.box.height});
}

/// `decodes`: it is the first pass, to which the decoder gives the box.
std::string in_words(const Pass& pass, const Stretch& stretch, bool decodes) {
  std::string text;
  for (std::size_t i = pass.first; i < pass.first + pass.count; ++i) {
    add(text, name_of_edit(stretch.edits[i]) + stretch.chances[i]);
  }
  if (!decodes && (pass.resize ? !is_whole(pass.box, pass.input) : needs_part(pass))) {
    add(text, "crop");
  }
  if (pass.resize) {
    add(text, "resize " + std::get<std::string>(
                              ParamCodec<transforms::Interpolation>::to_value(pass.resize->filter)));
    if (!is_whole(pass.keep, pass.resize->size)) {
      add(text, "crop");
    }
  }
  for (const bool down : {false, true}) {
    if (down ? pass.flip_down : pass.flip) {
      add(text, (down ? "flip down" : "flip") + chance_of_flip(stretch, down));
    }
  }
  return text;
}

bool needs_image(const Pass& pass, const ImageEdits& edits) {
  for (std::size_t i = pass.first; i < pass.first + pass.count; ++i) {
    if (std::get<TableEdit>(edits[i]).needs != TableEdit::Needs::nothing) {
      return true;
    }
  }
  return false;
}

/// Adds a line for each pass but the last, whose words are appended to `line`.
void add_passes(const Stretch& stretch, const std::vector<Pass>& passes, bool first, std::string& text,
                std::string& line) {
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    if (const std::string words = in_words(pass, stretch, first && i == 0); !words.empty()) {
      add(line, words);
    }
    // Tables are looked up on the way from the pass before, unless they need to see the image first.
    const bool joins_next = i + 1 < passes.size() && passes[i + 1].kind == Pass::Kind::tables &&
                            pass.kind == Pass::Kind::boxes && !needs_image(passes[i + 1], stretch.edits);
    if (i + 1 < passes.size() && !joins_next && !line.empty()) {
      text += line + "\n";
      line.clear();
    }
  }
}

/// Two warps that become one have no chance of their own.
void join_warps_of(Stretch& stretch) {
  const std::size_t before = stretch.edits.size();
  join_warps(stretch.edits);
  if (stretch.edits.size() < before) {
    stretch.chances.assign(stretch.edits.size(), "");
  }
}

const char* name_of(ElementType type) {
  constexpr const char* kNames[] = {"uint8", "float32", "uint16", "float16", "bfloat16"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

std::string plan_text(const ImageList& list, MemoryFormat format, Fuse fuse) {
  const ImageSize image{1500, 1125};
  const ImageSpec& output = list.output();
  std::vector<Shown> shown;
  std::string names;
  bool normalised = false;
  for (const TransformPtr& operation : list.operations()) {
    add_shown(operation, shown);
    names += (names.empty() ? "" : ", ") + repr(*operation);
    normalised = normalised || (operation->name() == "Normalize");
  }
  std::vector<TransformPtr> tried;
  for (const Shown& each : shown) {
    tried.push_back(each.in_trial);
  }
  const ImageList trial_list = ImageList::compile(std::move(tried), list.spec(0)).value();
  DrawnList drawn = trial_list.make_drawn();
  std::vector<Stretch> stretches = try_out(trial_list, shown, drawn, image);
  MirrorTest mirrors(list.spec(0).type == ElementType::uint8);
  std::string text;
  std::string line;
  bool part = false;     // of the image may be all that is decoded
  bool decoding = true;  // nothing before needs pixels of its own
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    Stretch& stretch = stretches[i];
    if (fuse == Fuse::fast) {
      join_warps_of(stretch);
    }
    std::vector<Pass> passes;
    plan_passes(stretch.image, stretch.edits, fuse, mirrors, passes);
    part = part || (decoding && needs_part(passes.front()));
    decoding = decoding && passes.size() == 1;
    part = part || (decoding && stretch.then_moves);
    add_passes(stretch, passes, i == 0, text, line);
    if (!stretch.then.empty()) {
      text += (line.empty() ? "" : line + "\n") + stretch.then + "\n";
      line.clear();
    }
  }
  text = std::string(part ? "decode the box that is needed" : "decode") +
         (list.size() > 0 && list[0].turns_upright() ? ", turned as EXIF says\n" : "\n") + text;
  if (output.is_float()) {
    add(line, normalised                                 ? "normalise"
              : list.spec(0).type == ElementType::uint16 ? "divide by 65535"
                                                         : "divide by 255");
  }
  add(line, "write");
  const std::string size =
      output.fixed_size() ? fmt::format("{} x {} ", output.size.height, output.size.width) : "any size ";
  text += fmt::format("{} -> {}{} {}\n", line, size, name_of(output.type),
                      format == MemoryFormat::channels_first ? "CHW" : "HWC");
  for (const Stretch& stretch : stretches) {
    for (std::size_t i = 0; i < stretch.edits.size(); ++i) {
      if (!is_of_pixels(stretch.edits[i])) {
        text += name_of_edit(stretch.edits[i]) + stretch.chances[i] + "\n";
      }
    }
  }
  if (!names.empty()) {
    text += "for " + names + "\n";
  }
  return text;
}

}  // namespace penstock::inline v0
