/// The admission plugins that the real server has switched on by default and that our users'
/// workloads meet. Each is one file, one function; the lists in admission.cpp give their order.
/// Webhooks, quota and limit ranges have their place at the end of those lists.
#pragma once

#include "rest/api.h"
#include "rest/write.h"

namespace holdfast::apiserver {

enum class AdmissionVerb { Create, Update, Delete };

struct Admission {
  AdmissionVerb verb;
  const WriteRequest& request;
  Value& object;     ///< the next state; for Delete the current one
  const Value* old;  ///< null on create
};

/// May change the object. A Status refuses the request.
Answer<void> admit_mutate(Api& api, const Admission& admission);
/// Must not change it.
Answer<void> admit_validate(Api& api, const Admission& admission);

}  // namespace holdfast::apiserver
