#include "decoded_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#define MINIAUDIO_IMPLEMENTATION
#define MA_NO_ENCODING
#define MA_NO_DEVICE_IO
#define MA_NO_RESOURCE_MANAGER
#define MA_NO_NODE_GRAPH
#define MA_NO_ENGINE
#define MA_NO_GENERATION
#define MA_API static
#include "miniaudio/miniaudio.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_GIF
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#include "stb/stb_image.h"

namespace ggufd {

namespace {

std::string withoutZeros(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

}  // namespace

DecodedImage decodedImage(const unsigned char* bytes, size_t length, int64_t maxPixels) {
    const auto size = static_cast<int>(length);
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(bytes, size, &width, &height, &channels) == 0) {
        throw std::runtime_error("expected an image, got a file whose header is broken or cut off");
    }
    if (static_cast<int64_t>(width) * height > maxPixels) {
        throw std::runtime_error(
            "expected at most " + std::to_string(maxPixels) + " pixels, got " + std::to_string(width) + " x " +
            std::to_string(height)
        );
    }
    constexpr int rgb = 3;
    DecodedImage image{0, 0, {nullptr, stbi_image_free}};
    image.pixels.reset(stbi_load_from_memory(bytes, size, &image.width, &image.height, &channels, rgb));
    if (image.pixels == nullptr) {
        if (std::strcmp(stbi_failure_reason(), "outofmem") == 0) throw std::bad_alloc();
        throw std::runtime_error("expected an image, got a file that is broken or cut off");
    }
    return image;
}

std::vector<float> decodedAudio(const unsigned char* bytes, size_t length, uint32_t sampleRate, double maxSeconds) {
    const auto config = ma_decoder_config_init(ma_format_f32, 1, sampleRate);
    ma_decoder decoder;
    if (ma_decoder_init_memory(bytes, length, &config, &decoder) != MA_SUCCESS) {
        throw std::runtime_error("expected WAV, MP3 or FLAC, got a file that cannot be decoded");
    }
    const std::unique_ptr<ma_decoder, decltype(&ma_decoder_uninit)> closing(&decoder, ma_decoder_uninit);
    // Counts decoded samples, because the length in a header may be wrong.
    const auto maxSamples = static_cast<size_t>(std::floor(maxSeconds * sampleRate));
    std::vector<float> samples;
    constexpr size_t block = 1 << 16;
    while (samples.size() <= maxSamples) {
        const auto count = samples.size();
        samples.resize(count + block);
        ma_uint64 read = 0;
        const auto status = ma_decoder_read_pcm_frames(&decoder, samples.data() + count, block, &read);
        samples.resize(count + static_cast<size_t>(read));
        if (status != MA_SUCCESS || read < block) break;
    }
    if (samples.size() > maxSamples) {
        throw std::runtime_error("expected at most " + withoutZeros(maxSeconds) + " seconds, got more");
    }
    // libmtmd asserts that there are at least two samples.
    constexpr size_t minSamples = 2;
    if (samples.size() < minSamples) {
        throw std::runtime_error(
            "expected at least " + std::to_string(minSamples) + " samples at " + std::to_string(sampleRate) + " Hz, got " +
            std::to_string(samples.size())
        );
    }
    // Floating-point files may contain any value, and an encoder computes NaN from the largest
    // ones.
    constexpr float maxSample = 1e6F;
    const auto isSound = [](float sample) { return std::abs(sample) <= maxSample; };
    if (!std::all_of(samples.begin(), samples.end(), isSound)) {
        throw std::runtime_error("expected audio, got samples that are not finite or exceed 1e6");
    }
    return samples;
}

}  // namespace ggufd
