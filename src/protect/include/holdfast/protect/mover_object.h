/// Mover: the working side of a DataMove, in the namespace where its pods run. Its spec is what
/// they must read of the move; its status is what they report, and nothing but their own account
/// may write it. Internal: no role of people holds it. It is there as long as the move has a place
/// among the movers of its location, and all that the move has made elsewhere hangs on it.
#pragma once

#include <holdfast/protect/data_move.h>

namespace holdfast::protect {

struct Mover {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "Mover"};

  struct Spec {
    Reference move{};
    std::string location{}, repository{};
    bool own = false;
    std::optional<DataMove::Limits> limits{};
    std::optional<DataMove::Document> document{};
    std::vector<DataMove::Expected> expects{};
    template <class V>
    void fields(V& v) {
      v.required("move", move, "DataMove that the mover works for");
      v.required("location", location, "name of the BackupLocation, in the same namespace");
      v.required("repository", repository, "name of the repository in the location");
      v.defaulted("own", own, false,
                  "true: of the location's own namespace or of an administrators' one");
      v.optional("limits", limits, "limits of the transfer");
      v.optional("document", document, "document to back up");
      v.optional("expects", expects, "snapshots that must be in the repository first");
    }
  } spec{};

  struct Status {
    std::string pod{}, lock_id{}, repository_id{};
    std::optional<DataMove::Progress> progress{};
    std::vector<DataMove::FoundDocument> documents{};
    std::optional<bool> documents_truncated{};
    std::vector<std::string> forgotten{};
    template <class V>
    void fields(V& v) {
      v.optional("pod", pod, "name of the pod that reports");
      v.optional("lockID", lock_id, "id of the pod's lock in the repository");
      v.optional("repositoryID", repository_id, "id of the repository that the pod has opened");
      v.optional("progress", progress, "progress of the transfer");
      v.optional("documents", documents, "restored documents, newest first");
      v.optional("documentsTruncated", documents_truncated,
                 "true: more documents were found than fit into 512 KiB");
      v.optional("forgotten", forgotten, "ids of snapshots that are gone from the repository");
    }
  } status{};
};

}  // namespace holdfast::protect
