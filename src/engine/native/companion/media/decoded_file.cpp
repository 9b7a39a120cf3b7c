#include "decoded_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

// The decoder of audio that libmtmd has, too, where it has no limit and is not to be called from elsewhere. The one of
// images is libmtmd's.
#define MINIAUDIO_IMPLEMENTATION
#define MA_NO_ENCODING
#define MA_NO_DEVICE_IO
#define MA_NO_RESOURCE_MANAGER
#define MA_NO_NODE_GRAPH
#define MA_NO_ENGINE
#define MA_NO_GENERATION
#define MA_API static
// The one name of it that is not static, which libmtmd has as well.
#define ma_atomic_global_lock ggufd_ma_atomic_global_lock
#include "miniaudio/miniaudio.h"
#include "stb/stb_image.h"

namespace ggufd {

namespace {

bool beginsWith(const std::string& bytes, size_t at, const char* text) {
    const std::string expected = text;
    return bytes.size() >= at + expected.size() && bytes.compare(at, expected.size(), expected) == 0;
}

// As libmtmd tells audio from images.
bool isAudio(const std::string& bytes) {
    const bool isFrameOfMp3 = bytes.size() >= 12 && static_cast<unsigned char>(bytes[0]) == 0xff &&
                              (static_cast<unsigned char>(bytes[1]) & 0xe0) == 0xe0;
    const bool isJpeg = beginsWith(bytes, 0, "\xff\xd8\xff");
    return (beginsWith(bytes, 0, "RIFF") && beginsWith(bytes, 8, "WAVE")) || beginsWith(bytes, 0, "ID3") ||
           beginsWith(bytes, 0, "fLaC") || (isFrameOfMp3 && !isJpeg);
}

std::string withoutZeros(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

Bitmap decodedAudio(const std::string& bytes, int sampleRate, double maxSeconds) {
    const auto config = ma_decoder_config_init(ma_format_f32, 1, static_cast<ma_uint32>(sampleRate));
    ma_decoder decoder;
    if (ma_decoder_init_memory(bytes.data(), bytes.size(), &config, &decoder) != MA_SUCCESS) {
        throw std::runtime_error("expected WAV, MP3 or FLAC, got something that cannot be decoded");
    }
    const std::unique_ptr<ma_decoder, decltype(&ma_decoder_uninit)> closing(&decoder, ma_decoder_uninit);
    // What is decoded, not what the header says.
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
    if (samples.empty()) throw std::runtime_error("expected audio, got a file without samples");
    // What a file has as floats may be anything, and an encoder makes of the loudest what is no number.
    constexpr float maxSample = 1e6F;
    const auto isSound = [](float sample) { return std::abs(sample) <= maxSample; };
    if (!std::all_of(samples.begin(), samples.end(), isSound)) {
        throw std::runtime_error("expected audio, got samples that are too large, or no numbers");
    }
    return {mtmd_bitmap_init_from_audio(samples.size(), samples.data()), mtmd_bitmap_free};
}

Bitmap decodedImage(const std::string& bytes, int64_t maxPixels) {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const auto length = static_cast<int>(bytes.size());
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(data, length, &width, &height, &channels) == 0) {
        throw std::runtime_error("expected PNG, JPEG, GIF or BMP, got something else");
    }
    if (static_cast<int64_t>(width) * height > maxPixels) {
        throw std::runtime_error(
            "expected at most " + std::to_string(maxPixels) + " pixels, got " + std::to_string(width) + " x " +
            std::to_string(height)
        );
    }
    constexpr int rgb = 3;
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
        stbi_load_from_memory(data, length, &width, &height, &channels, rgb), stbi_image_free
    );
    if (pixels == nullptr) throw std::runtime_error("expected an image, got a file that is broken or cut off");
    return {mtmd_bitmap_init(static_cast<uint32_t>(width), static_cast<uint32_t>(height), pixels.get()), mtmd_bitmap_free};
}

}  // namespace

Bitmap decodedFile(const mtmd_context* context, const std::string& bytes, const MediaLimits& limits) {
    if (isAudio(bytes)) {
        if (!mtmd_support_audio(context)) throw std::runtime_error("expected an image, got audio");
        return decodedAudio(bytes, mtmd_get_audio_sample_rate(context), limits.maxSeconds);
    }
    if (!mtmd_support_vision(context)) throw std::runtime_error("expected audio (WAV, MP3 or FLAC), got something else");
    return decodedImage(bytes, limits.maxPixels);
}

}  // namespace ggufd
