// `holdfast location`: BackupLocations and their Secrets, made from flags.
#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/objects.h>
#include <holdfast/cli/refused.h>
#include <holdfast/cli/words.h>
#include <holdfast/kube/typed.h>

#include "objects/describe/describe.h"
#include "objects/get.h"
#include "objects/locations/location_spec.h"
#include "objects/locations/waiting.h"
#include "objects/object_commands.h"
#include "repo/password.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::Value;
using protect::BackupLocation;

struct AddOptions {
  ServerChoice server{};
  LocationFlags flags{};
  std::string access_key_file{}, secret_key_file{}, ca_file{};
  Access password{};
  bool no_wait = false;
  std::string timeout = "30s";
};

struct RemoveOptions {
  ServerChoice server{};
  std::string name{};
  bool with_secrets = false;
};

Result<std::string> secret_in(std::string_view flag, const std::string& file) {
  Result<std::string> text = read_file(file);
  if (!text) return text.take_error().with_context(fmt::format("read {}", flag));
  std::string found(trim(*text));
  if (found.empty()) return Error(Fault::Invalid, fmt::format("{} {}: empty", flag, file));
  return found;
}

Result<blob::S3Key> find_key(const AddOptions& options) {
  if (options.access_key_file.empty() != options.secret_key_file.empty())
    return Error(Fault::Invalid, "--access-key-file and --secret-key-file go together");
  if (!options.access_key_file.empty()) {
    blob::S3Key key;
    key.access_key = HF_TRY(secret_in("--access-key-file", options.access_key_file));
    key.secret_key = HF_TRY(secret_in("--secret-key-file", options.secret_key_file));
    return key;
  }
  Result<blob::Credentials> found = blob::find_credentials({});
  if (!found)
    return found.take_error().with_hint(
        "give --access-key-file and --secret-key-file, AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, or --credential-secret");
  return (*found)();
}

/// What is to be in the Secrets that are made, by their names. Asks nobody before the flags are
/// known to be good.
Result<std::map<std::string, SecretData>> secrets_of(AddOptions& options,
                                                     const BackupLocation& location) {
  std::map<std::string, SecretData> out;
  if (location.spec.s3 && options.flags.credential_secret.empty()) {
    const blob::S3Key key = HF_TRY(find_key(options));
    out[location.spec.credential->name] = credential_data(key);
  }
  if (options.flags.password_secret.empty()) {
    options.password.password = variable("RESTIC_PASSWORD");
    std::string password = HF_TRY(find_new_password(
        options.password, fmt::format("the repositories in {}", options.flags.name)));
    out[location.spec.password->name] = {{location.spec.password->key, std::move(password)}};
  }
  return out;
}

/// A Secret that is there already must hold the same: it may be the only one that opens something.
Result<void> make_secret(Server& server, const std::string& name, const SecretData& data) {
  auto made = server.client().create(kube::kSecrets, server.ns(), secret_object(name, data));
  if (made) return ok();
  if (!made.error().already_exists())
    return made.take_error().error.with_context(fmt::format("make Secret {}", name));
  auto there = server.client().get(kube::kSecrets, server.ns(), name);
  if (there && holds(*there, data)) return ok();
  return Error(Fault::Conflict,
               fmt::format("Secret {} is there already and holds something else", name))
      .with_hint("name it with --credential-secret or --password-secret, or remove it");
}

int wait(Server& server, const std::string& name, std::chrono::seconds limit) {
  const auto judged =
      wait_for(server, kube::resource_of<BackupLocation>(), name, limit, judge_location);
  if (!judged) return say_refused(server, kube::resource_of<BackupLocation>(), judged.error());
  return tell(name_text(kube::resource_of<BackupLocation>(), name), *judged);
}

Result<int> add(AddOptions& options) {
  const std::chrono::seconds limit = HF_TRY(parse_duration("--timeout", options.timeout));
  if (!options.ca_file.empty())
    options.flags.ca_bundle = HF_TRY(secret_in("--ca-file", options.ca_file));
  if (options.flags.region.empty() && !options.flags.bucket.empty())
    options.flags.region = blob::find_region({});
  const BackupLocation location = HF_TRY(location_of(options.flags));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  Value object = model::encode_object(location);
  object.as_object()["metadata"] = model::Object{{"name", options.flags.name}};
  const kube::Resource& resource = kube::resource_of<BackupLocation>();
  // What the server would refuse it says before anybody is asked and any Secret made.
  const auto tried = server->client().create(resource, server->ns(), object, {.dry_run = true});
  if (!tried) return say_refused(*server, resource, tried.error());
  const std::map<std::string, SecretData> secrets = HF_TRY(secrets_of(options, location));
  for (const auto& [name, data] : secrets) HF_TRY(make_secret(*server, name, data));
  const auto made = server->client().create(resource, server->ns(), object);
  if (!made) return say_refused(*server, resource, made.error());
  fmt::print("{} created\n", name_text(resource, options.flags.name));
  std::fflush(stdout);
  if (options.no_wait) return 0;
  return wait(*server, options.flags.name, limit);
}

