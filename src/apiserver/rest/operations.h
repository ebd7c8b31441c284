/// Operations: the verbs on resources, as requests ask for them.
#pragma once

#include "rest/api.h"
#include "rest/remove.h"
#include "rest/write.h"

namespace holdfast::apiserver {

Answer<Reply> get(Api& api, Call& call);
Answer<Reply> list(Api& api, Call& call);
Answer<Reply> watch(Api& api, Call& call);
Answer<Reply> create(Api& api, Call& call);
Answer<Reply> update(Api& api, Call& call);
Answer<Reply> patch(Api& api, Call& call);
Answer<Reply> remove(Api& api, Call& call);
Answer<Reply> remove_collection(Api& api, Call& call);

/// get, update and patch of scale; create of binding and token; update of finalize.
Answer<Reply> scale(Api& api, Call& call);
Answer<Reply> bind_pod(Api& api, Call& call);
Answer<Reply> request_token(Api& api, Call& call);

/// What a pod's node answers: get of log, get and create of exec; attach and portforward are
/// refused.
Answer<Reply> pod_log(Api& api, Call& call);
Answer<Reply> pod_exec(Api& api, Call& call);
Answer<Reply> pod_stream_not_served(Api& api, Call& call);

/// The kinds that are answered and not stored: access reviews, token reviews.
Answer<Reply> review(Api& api, Call& call);

WriteRequest write_request(Call& call, WriteOptions options);

}  // namespace holdfast::apiserver
