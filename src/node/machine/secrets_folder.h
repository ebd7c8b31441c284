/// Folder for what pods get of secrets: off the disk where the machine has a place in memory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::node {

/// PLACE/holdfast/<of this data folder>, in the first of the places that is a tmpfs; both folders
/// are made, or are there and this user's alone. Where another user was first, since anybody may
/// write to /dev/shm, the next place is taken; without any, a part of the data folder.
std::filesystem::path secrets_folder(const std::filesystem::path& data_dir,
                                     const std::vector<std::string>& places = {"/run", "/dev/shm"});

}  // namespace holdfast::node
