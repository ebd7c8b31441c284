#include <holdfast/model/json.h>
#include <holdfast/protect/catalogue.h>
#include <holdfast/protect/locations.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

constexpr int64_t kWithLogs = 2;

/// Each belongs to claims that are there, and comes after all that are cut with the others.
Result<void> check_logs(const std::vector<ClaimRecord>& claims) {
  const auto has = [&](const std::string& name) {
    return std::any_of(claims.begin(), claims.end(),
                       [&](const ClaimRecord& each) { return !each.log && each.name == name; });
  };
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!claims[i].log && i > 0 && claims[i - 1].log)
      return Error(Fault::Invalid, "a catalogue with a log before a claim");
    if (!claims[i].log) continue;
    HF_TRY(check(*claims[i].log));
    if (!has(claims[i].name) || !has(claims[i].log->data_claim))
      return Error(Fault::Invalid, "a catalogue with a log of a claim that it lacks");
  }
  return {};
}

/// With the version that its content needs.
std::string catalogue_text(Catalogue catalogue) {
  // Who does not know of logs would leave them out, and the server would start on too little.
  const auto& claims = catalogue.claims;
  if (std::any_of(claims.begin(), claims.end(), [](const auto& each) { return each.log; }))
    catalogue.version = kWithLogs;
  model::Value value;
  model::field_type<Catalogue>().encode(&catalogue, value);
  return model::to_json(value);
}

}  // namespace

Result<Catalogue> parse_catalogue(std::string_view text) {
  auto parsed = model::parse_json(text);
  if (!parsed) return parsed.take_error().with_context("read a catalogue");
  Catalogue out;
  Result<void> read = model::field_type<Catalogue>().decode(&out, parsed->value, "catalogue");
  if (!read) return read.take_error();
  if (out.version != 1 && out.version != kWithLogs)
    return Error(Fault::Invalid, fmt::format("a catalogue of version {}, this build reads 1 and {}",
                                             out.version, kWithLogs))
        .with_hint("upgrade holdfast");
  for (const ClaimRecord& claim : out.claims)
    if (claim.snapshot_id.empty() || claim.name.empty() || claim.size.empty())
      return Error(Fault::Invalid,
                   fmt::format("the catalogue of {} lacks snapshot, name or size of "
                               "a claim",
                               out.subject));
  HF_TRY(check_logs(out.claims));
  return out;
}

std::vector<std::string> CatalogueTags::of(std::string_view subject_text,
                                           std::string_view id_text) const {
  return {fmt::format("{}={}", subject, subject_text), fmt::format("{}={}", id, id_text)};
}

std::vector<std::string> repositories_with(const CatalogueWish& wish,
                                           const std::string& repository) {
  const std::string by = wish.subject.substr(0, wish.subject.find('/'));
  if (by == repository || repository.find('.') != repository.npos) return {repository};
  return {repository_name(by, repository), repository};
}

DataMove catalogue_upload(const CatalogueTags& tags, const Catalogue& catalogue) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Backup;
  move.spec.document =
      DataMove::Document{.name = std::string(kCatalogueName), .content = catalogue_text(catalogue)};
  move.spec.tags = tags.of(catalogue.subject, catalogue.id);
  move.spec.tags.emplace_back(kCatalogueTag);
  return move;
}

DataMove catalogue_search(const CatalogueTags& tags, const CatalogueWish& wish) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.document = DataMove::Document{.name = std::string(kCatalogueName), .content = {}};
  std::vector<std::string> all = tags.of(wish.subject, wish.id);
  if (wish.id.empty()) all.pop_back();
  all.insert(all.begin(), std::string(kCatalogueTag));
  move.spec.find = DataMove::Find{.tags = std::move(all), .before = wish.before};
  return move;
}

FoundCatalogue choose_catalogue(const DataMove::Status& search, const CatalogueWish& wish) {
  FoundCatalogue out;
  for (const auto& each : search.documents) {
    Result<Catalogue> read = parse_catalogue(each.content.value_or(""));
    if (!read)
      out.trouble = fmt::format("catalogue {} cannot be read: {}", each.snapshot_id,
                                each.error.empty() ? read.error().what() : each.error);
    else if (read->subject == wish.subject && (wish.id.empty() || read->id == wish.id))
      return {.catalogue = read.take(), .snapshot_id = each.snapshot_id};
  }
  return out;
}

}  // namespace holdfast::protect
