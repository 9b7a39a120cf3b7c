// Reads arguments passed by JavaScript.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "napi.h"

namespace ggufd {

template <typename TypedArray>
TypedArray typedArrayOf(const Napi::Value& value, napi_typedarray_type type, const std::string& name) {
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
        throw Napi::TypeError::New(value.Env(), name + ": expected another kind of array");
    }
    return value.As<TypedArray>();
}

inline std::vector<int32_t> integersOf(const Napi::Value& value, const std::string& name) {
    const auto array = typedArrayOf<Napi::Int32Array>(value, napi_int32_array, name);
    return {array.Data(), array.Data() + array.ElementLength()};
}

inline int32_t integerOf(const Napi::Value& value, const std::string& name, int32_t min, int32_t max) {
    const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
    if (!(number >= min && number <= max) || std::floor(number) != number) {
        throw Napi::RangeError::New(
            value.Env(),
            name + ": expected an integer from " + std::to_string(min) + " to " + std::to_string(max)
        );
    }
    return static_cast<int32_t>(number);
}

// Fields of an object. Unknown fields are rejected, because a misspelt one would have no effect.
class Fields {
public:
    Fields(const Napi::Value& value, const std::string& name) : name(name) {
        if (!value.IsObject()) throw Napi::TypeError::New(value.Env(), this->name + ": expected an object");
        object = value.As<Napi::Object>();
    }

    template <typename Target>
    void integer(const char* key, Target& target, int32_t min = 0) {
        take(key, [&](const Napi::Value& value) {
            target = static_cast<Target>(integerOf(value, name + "." + key, min, std::numeric_limits<int32_t>::max()));
        });
    }

    void boolean(const char* key, bool& target) {
        take(key, [&](const Napi::Value& value) {
            if (!value.IsBoolean()) throw Napi::TypeError::New(value.Env(), name + "." + key + ": expected a boolean");
            target = value.As<Napi::Boolean>().Value();
        });
    }

    void number(const char* key, float& target) {
        take(key, [&](const Napi::Value& value) {
            if (!value.IsNumber()) throw Napi::TypeError::New(value.Env(), name + "." + key + ": expected a number");
            target = value.As<Napi::Number>().FloatValue();
        });
    }

    // Reads a required number.
    float number(const char* key) {
        const auto value = needed(key);
        if (!value.IsNumber()) throw Napi::TypeError::New(value.Env(), name + "." + key + ": expected a number");
        return value.As<Napi::Number>().FloatValue();
    }

    // Reads a required non-negative integer.
    int32_t count(const char* key) {
        return integerOf(needed(key), name + "." + key, 0, std::numeric_limits<int32_t>::max());
    }

    // Reads a required seed.
    uint32_t seed(const char* key) {
        const auto value = needed(key);
        if (!value.IsNumber()) throw Napi::TypeError::New(value.Env(), name + "." + key + ": expected a number");
        return value.As<Napi::Number>().Uint32Value();
    }

    // Reads a required string.
    std::string text(const char* key) {
        const auto value = needed(key);
        if (!value.IsString()) throw Napi::TypeError::New(value.Env(), name + "." + key + ": expected a text");
        return value.As<Napi::String>();
    }

    // Reads a required Int32Array.
    std::vector<int32_t> integers(const char* key) { return integersOf(needed(key), name + "." + key); }

    // Reads a required Float32Array.
    std::vector<float> numbers(const char* key) {
        const auto array = typedArrayOf<Napi::Float32Array>(needed(key), napi_float32_array, name + "." + key);
        return {array.Data(), array.Data() + array.ElementLength()};
    }

    // Calls `use` with each element of a required list.
    template <typename Use>
    void each(const char* key, Use use) {
        const auto value = needed(key);
        if (!value.IsArray()) throw Napi::TypeError::New(value.Env(), name + "." + key + ": expected a list");
        const auto list = value.As<Napi::Array>();
        for (uint32_t index = 0; index < list.Length(); index++) use(list.Get(index));
    }

    // Calls `use` with the value of a field, if present.
    template <typename Use>
    void take(const char* key, Use use) {
        known.push_back(key);
        const Napi::Value value = object.Get(key);
        if (!value.IsUndefined()) use(value);
    }

    void expectNoOthers() const {
        const auto keys = object.GetPropertyNames();
        for (uint32_t index = 0; index < keys.Length(); index++) {
            const std::string key = keys.Get(index).ToString();
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                throw Napi::TypeError::New(object.Env(), name + "." + key + ": expected no such field");
            }
        }
    }

private:
    std::string name;
    Napi::Object object;
    std::vector<std::string> known;

    Napi::Value needed(const char* key) {
        known.push_back(key);
        return object.Get(key);
    }
};

}  // namespace ggufd
