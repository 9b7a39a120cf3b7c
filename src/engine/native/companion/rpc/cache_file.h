// A file of a worker's tensor cache.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace ggufd {

// Writes a file under a temporary name, and renames it once its content is on disk: llama.cpp trusts
// a cached tensor by its name, and a worker may be killed while it writes one. A file that cannot be
// written is not cached.
class CacheFile {
public:
    explicit CacheFile(const std::filesystem::path& path)
        : path(path), temporary(path.string() + "." + std::to_string(getpid()) + ".tmp"),
          file(std::fopen(temporary.c_str(), "wb")) {}

    CacheFile(const CacheFile&) = delete;
    CacheFile& operator=(const CacheFile&) = delete;

    void write(const char* data, size_t size) {
        isWritten = file != nullptr && std::fwrite(data, 1, size, file) == size;
    }

    ~CacheFile() {
        if (file == nullptr) return;
        const bool isFlushed = std::fflush(file) == 0 && fsync(fileno(file)) == 0;
        const bool isClosed = std::fclose(file) == 0;
        const bool isComplete = isWritten && isFlushed && isClosed;
        if (!isComplete || std::rename(temporary.c_str(), path.c_str()) != 0) std::remove(temporary.c_str());
    }

private:
    std::filesystem::path path;
    std::string temporary;
    std::FILE* file;
    bool isWritten = false;
};

}  // namespace ggufd
