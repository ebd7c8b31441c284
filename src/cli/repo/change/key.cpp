// `key list|add|remove|passwd`: several passwords open one repository.
#include "repo/choice.h"
#include "repo/password.h"
#include "repo/print/json_object.h"
#include "repo/print/table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

/// "2026-11-15T18:21:29.97Z" → "2026-11-15 18:21:29"
std::string created_text(std::string created) {
  created.resize(std::min<size_t>(created.size(), 19));
  if (created.size() == 19) created[10] = ' ';
  return created;
}

Result<int> list_all(Session& session) {
  repo::Opened* repository = HF_TRY(session.open(LockKind::Shared));
  const std::vector<repo::KeyInfo> keys = HF_TRY(repo::list_keys(*repository));
  Table table({" ID", "User", "Host", "Created"});
  std::vector<std::string> items;
  for (const repo::KeyInfo& key : keys) {
    const std::string created = created_text(key.created);
    table.row({{(key.current ? "*" : " ") + short_id(key.id)}, {key.user}, {key.host}, {created}});
    JsonObject item;
    item.flag("current", key.current).text("id", key.id.hex()).text("userName", key.user);
    items.push_back(item.text("hostName", key.host).text("created", created).take());
  }
  session.out().line(session.out().json() ? json_list(items)
                                          : table.text(fmt::format("{} keys", keys.size())));
  return kDone;
}

Result<int> add_one(const Access& fresh, Session& session) {
  repo::Opened* repository = HF_TRY(session.open(LockKind::Shared));
  const std::string password = HF_TRY(find_new_password(fresh, repository->store().text()));
  const repo::Id id = HF_TRY(repo::add_key(*repository, password));
  session.out().remark(fmt::format("saved new key as {}", id.hex()));
  return kDone;
}

Result<int> remove_one(const std::string& name, Session& session) {
  repo::Opened* repository = HF_TRY(session.open(LockKind::Exclusive));
  const repo::Id id = HF_TRY(repository->find(repo::FileType::Key, name));
  HF_TRY(repo::remove_key(*repository, id));
  session.out().remark(fmt::format("removed key {}", id.hex()));
  return kDone;
}

Result<int> change_one(const Access& fresh, Session& session) {
  repo::Opened* repository = HF_TRY(session.open(LockKind::Exclusive));
  const std::string password = HF_TRY(find_new_password(fresh, repository->store().text()));
  const repo::Id id = HF_TRY(repo::change_password(*repository, password));
  session.out().remark(fmt::format("saved new key as {}", id.hex()));
  return kDone;
}

void add_new_password(CLI::App* verb, Access& fresh) {
  verb->add_option("--new-password-file", fresh.password_file, "file with the new password");
  verb->add_option("--new-password-command", fresh.password_command,
                   "program that prints the new password");
}

}  // namespace

void add_key(RepoVerbs& verbs) {
  CLI::App* key = verbs.add("key", "passwords of the repository")->require_subcommand(1);
  auto fresh = std::make_shared<Access>();
  auto name = std::make_shared<std::string>();
  const auto add = [key](const char* verb, const char* help) {
    return key->add_subcommand(verb, help)->fallthrough();
  };
  verbs.run(add("list", "lists the keys, one per password"), list_all);
  CLI::App* addition = add("add", "adds a password");
  add_new_password(addition, *fresh);
  verbs.run(addition, [fresh](Session& session) { return add_one(*fresh, session); });
  CLI::App* removal = add("remove", "removes a password; the data is not encrypted again");
  removal->add_option("id", *name, "the key's id")->required();
  verbs.run(removal, [name](Session& session) { return remove_one(*name, session); });
  CLI::App* change = add("passwd", "changes the password");
  add_new_password(change, *fresh);
  verbs.run(change, [fresh](Session& session) { return change_one(*fresh, session); });
}

}  // namespace holdfast::cli
