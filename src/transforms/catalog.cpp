#include "transforms/catalog.hpp"

#include <fmt/format.h>

#include "transforms/operation_info.hpp"

// One line for each operation: the function in its file that describes it.
#define PENSTOCK_OPERATIONS(X)  \
  X(exif_transpose)             \
  X(resize)                     \
  X(random_resize)              \
  X(random_shortest_size)       \
  X(scale_jitter)               \
  X(center_crop)                \
  X(five_crop)                  \
  X(ten_crop)                   \
  X(random_crop)                \
  X(random_resized_crop)        \
  X(direct_random_resized_crop) \
  X(resize_short_crop_long)     \
  X(random_iou_crop)            \
  X(pad)                        \
  X(random_embed)               \
  X(random_zoom_out)            \
  X(random_horizontal_flip)     \
  X(random_vertical_flip)       \
  X(random_rotate_90)           \
  X(random_rotation)            \
  X(random_affine)              \
  X(random_perspective)         \
  X(random_zoom)                \
  X(random_rotate_object)       \
  X(elastic_transform)          \
  X(optical_distortion)         \
  X(color_jitter)               \
  X(random_color_jitter_hsv)    \
  X(random_color_jitter_yiq)    \
  X(random_photometric_distort) \
  X(random_brightness)          \
  X(random_contrast)            \
  X(gamma)                      \
  X(random_autocontrast)        \
  X(random_equalize)            \
  X(random_invert)              \
  X(random_posterize)           \
  X(random_solarize)            \
  X(random_adjust_sharpness)    \
  X(grayscale)                  \
  X(random_grayscale)           \
  X(random_channel_permutation) \
  X(rgb)                        \
  X(gaussian_blur)              \
  X(gaussian_noise)             \
  X(jpeg)                       \
  X(pillow_gaussian_blur)       \
  X(random_erasing)             \
  X(cutout)                     \
  X(grid_mask)                  \
  X(circular_mask)              \
  X(random_background_blend)    \
  X(random_patch_shuffle)       \
  X(auto_augment)               \
  X(rand_augment)               \
  X(trivial_augment_wide)       \
  X(aug_mix)                    \
  X(timm_rand_augment)          \
  X(three_augment)              \
  X(srgb_to_lms)                \
  X(lms_to_parvo)               \
  X(lms_to_magno)               \
  X(lms_to_konio)               \
  X(rgb_to_lgn)                 \
  X(rgb_to_magno)               \
  X(normalize_lgn)              \
  X(convert_box_format)         \
  X(clamp_bounding_boxes)       \
  X(clamp_key_points)           \
  X(sanitize_bounding_boxes)    \
  X(sanitize_key_points)        \
  X(random_patch_mask)          \
  X(random_block_mask)          \
  X(ijepa_mask)                 \
  X(identity)                   \
  X(sequential)                 \
  X(random_apply)               \
  X(random_choice)              \
  X(random_order)               \
  X(to_float)                   \
  X(to_float16)                 \
  X(to_bfloat16)                \
  X(to_uint8)                   \
  X(normalize)                  \
  X(mix_up)                     \
  X(cut_mix)                    \
  X(timm_mixup)                 \
  X(mosaic)                     \
  X(one_hot)                    \
  X(to_mono)                    \
  X(resample)                   \
  X(random_time_crop)           \
  X(pad_time)                   \
  X(random_gain)                \
  X(random_polarity)            \
  X(add_noise)                  \
  X(mel_spectrogram)            \
  X(mfcc)                       \
  X(amplitude_to_db)            \
  X(time_masking)               \
  X(frequency_masking)

namespace penstock::inline v0 {

#define PENSTOCK_DECLARE(function) OperationInfo function##_operation();
PENSTOCK_OPERATIONS(PENSTOCK_DECLARE)
#undef PENSTOCK_DECLARE

std::span<const OperationInfo> catalog() {
#define PENSTOCK_ENTRY(function) function##_operation(),
  static const std::vector<OperationInfo> entries = {PENSTOCK_OPERATIONS(PENSTOCK_ENTRY)};
#undef PENSTOCK_ENTRY
  return entries;
}

const OperationInfo* find_operation(std::string_view name) {
  for (const OperationInfo& entry : catalog()) {
    if (entry.name == name) {
      return &entry;
    }
  }
  return nullptr;
}

namespace {

/// "size must be between 1 and 65536 pixels, got -1": operations say the first half, and most of them both.
Error with_value(Error error, std::string_view operation, const Params& params) {
  for (const auto& [name, value] : params) {
    if (error.message.starts_with(fmt::format("{}: {} must be ", operation, name)) &&
        error.message.find(" got ") == std::string::npos) {
      error.message += ", got " + repr(value);
    }
  }
  return error;
}

}  // namespace

Result<TransformPtr> make_transform(std::string_view name, const Params& params) {
  if (const OperationInfo* entry = find_operation(name)) {
    Result<TransformPtr> made = entry->make(params);
    return made.ok() ? std::move(made) : with_value(std::move(made).error(), entry->name, params);
  }
  std::string names;
  for (const OperationInfo& entry : catalog()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return Error{ErrorKind::invalid, fmt::format("unknown operation {}", name), "use one of " + names, {}};
}

Status take_key(std::string_view operation, const ParamValue& given, std::string& key) {
  if (const auto* name = std::get_if<std::string>(&given); name != nullptr && !name->empty()) {
    key = *name;
  } else if (!std::holds_alternative<std::monostate>(given)) {
    return invalid_parameter(operation, "key", "must be a string or None, got " + repr(given), "");
  }
  return {};
}

Error unknown_parameter(const OperationInfo& operation, std::string_view parameter) {
  std::string names;
  for (const ParameterInfo& known : operation.parameters) {
    names += (names.empty() ? "" : ", ") + known.name;
  }
  return Error{ErrorKind::invalid,
               fmt::format("{} has no parameter {}", operation.name, parameter),
               names.empty() ? "it takes none" : "it takes " + names,
               {}};
}

}  // namespace penstock::inline v0
