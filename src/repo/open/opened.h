/// An open repository: its keys, and its small files.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/repo/repository.h>

#include "codec/compress.h"
#include "seal/sealer.h"

namespace holdfast::repo {

/// Where a file of that type lives: "snapshots/ID", "data/ab/ID", "config".
std::string place_of(FileType type, const Id& id);
std::string_view folder_of(FileType type);

class KeyedRepository final : public Opened {
 public:
  KeyedRepository(std::shared_ptr<blob::Store> store, MasterKey key, Id key_id, Config config,
                  const Surroundings& surroundings);

  const Config& config() const override { return config_; }
  blob::Store& store() override { return *store_; }
  const Surroundings& surroundings() const override { return surroundings_; }
  Id key() const override { return key_id_; }

  Result<std::string> load(FileType type, const Id& id) override;
  Result<Id> save(FileType type, std::string_view json) override;
  Result<std::vector<Id>> list(FileType type) override;
  Result<void> remove(FileType type, const Id& id) override;
  Result<Id> find(FileType type, std::string_view beginning) override;
  std::string seal(std::string_view plain) override;
  Result<std::string> unseal(std::string_view sealed) override;

  const MasterKey& master_key() const { return key_; }

 private:
  const std::shared_ptr<blob::Store> store_;
  const MasterKey key_;
  const Id key_id_;
  const Config config_;
  const Surroundings surroundings_;
  Mutex mutex_;
  Sealer sealer_ HF_GUARDED_BY(mutex_);
  Compressor compressor_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::repo
