/// Log of a server whose files were copied while it ran: the log's files from the start of the
/// copying to its end, and a label that says where to begin. Kept with the copy; put back by a pod
/// that has the volumes mounted, before the server starts.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/model/fields.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::protect {

/// What is kept of the log of one server.
struct LogRecord {
  std::string pod{}, path{}, directory{}, data_claim{}, data_directory{};
  std::vector<std::string> segments{};
  std::map<std::string, std::string> files{};
  template <class V>
  void fields(V& v) {
    v.required("pod", pod, "pod of the server");
    v.optional("path", path, "path of the log in the container");
    v.required("directory", directory, "folder of the log in its volume");
    v.required("dataClaim", data_claim, "claim of the volume with the server's data folder");
    v.required("dataDirectory", data_directory, "data folder of the server in that volume");
    v.required("segments", segments, "names of the log files from the start of the base backup on");
    v.required("files", files, "files to write into the data folder: content in base64, by name");
  }
};

/// Names that are safe to be put together to paths, and segments that follow each other. What is
/// wrong, if anything: a record may come from a bucket.
Result<void> check(const LogRecord& log);

/// What a pod of ours does for one log; in its environment, as JSON.
struct LogTask {
  LogRecord log{};
  std::string kept = "/kept", target = "/log", data = "/data";  ///< where the volumes are mounted
  template <class V>
  void fields(V& v) {
    v.required("log", log, "");
    v.optional("kept", kept, "");
    v.optional("target", target, "");
    v.optional("data", data, "");
  }
};

/// Copies the segments and writes the files, all of them to the disk. It may be done twice, as long
/// as no server has started on the volumes.
Result<void> put_log_back(const LogTask& task);
Result<int> put_log_back(std::string_view task);  ///< as the pod's environment has it; 0

}  // namespace holdfast::protect
