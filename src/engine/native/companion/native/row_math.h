// Arithmetic over one row of logits, written so that compilers vectorise it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace ggufd {

// Computes e^x for x ≤ 0, with a relative error below 3e-7, and 0 below −87, as 2^n · p(r), where
// x = n · ln 2 + r, |r| ≤ ln 2 / 2, and p is the Taylor polynomial of degree 7. Unlike std::exp it
// has no branches.
inline float expOfNegative(float x) {
    constexpr float log2e = 1.44269504f;
    constexpr float ln2High = 0.693359375f;
    constexpr float ln2Low = -2.12194440e-4f;
    // Adding 1.5 · 2^23 rounds to the nearest integer, which is then in the lowest bits.
    constexpr float rounding = 12582912.0f;
    const float clamped = x < -87.0f ? -87.0f : x;
    const float shifted = clamped * log2e + rounding;
    const float n = shifted - rounding;
    const float r = (clamped - n * ln2High) - n * ln2Low;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const int32_t exponent = (static_cast<int32_t>(n) + 127) << 23;
    float scale;
    std::memcpy(&scale, &exponent, sizeof(scale));
    return x < -87.0f ? 0.0f : p * scale;
}

// Returns −∞ without logits. None of them may be NaN.
inline float largestLogit(const float* logits, int32_t count) {
    float max = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : max)
    for (int32_t index = 0; index < count; index++) max = logits[index] > max ? logits[index] : max;
    return max;
}

// Returns the index of the largest logit, the first of equal ones. None of them may be NaN.
inline int32_t indexOfLargest(const float* logits, int32_t count) {
    constexpr int32_t chunk = 1024;
    int32_t best = 0;
    float max = -std::numeric_limits<float>::infinity();
    for (int32_t begin = 0; begin < count; begin += chunk) {
        const float candidate = largestLogit(logits + begin, std::min(chunk, count - begin));
        if (!(candidate > max)) continue;
        max = candidate;
        best = begin;
    }
    const float* end = logits + std::min(count, best + chunk);
    const float* found = std::find(logits + best, end, max);
    return found == end ? 0 : static_cast<int32_t>(found - logits);
}

// Computes log Σ e^logit. Chunks are summed in float, the chunks' sums in double.
inline double logSumExp(const float* logits, int32_t count) {
    const float max = largestLogit(logits, count);
    constexpr int32_t chunk = 512;
    double sum = 0;
    for (int32_t begin = 0; begin < count; begin += chunk) {
        const int32_t end = std::min(count, begin + chunk);
        float partial = 0;
#pragma omp simd reduction(+ : partial)
        for (int32_t index = begin; index < end; index++) partial += expOfNegative(logits[index] - max);
        sum += partial;
    }
    // Uses long double, as the symbol version of its logarithm is old enough for the oldest glibc
    // that Node.js supports.
    return max + static_cast<double>(std::log(static_cast<long double>(sum)));
}

using TokenLogit = std::pair<int32_t, float>;

// Returns the `count` largest logits in descending order; of equal ones, the lower token first.
inline std::vector<TokenLogit> largest(const float* logits, int32_t vocabulary, uint32_t count) {
    const auto isBefore = [](const TokenLogit& a, const TokenLogit& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    std::vector<TokenLogit> heap;
    if (count == 0) return heap;
    heap.reserve(count);
    for (int32_t token = 0; token < vocabulary; token++) {
        if (heap.size() == count) {
            // The heap's front is its smallest logit; an equal logit of a later token does not
            // replace it.
            if (!(logits[token] > heap.front().second)) continue;
            std::pop_heap(heap.begin(), heap.end(), isBefore);
            heap.pop_back();
        }
        heap.emplace_back(token, logits[token]);
        std::push_heap(heap.begin(), heap.end(), isBefore);
    }
    std::sort_heap(heap.begin(), heap.end(), isBefore);
    return heap;
}

// Returns whether a row has neither NaN nor +∞. −∞ is allowed, as masks write it.
inline bool isFinite(const float* logits, int32_t vocabulary) {
    constexpr uint32_t infinity = 0x7f800000u;
    uint32_t found = 0;
    for (int32_t token = 0; token < vocabulary; token++) {
        uint32_t bits;
        std::memcpy(&bits, logits + token, sizeof(bits));
        // The bits of NaN, without the sign, are above those of ∞.
        found |= static_cast<uint32_t>(bits == infinity) | static_cast<uint32_t>((bits & 0x7fffffffu) > infinity);
    }
    return found == 0;
}

}  // namespace ggufd
