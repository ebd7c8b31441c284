// Images: segments become pieces of one file, or of a device. They need not be in one window.
#include "files/input.h"
#include "restore/restored_image.h"
#include "restore/restorer.h"
#include "trees/damage.h"

#include <fmt/format.h>

namespace holdfast::repo {

/// False: what is called an image is none any more, so that its folder is restored as it is.
Result<bool> Restorer::visit_image(const Node& node, const std::string& target, bool fresh) {
  const std::optional<ImageLayout> layout = image_layout(node);
  if (!layout) return false;
  Result<std::vector<Id>> trees = segment_trees(index_, node, *layout);
  if (!trees && !is_damage(trees.error())) return trees.take_error();
  if (!trees) {
    report(target, trees.take_error().with_context("restored as the folder that is left of it"));
    return false;
  }
  joined_.insert(target);
  const Result<void> made = make_folders();
  if (!made) {
    report(target, made.error());
    return true;
  }
  auto image = std::make_shared<RestoredImage>();
  image->path = target;
  image->node = image_file(node, *layout);
  image->left_out = take_special(image->node);
  const bool wanted = HF_TRY(prepare_image(*image, fresh));
  if (wanted) HF_TRY(restore_image(image, *layout, *trees));
  return true;
}

/// The file that the image becomes. False if nothing is to be written to it.
Result<bool> Restorer::prepare_image(RestoredImage& image, bool fresh) {
  ++figures_.files_total;
  figures_.bytes_total += image.node.size;
  const Result<struct stat> there = stat_of(image.path);
  image.may_exist = !fresh && there && S_ISREG(there->st_mode);
  if (there && S_ISBLK(there->st_mode)) {
    report(image.path, Error(Fault::Invalid,
                             "a block device is there; --to-device writes onto it, "
                             "and nothing else does"));
    return false;
  }
  if (image.may_exist && leaves(image.node, *there)) {
    count_left(image.path, image.node.size);
    return false;
  }
  if (!image.left_out.empty()) leave_out(image.path, image.left_out);
  if (options_.dry_run) return true;
  Result<OutputFile> output = OutputFile::open(disk_, image.path);
  Result<void> sized =
      output ? output->set_size(image.node.size) : Result<void>(output.take_error());
  if (!sized) {
    report(image.path, sized.error());
    return false;
  }
  image.output.emplace(output.take());
  return true;
}

Result<void> Restorer::restore_image(const std::shared_ptr<RestoredImage>& image,
                                     const ImageLayout& layout, const std::vector<Id>& trees) {
  image->segments = trees.size();
  for (uint64_t number = 0; number < trees.size(); ++number) {
    HF_TRY(go_on());
    Result<Node> segment = read_segment(index_, trees[number], layout, number);
    if (!segment && !is_damage(segment.error())) return segment.take_error();
    if (!segment) {
      report(image->path, segment.error());
      image->failed = true;
      continue;
    }
    add_segment(image, *segment, layout.begin(number));
    if (window_.full()) HF_TRY(run_window());
  }
  image_done(*image);
  return ok();
}

void Restorer::add_segment(const std::shared_ptr<RestoredImage>& image, const Node& segment,
                           uint64_t base) {
  auto file = std::make_unique<RestoredFile>();
  file->path = image->path;
  file->image = image;
  file->base = base;
  file->may_exist = image->may_exist;
  file->first_piece = window_.pieces.size();
  const std::optional<uint64_t> covered =
      add_pieces(segment, *file, uint32_t(window_.files.size()));
  if (covered && *covered != segment.size)
    report(image->path, Error(Fault::Corrupt, fmt::format("the blobs of the segment at {} are {} "
                                                          "bytes, {} were stored",
                                                          base, *covered, segment.size)));
  if (!covered || *covered != segment.size) {
    window_.pieces.resize(file->first_piece);
    image->failed = true;
    return;
  }
  file->pieces = window_.pieces.size() - file->first_piece;
  file->pending = uint32_t(file->pieces);
  file->node.size = segment.size;
  ++image->pending;
  window_.bytes += segment.size;
  window_.images = true;
  window_.files.push_back(std::move(file));
}

/// Pieces that are right already are left alone; the file is there.
void Restorer::prepare_segment(RestoredFile& file, Hands& hands) {
  if (file.may_exist) compare(file, hands);
  if (options_.dry_run || file.pending == 0) finish_file(file);
}

void Restorer::image_done(RestoredImage& image) {
  if (--image.pending != 0 || image.failed) return;
  ++figures_.files_restored;
  ++figures_.files_done;
  tell(image.may_exist ? Restoring::Updated : Restoring::Restored, image.path, image.node.size);
  if (!image.output) return;
  const Result<void> done =
      image.device ? image.output->sync() : image.output->describe(image.node, ownership_);
  if (!done) report(image.path, done.error());
}

/// One image, or one file, onto a device that keeps all else that it is.
Result<void> Restorer::restore_to_device(const Node& node) {
  auto image = std::make_shared<RestoredImage>();
  image->path = HF_TRY(real_path(options_.to_device));
  image->may_exist = image->device = true;
  const std::optional<ImageLayout> layout = image_layout(node);
  if (!layout && node.type != NodeType::File)
    return Error(Fault::Invalid,
                 fmt::format("{} is neither an image nor a file of the snapshot", node.name));
  image->node = layout ? image_file(node, *layout) : node;
  image->node.content.reset();
  if (!options_.dry_run) image->output.emplace(HF_TRY(OutputFile::open_over(disk_, image->path)));
  InputFile there = HF_TRY(InputFile::open(image->path));
  const uint64_t room = HF_TRY(there.size());
  if (room < image->node.size)
    return Error(Fault::Invalid,
                 fmt::format("{} has {} bytes, the image {}", image->path, room, image->node.size));
  ++figures_.files_total;
  figures_.bytes_total += image->node.size;
  if (layout) {
    const std::vector<Id> trees = HF_TRY(segment_trees(index_, node, *layout));
    HF_TRY(restore_image(image, *layout, trees));
  } else {
    image->segments = 1;
    add_segment(image, node, 0);
    image_done(*image);
  }
  return run_window();
}

}  // namespace holdfast::repo
