// RandomRotate90: quarter turns, which change no pixel.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct Rotate90Parameters {
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of turning it by 0, 90, 180 or 270 degrees, equally likely");
  }
};

struct DrawnTurns {
  int turns = 0;  ///< quarters, counter-clockwise

  template <class V>
  void fields(V&& v) {
    v("turns", turns);
  }
};

class RandomRotate90 final : public ImageOperation<RandomRotate90, Rotate90Parameters, DrawnTurns> {
 public:
  static constexpr const char* kName = "RandomRotate90";
  static constexpr const char* kSummary =
      "Turns the image by a random number of quarters; height and width are exchanged by odd ones.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override { return check_chance(p_.p); }
  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return moved_spec(kName, in, in.size.width == in.size.height ? in.size : ImageSize{});
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnTurns& drawn) const {
    drawn.turns = draws.chance(p_.p) ? static_cast<int>(draws.below(4)) : 0;
    return {};
  }

  Status plan(const ImageSpec&, const DrawnTurns& drawn, ImageEdits& edits) const {
    switch (drawn.turns) {
      case 0:
        return {};
      case 1:
        edits.push_back(MoveEdit{Move::turn_90});
        return {};
      case 2:
        edits.push_back(MoveEdit{Move::turn_180});
        return {};
      case 3:
        edits.push_back(MoveEdit{Move::turn_270});
        return {};
      default:
        return detail::wrong_drawn(kName, "turns", "must be 0, 1, 2 or 3");
    }
  }
};

}  // namespace

OperationInfo random_rotate_90_operation() { return operation_info<RandomRotate90>(); }

}  // namespace penstock::inline v0
