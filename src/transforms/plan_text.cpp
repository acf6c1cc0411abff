#include "transforms/plan_text.hpp"

#include <fmt/format.h>

#include "transforms/stages.hpp"

namespace penstock::inline v0 {
namespace {

using ImageList = OperationList<ImageTransform, ImageSpec>;

// The fullest list of steps among a few draws: a mirroring with p = 0.5 should be seen.
ImageSteps try_out(const ImageList& list, DrawnList& drawn, ImageSize image) {
  ImageSteps fullest;
  for (std::uint64_t sample = 0; sample < 32; ++sample) {
    ImageSteps steps;
    ImageSlots slots{.image = {.size = image}, .boxes = {}};
    for (std::size_t i = 0; i < list.size(); ++i) {
      slots.image.type = list.spec(i).type;
      slots.image.channels = list.spec(i).channels;
      Draws draws(RandomKey{0, 0, sample}, static_cast<std::uint32_t>(i));
      const std::size_t before = steps.size();
      if (!list[i].draw_for(slots, draws, *drawn[i]).ok() ||
          !list[i].plan_for(slots.image, *drawn[i], steps).ok()) {
        return {};
      }
      for (std::size_t step = before; step < steps.size(); ++step) {
        slots.image.size = size_after(slots.image.size, steps[step]);
      }
    }
    if (steps.size() > fullest.size()) {
      fullest = std::move(steps);
    }
  }
  return fullest;
}

void add(std::string& text, const std::string& part) { text += (text.empty() ? "" : " + ") + part; }

std::string name_of_step(const ImageStep& step) {
  if (const auto* table = std::get_if<TableStep>(&step)) {
    return table->name;
  }
  if (const auto* pixels = std::get_if<PixelsStep>(&step)) {
    return pixels->name;
  }
  if (const auto* floats = std::get_if<FloatStep>(&step)) {
    return floats->name;
  }
  if (std::holds_alternative<MoveStep>(step)) {
    return "turn";
  }
  return std::holds_alternative<WarpStep>(step) ? "warp" : "pad";
}

std::string in_words(const Stage& stage, const ImageSteps& steps) {
  std::string text;
  for (std::size_t i = stage.first; i < stage.first + stage.count; ++i) {
    add(text, name_of_step(steps[i]));
  }
  if (stage.resize) {
    add(text, "resize " + std::get<std::string>(
                              ParamCodec<transforms::Interpolation>::to_value(stage.resize->filter)));
    if (stage.keep.width != stage.resize->size.width || stage.keep.height != stage.resize->size.height) {
      add(text, "crop");
    }
  }
  if (stage.flip) {
    add(text, "flip");
  }
  return text;
}

bool needs_image(const Stage& stage, const ImageSteps& steps) {
  for (std::size_t i = stage.first; i < stage.first + stage.count; ++i) {
    if (std::get<TableStep>(steps[i]).needs != TableStep::Needs::nothing) {
      return true;
    }
  }
  return false;
}

bool is_whole(const Rect& box, ImageSize image) { return box == Rect{0, 0, image.width, image.height}; }

const char* name_of(ElementType type) {
  constexpr const char* kNames[] = {"uint8", "float32", "uint16", "float16"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

std::string plan_text(const ImageList& list, MemoryFormat format, bool fuse) {
  const ImageSize image{1500, 1125};
  const ImageSpec& output = list.output();
  DrawnList drawn = list.make_drawn();
  const ImageSteps steps = try_out(list, drawn, image);
  std::vector<Stage> stages;
  plan_stages(image, steps, fuse, stages);

  std::string names;
  bool normalised = false;
  for (const TransformPtr& operation : list.operations()) {
    names += (names.empty() ? "" : ", ") + repr(*operation);
    normalised = normalised || (operation->name() == "Normalize");
  }
  const Stage& first = stages.front();
  const bool part = !is_whole(first.box, first.input) ||
                    (!first.resize && !is_whole(first.keep, first.input)) ||
                    (first.resize && !is_whole(first.keep, first.resize->size));
  std::string text = part ? "decode the box that is needed\n" : "decode\n";
  std::string line;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    if (const std::string words = in_words(stage, steps); !words.empty()) {
      add(line, words);
    }
    // Tables are looked up on the way from the pass before, unless they need to see the image first.
    const bool joins_next = i + 1 < stages.size() && stages[i + 1].kind == Stage::Kind::tables &&
                            stage.kind == Stage::Kind::boxes && !needs_image(stages[i + 1], steps);
    if (i + 1 < stages.size() && !joins_next && !line.empty()) {
      text += line + "\n";
      line.clear();
    }
  }
  if (output.type == ElementType::float32) {
    add(line, normalised                                 ? "normalise"
              : list.spec(0).type == ElementType::uint16 ? "divide by 65535"
                                                         : "divide by 255");
  }
  add(line, "write");
  const std::string size =
      output.fixed_size() ? fmt::format("{} x {} ", output.size.height, output.size.width) : "any size ";
  text += fmt::format("{} -> {}{} {}\n", line, size, name_of(output.type),
                      format == MemoryFormat::channels_first ? "CHW" : "HWC");
  for (const ImageStep& step : steps) {
    if (std::holds_alternative<FloatStep>(step)) {
      text += name_of_step(step) + "\n";
    }
  }
  if (!names.empty()) {
    text += "for " + names + "\n";
  }
  return text;
}

}  // namespace penstock::inline v0
