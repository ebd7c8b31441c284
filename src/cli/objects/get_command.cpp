// `holdfast get`: the objects of any kind, in the columns that the server gives them.
#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/object_text.h>
#include <holdfast/cli/refused.h>

#include "objects/find_kinds.h"
#include "objects/get.h"
#include "objects/object_commands.h"
#include "objects/reading.h"
#include "objects/table_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace holdfast::cli {
namespace {

using model::Array;
using model::Value;

Result<void> check(const GetOptions& options, const std::vector<Wanted>& wanted) {
  const bool named = std::any_of(wanted.begin(), wanted.end(),
                                 [](const Wanted& each) { return !each.name.empty(); });
  if (named && !(options.labels.empty() && options.fields.empty()))
    return Error(Fault::Invalid, "name cannot be provided when a selector is specified");
  return ok();
}

/// One run of the command.
class Getting {
 public:
  Getting(Server& server, const GetOptions& options, OutputForm form)
      : server_(server), options_(options), form_(form), reading_(server) {}

  Result<void> choose(const std::vector<Wanted>& wanted, const Catalogue& catalogue) {
    for (const Wanted& each : wanted) {
      const std::vector<const Served*> kinds = HF_TRY(find_kinds(catalogue, each.kind));
      for (const Served* kind : kinds) {
        if (kind->namespaced && options_.all_namespaces && !each.name.empty())
          return Error(Fault::Invalid,
                       "a resource cannot be retrieved by name across all namespaces");
        add({kind, "", each.name, options_.labels, options_.fields});
      }
    }
    if (options_.watch && (batches_.size() > 1 || batches_.front().size() > 1))
      return Error(Fault::Invalid, "you may only specify a single resource type");
    return ok();
  }

  int run() {
    const bool tables = form_ == OutputForm::Table || form_ == OutputForm::Wide;
    if (tables)
      print_tables();
    else
      print_objects();
    if (options_.watch && failures_.empty()) follow(tables);
    for (const std::string& failure : failures_) fmt::print(stderr, "{}\n", harmless(failure));
    return failures_.empty() ? 0 : 1;
  }

 private:
  /// What is of one kind and stands together makes one table.
  using Batch = std::vector<Selection>;

  void add(Selection selection) {
    if (selection.kind->namespaced && !options_.all_namespaces) selection.ns = server_.ns();
    if (batches_.empty() || batches_.back().front().kind != selection.kind) batches_.emplace_back();
    batches_.back().push_back(std::move(selection));
  }

  TableStyle style_of(const Served& kind) const {
    TableStyle style;
    style.wide = form_ == OutputForm::Wide;
    style.namespaces = options_.all_namespaces && (kind.namespaced || namespace_column_);
    style.headings = !options_.no_headers;
    if (batches_.size() > 1) style.prefix = kind.prefix() + "/";
    return style;
  }

