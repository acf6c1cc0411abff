#include "transforms/plan_text.hpp"

#include <fmt/format.h>

#include "transforms/image_walk.hpp"
#include "transforms/join_warps.hpp"
#include "transforms/passes.hpp"

namespace penstock::inline v0 {
namespace {

using ImageList = OperationList<ImageTransform, ImageSpec>;

// The fullest list of edits among a few draws: a mirroring with p = 0.5 should be seen.
ImageEdits try_out(const ImageList& list, DrawnList& drawn, ImageSize image) {
  ImageEdits fullest;
  for (std::uint64_t sample = 0; sample < 32; ++sample) {
    ImageEdits edits;
    WalkMemory memory;
    ImageWalk walk({.image = {.size = image}, .boxes = {}, .key = {0, 0, sample}}, memory);
    for (std::size_t i = 0; i < list.size(); ++i) {
      walk.slots.image.type = list.spec(i).type;
      walk.slots.image.channels = list.spec(i).channels;
      Draws draws(RandomKey{0, 0, sample}, static_cast<std::uint32_t>(i));
      if (!walk.add(list[i], &draws, *drawn[i], edits).ok()) {
        return {};
      }
    }
    if (edits.size() > fullest.size()) {
      fullest = std::move(edits);
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

std::string in_words(const Pass& pass, const ImageEdits& edits) {
  std::string text;
  for (std::size_t i = pass.first; i < pass.first + pass.count; ++i) {
    add(text, name_of_edit(edits[i]));
  }
  if (pass.resize) {
    add(text, "resize " + std::get<std::string>(
                              ParamCodec<transforms::Interpolation>::to_value(pass.resize->filter)));
    if (pass.keep.width != pass.resize->size.width || pass.keep.height != pass.resize->size.height) {
      add(text, "crop");
    }
  }
  if (pass.flip || pass.flip_down) {
    add(text, "flip");
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

bool is_whole(const Rect& box, ImageSize image) { return box == Rect{0, 0, image.width, image.height}; }

const char* name_of(ElementType type) {
  constexpr const char* kNames[] = {"uint8", "float32", "uint16", "float16", "bfloat16"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

std::string plan_text(const ImageList& list, MemoryFormat format, Fuse fuse) {
  const ImageSize image{1500, 1125};
  const ImageSpec& output = list.output();
  DrawnList drawn = list.make_drawn();
  ImageEdits edits = try_out(list, drawn, image);
  if (fuse == Fuse::fast) {
    join_warps(edits);
  }
  std::vector<Pass> passes;
  MirrorTest mirrors(list.spec(0).type == ElementType::uint8);
  plan_passes(image, edits, fuse, mirrors, passes);

  std::string names;
  bool normalised = false;
  for (const TransformPtr& operation : list.operations()) {
    names += (names.empty() ? "" : ", ") + repr(*operation);
    normalised = normalised || (operation->name() == "Normalize");
  }
  const Pass& first = passes.front();
  const bool part = !is_whole(first.box, first.input) ||
                    (!first.resize && !is_whole(first.keep, first.input)) ||
                    (first.resize && !is_whole(first.keep, first.resize->size));
  std::string text = part ? "decode the box that is needed" : "decode";
  text += list.size() > 0 && list[0].turns_upright() ? ", turned as EXIF says\n" : "\n";
  std::string line;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    if (const std::string words = in_words(pass, edits); !words.empty()) {
      add(line, words);
    }
    // Tables are looked up on the way from the pass before, unless they need to see the image first.
    const bool joins_next = i + 1 < passes.size() && passes[i + 1].kind == Pass::Kind::tables &&
                            pass.kind == Pass::Kind::boxes && !needs_image(passes[i + 1], edits);
    if (i + 1 < passes.size() && !joins_next && !line.empty()) {
      text += line + "\n";
      line.clear();
    }
  }
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
  for (const ImageEdit& edit : edits) {
    if (!is_of_pixels(edit)) {
      text += name_of_edit(edit) + "\n";
    }
  }
  if (!names.empty()) {
    text += "for " + names + "\n";
  }
  return text;
}

}  // namespace penstock::inline v0
