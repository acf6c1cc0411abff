#pragma once
// The member `fields` of a store's manifest. To the byte: docs/formats/store.md.

#include "formats/json.hpp"
#include "formats/json_members.hpp"
#include "formats/store_manifest.hpp"

namespace penstock::inline v0 {

Json::List store_fields(const StoreManifest& manifest);

/// Names, kinds, arrays and readings; what is wrong is noted in `members`, the document.
void read_store_fields(JsonMembers& members, StoreManifest& manifest);

}  // namespace penstock::inline v0
