// Files of clients, which nobody has looked at: as pixels or as samples, within limits.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "mtmd.h"

namespace ggufd {

using Bitmap = std::unique_ptr<mtmd_bitmap, decltype(&mtmd_bitmap_free)>;

struct MediaLimits {
    // Of an image: compared with what its header says, before it is decoded.
    int64_t maxPixels;
    double maxSeconds;
};

// An image (PNG, JPEG, GIF, BMP, and what else stb_image reads), or audio (WAV, MP3, FLAC).
// context: of the model that it is for, which tells the rate of samples.
// Throws std::runtime_error with what was expected and what came.
Bitmap decodedFile(const mtmd_context* context, const std::string& bytes, const MediaLimits& limits);

}  // namespace ggufd