Result<int> remove(const RemoveOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const kube::Resource& resource = kube::resource_of<BackupLocation>();
  const auto there = server->client().get(resource, server->ns(), options.name);
  if (!there) return say_refused(*server, resource, there.error());
  const auto gone = server->client().remove(resource, server->ns(), options.name);
  if (!gone) return say_refused(*server, resource, gone.error());
  fmt::print("{} deleted\n", name_text(resource, options.name));
  for (const char* member : {"credential", "password"}) {
    const std::string secret(model::string_at(*there, {"spec", member, "name"}));
    if (secret.empty()) continue;
    if (!options.with_secrets) {
      fmt::print(
          stderr, "Secret {} stays{}\n", secret,
          std::string_view(member) == "password" ? ": without it no backup can be opened" : "");
      continue;
    }
    const auto removed = server->client().remove(kube::kSecrets, server->ns(), secret);
    if (!removed && !removed.error().not_found()) return say(removed.error());
    fmt::print("{} deleted\n", name_text(kube::kSecrets, secret));
  }
  return 0;
}

void add_bucket_flags(CLI::App& command, AddOptions& options) {
  LocationFlags& flags = options.flags;
  command.add_option("--s3-endpoint", flags.endpoint, "URL of the S3 service; empty: AWS");
  command.add_option("--bucket", flags.bucket, "name of the bucket, which must exist");
  command.add_option("--prefix", flags.prefix, "prefix of all names in the bucket");
  command.add_option("--region", flags.region, "default: $AWS_REGION");
  command.add_flag("--path-style", flags.path_style,
                   "path-style requests: the bucket in the path, not in the host name");
  command.add_option("--ca-file", options.ca_file,
                     "PEM certificates to trust besides the system's");
  command.add_option("--access-key-file", options.access_key_file,
                     "file with the access key's id; default: AWS_ACCESS_KEY_ID, AWS_PROFILE …");
  command.add_option("--secret-key-file", options.secret_key_file, "file with the key itself");
  command.add_option("--credential-secret", flags.credential_secret,
                     "name of an existing Secret with the key");
}

void add_add(CLI::App& app, int& code) {
  CLI::App* command = app.add_subcommand("add", "creates a location and its Secrets");
  auto options = std::make_shared<AddOptions>();
  LocationFlags& flags = options->flags;
  command->add_option("NAME", flags.name, "name of the location")->required();
  add_bucket_flags(*command, *options);
  command->add_option("--path", flags.path, "path of a folder of the machine, instead of a bucket");
  command->add_option(
      "--password-file", options->password.password_file,
      "file with the password of the repositories; default: $RESTIC_PASSWORD, else a prompt");
  command->add_option("--password-command", options->password.password_command,
                      "program that prints the password");
  command->add_option("--password-secret", flags.password_secret,
                      "NAME or NAME:KEY of an existing Secret with the password");
  command->add_flag("--default", flags.is_default, "location for objects that name none");
  command->add_flag("--read-only", flags.read_only, "restores only");
  command
      ->add_option("--allow", flags.allowed,
                   "namespace that may use the location too; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--allow-forget", flags.allow_forget,
                   "namespace that may also forget what it has there; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--minimum-retention", flags.minimum_retention,
                      "age below which no snapshot is forgotten: 30d, 1y6m");
  command->add_flag("--no-wait", options->no_wait, "do not wait for the first check");
  command->add_option("--timeout", options->timeout, "maximum time to wait")->capture_default_str();
  add_server_options(*command, options->server);
  command->footer(
      "Exit codes: 0 made and available, 1 failed or unavailable, with the reason; 2 usage,\n"
      "3 made, but not known to be available within the time.");
  command->callback([options, &code] {
    const Result<int> done = add(*options);
    code = done ? *done : fail(done.error());
  });
}

void add_remove(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("remove", "removes a location; its backups and Secrets stay");
  auto options = std::make_shared<RemoveOptions>();
  command->add_option("NAME", options->name, "name of the location")->required();
  command->add_flag("--with-secrets", options->with_secrets,
                    "remove its Secrets too; keep a copy of the password");
  add_server_options(*command, options->server);
  command->callback([options, &code] {
    const Result<int> done = remove(*options);
    code = done ? *done : fail(done.error());
  });
}

}  // namespace

void add_location_command(CLI::App& app, int& code) {
  CLI::App* location = app.add_subcommand("location", "backup locations: buckets and folders");
  location->require_subcommand(1);
  const kube::Resource& kind = kube::resource_of<BackupLocation>();
  add_list_command(*location, kind, "lists the locations of a namespace", code);
  add_add(*location, code);
  add_describe_one(*location, kind, "describes a location, its repositories and events", code);
  add_remove(*location, code);
}

}  // namespace holdfast::cli
