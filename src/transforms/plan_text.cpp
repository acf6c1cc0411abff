#include "transforms/plan_text.hpp"

#include <fmt/format.h>

#include "transforms/stages.hpp"

namespace penstock::inline v0 {
namespace {

// The fullest list of steps among a few draws: a mirroring with p = 0.5 should be seen.
GeometrySteps try_out(std::span<const TransformPtr> operations, ImageSize image) {
  GeometrySteps fullest;
  for (std::uint64_t sample = 0; sample < 32; ++sample) {
    GeometrySteps steps;
    ImageSize size = image;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      Draws draws(RandomKey{0, 0, sample}, static_cast<std::uint32_t>(i));
      const std::size_t before = steps.size();
      if (!operations[i]->plan(size, draws, steps).ok()) {
        return {};
      }
      for (std::size_t step = before; step < steps.size(); ++step) {
        size = size_after(size, steps[step]);
      }
    }
    if (steps.size() > fullest.size()) {
      fullest = std::move(steps);
    }
  }
  return fullest;
}

std::string in_words(const Stage& stage) {
  if (stage.pad) {
    return "pad";
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " + ") + part; };
  if (stage.resize) {
    add("resize " +
        std::get<std::string>(ParamCodec<transforms::Interpolation>::to_value(stage.resize->filter)));
    if (stage.keep.width != stage.resize->size.width || stage.keep.height != stage.resize->size.height) {
      add("crop");
    }
  }
  if (stage.flip) {
    add("flip");
  }
  return text;
}

bool is_whole(const Rect& box, ImageSize image) { return box == Rect{0, 0, image.width, image.height}; }

}  // namespace

std::string plan_text(std::span<const TransformPtr> operations, const ImageSpec& output, MemoryFormat format,
                      bool fuse) {
  const ImageSize image{1500, 1125};
  std::vector<Stage> stages;
  plan_stages(image, try_out(operations, image), fuse, stages);

  std::string names;
  bool normalised = false;
  for (const TransformPtr& operation : operations) {
    names += (names.empty() ? "" : ", ") + repr(*operation);
    normalised = normalised || (operation->name() == "Normalize");
  }
  std::string text;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    const bool last = i + 1 == stages.size();
    std::string line;
    if (i == 0) {
      const bool part = !is_whole(stage.box, stage.input) ||
                        (!stage.resize && !is_whole(stage.keep, stage.input)) ||
                        (stage.resize && !is_whole(stage.keep, stage.resize->size));
      text += part ? "decode the box that is needed\n" : "decode\n";
    }
    line = in_words(stage);
    if (last) {
      const auto add = [&](const char* part) { line += (line.empty() ? "" : " + ") + std::string(part); };
      if (output.type == ElementType::float32) {
        add(normalised ? "normalise" : "divide by 255");
      }
      add("write");
      const std::string size =
          output.fixed_size() ? fmt::format("{} x {} ", output.size.height, output.size.width) : "any size ";
      line += fmt::format(" -> {}{} {}", size, output.type == ElementType::float32 ? "float32" : "uint8",
                          format == MemoryFormat::channels_first ? "CHW" : "HWC");
    }
    if (!line.empty()) {
      text += line + "\n";
    }
  }
  if (!names.empty()) {
    text += "for " + names + "\n";
  }
  return text;
}

}  // namespace penstock::inline v0
