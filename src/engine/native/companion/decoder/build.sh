#!/usr/bin/env bash
# Compiles the decoder of images and audio: build.sh FILE, e.g. build.sh decoder.node
#
# CXX and GLIBC are as in the companion's build.sh. The decoders are stb_image and miniaudio from the
# llama.cpp commit of node-llama-cpp; nothing else of llama.cpp is needed.
set -euo pipefail
output=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
modules=$(realpath ../../../../../node_modules)
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT

git clone --quiet --no-checkout "$modules/node-llama-cpp/llama/gitRelease.bundle" "$headers/llama.cpp"
git -C "$headers/llama.cpp" checkout --quiet HEAD -- vendor/miniaudio vendor/stb

# Identifies this script and the sources, so that a test can detect an outdated prebuilt file.
sources=$(LC_ALL=C; cat ./*.cpp ./*.h ../media/atexit.cpp ../media/background_work.h ../native/arguments.h build.sh | sha256sum | cut -c 1-16)

mkdir -p "$(dirname "$output")"
link=(-Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -l:libm.so.6 -l:libc.so.6 -l:libdl.so.2 -l:libpthread.so.0 -lgcc -l:libgcc_s.so.1)
# The decoders are header-only, and some of their functions are unused.
"${CXX:-g++}" -std=c++17 -O2 -DNDEBUG -Wall -Wextra -Werror -Wno-unused-function -fPIC -shared -fexceptions \
  -fvisibility=hidden -ffunction-sections -fdata-sections \
  -ffile-prefix-map="$PWD=." -ffile-prefix-map="$modules=." -ffile-prefix-map="$headers=." \
  -DNAPI_VERSION=8 -DNAPI_CPP_EXCEPTIONS -DBUILDING_NODE_EXTENSION -DGGUFD_SOURCES="\"$sources\"" \
  -isystem "$modules/node-api-headers/include" -isystem "$modules/node-addon-api" -isystem "$headers/llama.cpp/vendor" \
  -I ../native -I ../media ../media/atexit.cpp decoder.cpp decoded_file.cpp \
  -o "$output" -nodefaultlibs ${GLIBC:+-L "$GLIBC"} "${link[@]}" \
  -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=none -Wl,-s -Wl,--as-needed
echo "$output: $(stat -c %s "$output") bytes"
