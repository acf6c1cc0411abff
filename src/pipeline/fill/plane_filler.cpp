#include "pipeline/fill/plane_filler.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "codecs/mask_values.hpp"
#include "core/scratch.hpp"
#include "formats/annotations.hpp"
#include "pipeline/fill/known_size.hpp"
#include "transforms/coordinates.hpp"
#include "transforms/upright.hpp"

namespace penstock::inline v0 {
namespace {

class PlaneFiller final : public Filler {
 public:
  PlaneFiller(const PlanePlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column),
        plan_(plan),
        program_(plan.program()),
        decoder_(decode_limits(tools.options)),
        workspace_(program_.make_workspace()),
        found_(plan.others().size()),
        moved_(plan.others().size() * plan.places().size()) {}

  Status fill(const RowTask& task) override {
    drawn_before_ = drawn_for(task).size();
    Status done = fill_all(task);
    counters().enter(WorkStage::assemble, task.sample);
    return done;
  }

 private:
  /// Annotations of a field in one view.
  struct Moved {
    std::vector<float> numbers;
    std::vector<std::int64_t> labels;
    std::vector<std::uint8_t> kept;
  };
  Moved& moved_of(std::size_t other, std::size_t view) {
    return moved_[other * plan_.places().size() + view];
  }

  /// What the annotations say is read first, for operations look at boxes; they are written last.
  Status fill_all(const RowTask& task) {
    const RowPart& part = task.parts.front();
    const std::vector<PlaneField>& others = plan_.others();
    boxes_.clear();
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto& annotations = others[i].reading.annotations;
      if (!annotations) {
        continue;
      }
      PENSTOCK_TRY(read(part, others[i].number, WorkStage::assemble, [&](const StoredValue& value) {
        return read_annotations(value.bytes, *annotations, found_[i]);
      }));
      if (annotations->kind == AnnotationKind::boxes) {
        boxes_.insert(boxes_.end(), found_[i].numbers.begin(), found_[i].numbers.end());
      }
    }
    PENSTOCK_TRY(read(part, plan_.image().number, WorkStage::decode,
                      [&](const StoredValue& value) { return make_images(task, value); }));
    PENSTOCK_TRY(move_annotations(part));
    std::size_t column = 1;  // after the image's
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others[i].reading.annotations) {
        put_annotations(task, column, i);
      } else {
        PENSTOCK_TRY(read(part, others[i].number, WorkStage::decode, [&](const StoredValue& value) {
          return make_masks(task, column, others[i].reading.mode, value);
        }));
      }
      column += others[i].columns();
    }
    put_patch_masks(task);
    return {};
  }

  Status make_images(const RowTask& task, const StoredValue& value) {
    std::vector<double>& drawn = drawn_for(task);
    drawn.resize(drawn_before_);
    PENSTOCK_ASSIGN(const ImageSize stored, decoder_.open(value.image()));
    if (plan_.input().width > 0 && stored != plan_.input()) {
      return another_size(stored, plan_.input());
    }
    PENSTOCK_ASSIGN(const PixelLayout layout, decoder_.layout_for(plan_.image().reading.mode));
    PENSTOCK_ASSIGN(const int orientation, turn_upright(stored, image_));
    PENSTOCK_TRY(program_.resolve(workspace_, image_, task.key(), boxes_, orientation, task.place()));
    PENSTOCK_TRY(program_.decode(workspace_, decode_as(layout)));
    if (layout == PixelLayout::rgb) {
      plan_.loss().see(decoder_.traits().loss);
    }
    counters().enter(WorkStage::transform, task.sample);
    std::uint8_t* memory = nullptr;
    for (std::size_t i = 0; i < plan_.places().size(); ++i) {
      const PlanePlan::ViewPlace& place = plan_.places()[i];
      ImageSpec made = program_.views()[i].image.output();
      made.size = workspace_.sizes[i];
      const auto shape = plane_shape<Extents>(made, plan_.format());
      memory = room_for(task, 0, i, shape, memory);
      if (place.drawn_apart) {
        program_.views()[i].image.list().save(workspace_.views[i]->drawn, drawn);
      }
      program_.run(workspace_, i, memory + offset_of(place, shape, size_of(scalar_of(made.type))));
    }
    counters().decoded[decoder_.codec()].add(1);
    return {};
  }

  Status make_masks(const RowTask& task, std::size_t column, ImageMode mode, const StoredValue& value) {
    PENSTOCK_ASSIGN(const ImageSize stored, decoder_.open(value.image()));
    ImageSize size;
    PENSTOCK_TRY(turn_upright(stored, size));
    if (size != image_) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("the mask has {} x {} pixels, but its image has {} x {}",
                                          size.width, size.height, image_.width, image_.height),
                   .advice =
                       "make masks of their images' sizes, or move the image alone: "
                       "transforms={\"image\": [...]}",
                   .place = {.stage = "decode"}};
    }
    PENSTOCK_ASSIGN(const PixelLayout layout, decoder_.layout_for(mode));
    const bool wide = layout == PixelLayout::gray_16;
    PENSTOCK_TRY(
        program_.decode_mask(workspace_, wide ? ElementType::uint16 : ElementType::uint8, decode_as(layout)));
    counters().enter(WorkStage::transform, task.sample);
    std::uint8_t* memory = nullptr;
    for (std::size_t i = 0; i < plan_.places().size(); ++i) {
      const Extents shape = {static_cast<std::size_t>(workspace_.sizes[i].height),
                             static_cast<std::size_t>(workspace_.sizes[i].width)};
      memory = room_for(task, column, i, shape, memory);
      if (mode != ImageMode::wide_mask) {
        program_.run_mask(workspace_, i, memory + offset_of(plan_.places()[i], shape, 1));
        continue;
      }
      std::uint8_t* const values = values_.reserve(shape.elements() * pixel_bytes(layout));
      program_.run_mask(workspace_, i, values);
      widen_mask(values, layout, shape.elements(),
                 memory + offset_of(plan_.places()[i], shape, sizeof(std::int32_t)));
    }
    counters().decoded[decoder_.codec()].add(1);
    return {};
  }

  Status move_annotations(const RowPart& part) {
    const std::vector<PlaneField>& others = plan_.others();
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (plan_.drops() && others[i].of_boxes &&
          found_[i].groups.size() != found_[*others[i].of_boxes].count) {
        return at_sample({.kind = ErrorKind::corrupt,
                          .message = fmt::format("there are {} boxes, but key points of {} objects",
                                                 found_[*others[i].of_boxes].count, found_[i].groups.size()),
                          .advice = "omit the key points, or what drops boxes",
                          .place = {.stage = "transform"}},
                         table_of(part), part.sample, others[i].number);
      }
    }
    for (std::size_t view = 0; view < plan_.places().size(); ++view) {
      for (std::size_t i = 0; i < others.size(); ++i) {
        if (others[i].reading.annotations) {
          move(i, view);
        }
      }
      if (plan_.drops()) {
        drop_objects(view);
      }
    }
    return {};
  }

  void move(std::size_t other, std::size_t view) {
    const Annotations& found = found_[other];
    Moved& moved = moved_of(other, view);
    moved.numbers = found.numbers;
    moved.labels = found.labels;
    if (plan_.others()[other].reading.annotations->kind == AnnotationKind::boxes) {
      moved.kept.assign(found.count, 1);
      program_.move_boxes(workspace_, view, {moved.numbers, {}, moved.kept});
    } else {
      moved.kept.assign(found.groups.size(), 1);
      program_.move_points(workspace_, view, {moved.numbers, found.groups, moved.kept});
    }
  }

  /// Takes out what operations dropped, with what belongs to the same objects.
  void drop_objects(std::size_t view) {
    const std::vector<PlaneField>& others = plan_.others();
    // The first round carries drops of all key points to the boxes, the second from those to all key points.
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < others.size(); ++i) {
        if (others[i].of_boxes) {
          drop_together(moved_of(*others[i].of_boxes, view).kept, moved_of(i, view).kept);
        }
      }
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (!others[i].reading.annotations) {
        continue;
      }
      Moved& moved = moved_of(i, view);
      if (others[i].reading.annotations->kind == AnnotationKind::boxes) {
        drop_items(moved.numbers, moved.kept, 4);
        if (!moved.labels.empty()) {
          drop_items(moved.labels, moved.kept, 1);
        }
      } else {
        drop_points(moved.numbers, moved.kept, found_[i].groups);
        if (!moved.labels.empty()) {
          drop_points(moved.labels, moved.kept, found_[i].groups, 1);
        }
      }
    }
  }

  void put_annotations(const RowTask& task, std::size_t column, std::size_t other) {
    const PlaneField& field = plan_.others()[other];
    const std::size_t each = numbers_each(field.reading.annotations->kind);
    std::uint8_t* memory = nullptr;
    std::uint8_t* labels = nullptr;
    for (std::size_t i = 0; i < plan_.places().size(); ++i) {
      const Moved& moved = moved_of(other, i);
      const Extents shape = {moved.numbers.size() / each, each};
      memory = room_for(task, column, i, shape, memory);
      put(memory + offset_of(plan_.places()[i], shape, sizeof(float)), moved.numbers);
      if (field.columns() > 1) {
        const Extents count = {moved.labels.size()};
        labels = room_for(task, column + 1, i, count, labels);
        put(labels + offset_of(plan_.places()[i], count, sizeof(std::int64_t)), moved.labels);
      }
    }
  }

  void put_patch_masks(const RowTask& task) {
    std::uint8_t* memory = nullptr;
    for (const PlanePlan::PatchMask& mask : plan_.patch_masks()) {
      memory = room_for(task, mask.column, mask.view, mask.shape, memory);
      program_.views()[mask.view].image.write_mask(
          *workspace_.views[mask.view], mask.number,
          memory + offset_of(plan_.places()[mask.view], mask.shape, sizeof(std::uint8_t)));
    }
  }

  template <class Element>
  static void put(void* out, const std::vector<Element>& elements) {
    if (!elements.empty()) {
      std::memcpy(out, elements.data(), elements.size() * sizeof(Element));
    }
  }

  /// The orientation of the file that is open, if the program wants to have it upright; the size that it has
  /// then.
  Result<int> turn_upright(ImageSize stored, ImageSize& upright) {
    int orientation = 1;
    if (program_.wants_upright()) {
      PENSTOCK_ASSIGN(orientation, decoder_.orientation());
    }
    upright = upright_.begin(stored, orientation);
    return orientation;
  }

  ReadBox decode_as(PixelLayout layout) {
    return [this, layout](const Rect& box, PixelView view) {
      view.layout = layout;
      return upright_.read(
          box, view, [this](const Rect& part, const PixelView& out) { return decoder_.decode(part, out); });
    };
  }

  /// Memory for what a view has in a column, counted from the view's first: `before`, where it stands in one
  /// array with the view before it.
  std::uint8_t* room_for(const RowTask& task, std::size_t column, std::size_t view, const Extents& shape,
                         std::uint8_t* before) {
    const PlanePlan::ViewPlace& place = plan_.places()[view];
    if (place.number > 0) {
      return before;
    }
    std::vector<std::size_t>& whole = shape_;
    whole.assign(shape.begin(), shape.end());
    if (place.count > 0) {
      whole.insert(whole.begin(), place.count);
    }
    return static_cast<std::uint8_t*>(room(task, place.column + column, Extents(whole)));
  }

  static std::size_t offset_of(const PlanePlan::ViewPlace& place, const Extents& shape, std::size_t element) {
    return place.number * shape.elements() * element;
  }

  const PlanePlan& plan_;
  const SampleProgram& program_;
  ImageDecoder decoder_;
  SampleWorkspace workspace_;
  std::vector<Annotations> found_;  // by the others' numbers
  std::vector<float> boxes_;        // of all fields
  std::vector<Moved> moved_;        // by the others' numbers and the views'
  std::vector<std::size_t> shape_;
  Scratch values_;  // of a mask that will be made wide
  UprightReader upright_;
  ImageSize image_;  // of the present sample, as operations find it
  std::size_t drawn_before_ = 0;
};

}  // namespace

std::unique_ptr<Filler> make_plane_filler(const PlanePlan& plan, const FillerTools& tools,
                                          std::size_t first_column) {
  return std::make_unique<PlaneFiller>(plan, tools, first_column);
}

}  // namespace penstock::inline v0
