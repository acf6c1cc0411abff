#include "pipeline/plan/pipeline_fingerprint.hpp"

#include <fmt/format.h>

#include "core/sha256.hpp"
#include "pipeline/plan/list_fields.hpp"

namespace penstock::inline v0 {

std::string pipeline_fingerprint(const Dataset& dataset, const FieldTransforms& transforms,
                                 const std::vector<View>& views, const LoaderOptions& options,
                                 bool by_field) {
  std::string text = fmt::format("decode {} on_error {}", options.decode, static_cast<int>(options.on_error));
  for (const FieldInfo& field : dataset.fields()) {
    text += "\nfield " + field.name;
  }
  const FieldTransforms lists = lists_by_field(dataset, transforms).value();
  for (const auto& [field, operations] : lists) {
    for (const TransformPtr& operation : operations) {
      text += fmt::format("\n{} {}", field, repr(*operation));
    }
  }
  for (const View& view : views) {
    text += fmt::format("\nview {} {}", view.name, view.count);
    for (const TransformPtr& operation : view.operations) {
      text += "\n" + repr(*operation);
    }
  }
  if (options.fuse == Fuse::fast) {
    text += "\nfuse fast";
  }
  if (by_field) {
    text += "\ndraws by field";
  }
  if (const auto plane = plane_of(dataset, transforms, views); plane && !plane->others.empty()) {
    text += "\nfields move together";
  }
  return short_hash(text);
}

}  // namespace penstock::inline v0
