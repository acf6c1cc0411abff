#include "transforms/catalog.hpp"

#include <fmt/format.h>

#include "transforms/operation_info.hpp"

// One line for each operation: the function in its file that describes it.
#define PENSTOCK_OPERATIONS(X) \
  X(resize)                    \
  X(center_crop)               \
  X(random_crop)               \
  X(random_resized_crop)       \
  X(random_horizontal_flip)    \
  X(random_rotation)           \
  X(color_jitter)              \
  X(random_solarize)           \
  X(pillow_gaussian_blur)      \
  X(random_erasing)            \
  X(clamp_bounding_boxes)      \
  X(sanitize_bounding_boxes)   \
  X(sanitize_key_points)       \
  X(sequential)                \
  X(random_apply)              \
  X(random_choice)             \
  X(to_float)                  \
  X(to_float16)                \
  X(normalize)                 \
  X(mix_up)                    \
  X(cut_mix)                   \
  X(to_mono)                   \
  X(resample)                  \
  X(random_time_crop)          \
  X(pad_time)                  \
  X(random_gain)               \
  X(random_polarity)           \
  X(add_noise)                 \
  X(mel_spectrogram)           \
  X(mfcc)                      \
  X(amplitude_to_db)           \
  X(time_masking)              \
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

Result<TransformPtr> make_transform(std::string_view name, const Params& params) {
  if (const OperationInfo* entry = find_operation(name)) {
    return entry->make(params);
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
