// Decodes clients' files to pixels or samples, with llama.cpp's decoders, so that a model gets the
// same input as there.
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
// maxPixels: compared with the size in the header, before decoding.
// Throws std::runtime_error with the expected and the actual input.
DecodedImage decodedImage(const unsigned char* bytes, size_t length, int64_t maxPixels);

// Decodes WAV, MP3 or FLAC to one channel, at a rate in samples per second.
// Throws std::runtime_error with the expected and the actual input.
std::vector<float> decodedAudio(const unsigned char* bytes, size_t length, uint32_t sampleRate, double maxSeconds);

}  // namespace ggufd
