// The parts of oneDNN's C interface that a layer normalisation needs, declared here: the headers need not be installed.
#include "reports/bench/onednn_peer.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "reference/operations/operations.h"

namespace normcheck::reports {
namespace {

namespace fs = std::filesystem;

using Handle = void*;
struct Argument {
  int arg;
  Handle memory;
};
struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

// Values of dnnl_types.h, version 3.
constexpr int kCpu = 1, kInference = 96, kTagA = 2, kTagAb = 3, kSrc = 1, kDst = 17, kScale = 51, kShift = 52;
constexpr unsigned kInOrder = 1, kUseScale = 2, kUseShift = 4, kRmsNorm = 0x20;

int TypeOf(norm::Format format) { return format == norm::Format::kF32 ? 3 : format == norm::Format::kBf16 ? 2 : 1; }

class Loaded : public OneDnn {
 public:
  explicit Loaded(void* library) : library_(library) {
    complete_ = Find(engine_create, "engine_create") && Find(stream_create, "stream_create") && Find(desc_create, "memory_desc_create_with_tag") &&
                Find(norm_create, "layer_normalization_forward_primitive_desc_create") && Find(primitive_create, "primitive_create") &&
                Find(memory_create, "memory_create") && Find(execute, "primitive_execute") && Find(wait, "stream_wait") && Find(version_of, "version");
    complete_ = complete_ && version_of()->major == 3 && engine_create(&engine_, kCpu, 0) == 0 && stream_create(&stream_, engine_, kInOrder) == 0;
  }
  bool complete() const { return complete_; }

  std::string version() const override {
    const Version* v = version_of();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch) + ", CPU runtime " + std::to_string(v->cpu_runtime);
  }

  std::optional<Task> Prepare(const Work& work) override {
    const std::int64_t rows_by_width[] = {static_cast<std::int64_t>(work.rows), static_cast<std::int64_t>(work.width)};
    Handle data = nullptr, param = nullptr, statistics = nullptr, description = nullptr, primitive = nullptr;
    desc_create(&data, 2, rows_by_width, TypeOf(work.format), kTagAb);
    desc_create(&param, 1, rows_by_width + 1, TypeOf(norm::Format::kF32), kTagA);
    desc_create(&statistics, 1, rows_by_width, TypeOf(norm::Format::kF32), kTagA);
    const unsigned flags = kUseScale | kUseShift | (reference::OperationOf(work.op).centred() ? 0 : kRmsNorm);
    if (norm_create(&description, engine_, kInference, data, data, statistics, kBenchEpsilon, flags, nullptr) != 0) return std::nullopt;
    if (primitive_create(&primitive, description) != 0) return std::nullopt;
    const std::array<Argument, 4> arguments = {Argument{kSrc, Memory(data, work.x)}, Argument{kDst, Memory(data, work.y)},
                                               Argument{kScale, Memory(param, work.gamma)}, Argument{kShift, Memory(param, work.beta)}};
    return [this, primitive, arguments] {
      execute(primitive, stream_, static_cast<int>(arguments.size()), arguments.data());
      wait(stream_);
    };
  }

 private:
  template <typename Function>
  bool Find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, (std::string("dnnl_") + name).c_str()));
    return function != nullptr;
  }

  Handle Memory(Handle description, const void* data) {
    Handle memory = nullptr;
    memory_create(&memory, description, engine_, const_cast<void*>(data));
    return memory;
  }

  void* library_;
  bool complete_ = false;
  Handle engine_ = nullptr, stream_ = nullptr;
  int (*engine_create)(Handle*, int, std::size_t) = nullptr;
  int (*stream_create)(Handle*, Handle, unsigned) = nullptr;
  int (*desc_create)(Handle*, int, const std::int64_t*, int, int) = nullptr;
  int (*norm_create)(Handle*, Handle, int, Handle, Handle, Handle, float, unsigned, Handle) = nullptr;
  int (*primitive_create)(Handle*, Handle) = nullptr;
  int (*memory_create)(Handle*, Handle, Handle, void*) = nullptr;
  int (*execute)(Handle, Handle, int, const Argument*) = nullptr;
  int (*wait)(Handle) = nullptr;
  const Version* (*version_of)() = nullptr;
};

std::shared_ptr<OneDnn> Load(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto loaded = std::make_shared<Loaded>(library);
  return loaded->complete() ? loaded : nullptr;
}

std::vector<fs::path> Libraries(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().find(".so") != std::string::npos) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Libraries name each other without saying where they are: what one misses has to be loaded before it, in whatever order works.
void LoadNeighbours(const fs::path& folder) {
  std::vector<fs::path> open = Libraries(folder);
  for (std::size_t before = open.size() + 1; open.size() < before;) {
    before = open.size();
    std::erase_if(open, [](const fs::path& file) {
      return file.filename().string().starts_with("libdnnl") || dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
    });
  }
}

}  // namespace

std::vector<std::pair<std::string, std::shared_ptr<OneDnn>>> FindOneDnn() {
  std::vector<std::pair<std::string, std::shared_ptr<OneDnn>>> found;
  const char* wanted = std::getenv("NORMCHECK_ONEDNN");
  std::error_code error;
  const fs::path root = wanted != nullptr ? fs::path(wanted) : fs::read_symlink("/proc/self/exe", error).parent_path() / "../../onednn";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root, error)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "libintelocl.so")) setenv("OCL_ICD_FILENAMES", (folder / "libintelocl.so").c_str(), 1);
    LoadNeighbours(folder);
    if (auto library = Load((folder / "libdnnl.so.3").string())) found.emplace_back(folder.filename().string(), library);
  }
  if (!found.empty()) return found;
  if (auto library = Load("libdnnl.so.3")) found.emplace_back("onednn_system", library);
  return found;
}

}  // namespace normcheck::reports
