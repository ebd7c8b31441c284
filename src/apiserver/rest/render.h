/// Rendering of answers: the object itself, a Table for people, or metadata only.
#pragma once

#include "rest/api.h"

namespace holdfast::apiserver {

struct View {
  enum class Form { Whole, Table, Metadata } form = Form::Whole;
  enum class Include {
    Metadata,
    None,
    Whole
  } include = Include::Metadata;  ///< what a Table row carries beside its cells
};

/// From Accept and includeObject; 406 if nothing we speak is asked for.
Answer<View> negotiate(const net::Request& request);
/// True if Accept asks for aggregated discovery (apidiscovery.k8s.io v2); then the Content-Type
/// must repeat the parameters.
bool wants_aggregated_discovery(const net::Request& request);

std::string render_object(const Stored& stored, const Resource& resource, View view, WallTime now);

struct ListMeta {
  Revision revision = 0;
  std::string continue_token;
  int64_t remaining = -1;  ///< < 0: not told
};
std::string render_list(const std::vector<StoredPtr>& items, const Resource& resource, View view,
                        const ListMeta& meta, WallTime now);

/// One watch event line. `first` Table events carry the column definitions.
void render_event(std::string& out, std::string_view type, const Stored& stored,
                  const Resource& resource, View view, WallTime now, bool first);

}  // namespace holdfast::apiserver
