// Kubeconfigs, one or two merged (a NUL byte parts them). Whatever they hold, the outcome is a
// Config that can be connected with or an error that names a file.
#include <holdfast/base/result.h>
#include <holdfast/kube/config.h>

#include <string_view>

using namespace holdfast;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t part = text.find('\0');
  std::vector<kube::ConfigText> texts = {{"first", std::string(text.substr(0, part)), "/first"}};
  if (part != std::string_view::npos)
    texts.push_back({"second", std::string(text.substr(part + 1)), "/second"});
  const Result<kube::Config> config = kube::merge_configs(texts, "");
  if (!config) {
    HF_CHECK(config.error().fault() == Fault::Invalid);
    HF_CHECK(config.error().what().starts_with("first") ||
             config.error().what().starts_with("second"));
    return 0;
  }
  HF_CHECK(config->server.starts_with("http://") || config->server.starts_with("https://"));
  HF_CHECK(!config->ns.empty());
  const kube::Credentials& user = config->user;
  HF_CHECK((user.certificate.empty() && user.certificate_file.empty()) ==
           (user.key.empty() && user.key_file.empty()));
  for (const auto& file : {config->ca_file, user.certificate_file, user.key_file, user.token_file})
    HF_CHECK(file.empty() || file.is_absolute());
  if (user.exec) HF_CHECK(!user.exec->command.empty() && !user.exec->interactive_mode.empty());
  return 0;
}
