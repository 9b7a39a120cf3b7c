// Files of clients as pixels or samples. The decoders are those of llama.cpp, so that a model gets what it gets there.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace ggufd {

struct DecodedImage {
    int width = 0;
    int height = 0;
    // Rows of red, green and blue, one byte each.
    std::unique_ptr<unsigned char, void (*)(void*)> pixels;
};

// Decodes PNG, JPEG, BMP, or the first frame of a GIF.
// maxPixels: compared with the size in the header, before anything is decoded.
// Throws std::runtime_error with what was expected and what came.
DecodedImage decodedImage(const unsigned char* bytes, size_t length, int64_t maxPixels);

// Decodes WAV, MP3 or FLAC to one channel at a rate of samples per second.
// Throws std::runtime_error with what was expected and what came.
std::vector<float> decodedAudio(const unsigned char* bytes, size_t length, uint32_t sampleRate, double maxSeconds);

}  // namespace ggufd