  void print(const std::string& text) {
    written_ = written_ || !text.empty();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  Value table_of(const Batch& batch) {
    Value whole;
    for (const Selection& selection : batch) {
      auto table = reading_.table(selection);
      if (!table) {
        failures_.push_back(server_words(table.error()));
        continue;
      }
      version_ = model::string_at(*table, {"metadata", "resourceVersion"});
      if (whole.is_null())
        whole = table.take();
      else
        append_rows(whole, *table);
    }
    return whole;
  }

  void print_tables() {
    for (const Batch& batch : batches_) {
      const Value whole = table_of(batch);
      table_.emplace(style_of(*batch.front().kind));
      std::string lines = table_->lines(whole);
      if (!lines.empty() && written_ && !options_.no_headers) lines.insert(0, "\n");
      if (!lines.empty()) namespace_column_ = namespace_column_ || batch.front().kind->namespaced;
      print(lines);
    }
    if (written_ || !failures_.empty() || options_.watch) return;
    const bool namespaced = std::all_of(batches_.begin(), batches_.end(), [](const Batch& batch) {
      return batch.front().kind->namespaced;
    });
    if (namespaced && !options_.all_namespaces)
      fmt::print(stderr, "No resources found in {} namespace.\n", server_.ns());
    else
      fmt::print(stderr, "No resources found\n");
  }

  std::string text_of(const Served& kind, const Value& object) const {
    if (form_ == OutputForm::Name)
      return fmt::format("{}/{}\n", kind.prefix(), model::string_at(object, {"metadata", "name"}));
    return object_text(shown_object(object), form_);
  }

  void print_objects() {
    Array items;
    for (const Batch& batch : batches_) {
      for (const Selection& selection : batch) {
        auto found = reading_.objects(selection);
        if (!found) {
          failures_.push_back(server_words(found.error()));
          continue;
        }
        for (const Value& object : *found) {
          version_ = model::string_at(object, {"metadata", "resourceVersion"});
          if (form_ == OutputForm::Name || options_.watch)
            print(text_of(*selection.kind, object));
          else
            items.push_back(shown_object(object));
        }
      }
    }
    if (form_ == OutputForm::Name || options_.watch) return;
    const bool one = batches_.size() == 1 && batches_.front().size() == 1 &&
                     !batches_.front().front().name.empty();
    if (one && items.empty()) return;
    print(object_text(one ? items.front() : list_of(std::move(items)), form_));
  }

  void follow(bool tables) {
    const Selection& selection = batches_.front().front();
    auto followed = reading_.follow(
        selection, version_, tables, [&](std::string_view /*type*/, const Value& object) {
          print(tables ? table_->lines(object) : text_of(*selection.kind, object));
          return std::ferror(stdout) == 0;
        });
    if (!followed) failures_.push_back(server_words(followed.error()));
  }

  Server& server_;
  const GetOptions& options_;
  const OutputForm form_;
  Reading reading_;
  std::vector<Batch> batches_;
  bool written_ = false;
  bool namespace_column_ = false;  ///< kubectl keeps the column once a table of its run had it
  std::optional<TableText> table_;
  std::string version_;
  std::vector<std::string> failures_;
};

Result<int> get(const GetOptions& options) {
  const OutputForm form = HF_TRY(output_form(options.output));
  const std::vector<Wanted> wanted = HF_TRY(read_wanted(options.words));
  HF_TRY(check(options, wanted));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const auto catalogue = Catalogue::ask(server->client());
  if (!catalogue) return say(catalogue.error());
  if (options.only != nullptr && !catalogue->has(*options.only))
    return not_served(*server, *options.only);
  Getting getting(*server, options, form);
  HF_TRY(getting.choose(wanted, *catalogue));
  return getting.run();
}

}  // namespace

int run_get(const GetOptions& options) {
  const Result<int> done = get(options);
  return done ? *done : fail(done.error());
}

void add_get_options(CLI::App& command, GetOptions& options) {
  add_server_options(command, options.server);
  command.add_flag("-A,--all-namespaces", options.all_namespaces, "objects of all namespaces");
  command.add_option("-l,--selector", options.labels, "label selector: a=b,c!=d,e in (x,y)");
  command.add_option("--field-selector", options.fields, "field selector: metadata.name=a");
  command.add_option("-o,--output", options.output, "output format: wide, name, json or yaml");
  command.add_flag("-w,--watch", options.watch, "watch: print each change");
  command.add_flag("--no-headers", options.no_headers, "rows only");
  command.footer("Exit codes: 0 done, also if there is nothing; 1 failed, or a name is not there.");
}

void add_list_command(CLI::App& app, const kube::Resource& kind, const std::string& help,
                      int& code) {
  CLI::App* command = app.add_subcommand("list", help);
  auto options = std::make_shared<GetOptions>();
  options->words = {kind.text()};
  options->only = &kind;
  add_get_options(*command, *options);
  command->callback([options, &code] { code = run_get(*options); });
}

void add_get_command(CLI::App& app, int& code) {
  CLI::App* command = app.add_subcommand(
      "get", "objects of any kind: get KIND[/NAME] [NAME…], in the server's own columns");
  auto options = std::make_shared<GetOptions>();
  command
      ->add_option("KIND", options->words,
                   "plural, singular, short name, category or kind.group; then names, or KIND/NAME "
                   "as often as wanted")
      ->required();
  add_get_options(*command, *options);
  command->callback([options, &code] { code = run_get(*options); });
}

}  // namespace holdfast::cli
