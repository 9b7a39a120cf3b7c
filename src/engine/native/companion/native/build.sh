#!/usr/bin/env bash
# Compiles the companion: build.sh FILE, e.g. build.sh src/engine/native/companion/prebuilt/linux-x64.node
#
# The headers come from the packages in node_modules: node-llama-cpp's own, llama.cpp's from the git
# bundle in node-llama-cpp, and Node-API's. CXX is the compiler (default g++), e.g.
# aarch64-linux-gnu-g++; GLIBC a folder with the libraries of an older glibc to link against, so that
# the file runs on older systems.
set -euo pipefail
output=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
modules=$(realpath ../../../../../node_modules)
package=$modules/node-llama-cpp
version=$(node -p "require('$package/package.json').version")
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT

git clone --quiet --no-checkout "$package/llama/gitRelease.bundle" "$headers/llama.cpp"
git -C "$headers/llama.cpp" checkout --quiet HEAD -- include ggml/include ggml/src/ggml-backend-impl.h

# Identifies this script and the sources, so that a test can detect an outdated prebuilt file.
sources=$(LC_ALL=C; cat ./*.cpp ./*.h build.sh | sha256sum | cut -c 1-16)

mkdir -p "$(dirname "$output")"
# Omits unused code and exports only the entry point. -fopenmp-simd enables the pragmas that allow a
# sum to be computed in any order; it links nothing, and unlike -ffast-math it changes no other
# arithmetic. libstdc++ is linked statically; the unwinder is not, because llama.cpp's libraries need
# it too, and a process should have only one.
link=(-Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -l:libm.so.6 -l:libc.so.6 -l:libdl.so.2 -l:libpthread.so.0 -lgcc -l:libgcc_s.so.1)
"${CXX:-g++}" -std=c++17 -O2 -ftree-vectorize -fopenmp-simd -fno-math-errno -fno-trapping-math \
  -Wall -Wextra -Werror -fPIC -shared -fexceptions -fvisibility=hidden -ffunction-sections -fdata-sections \
  -ffile-prefix-map="$PWD=." -ffile-prefix-map="$modules=." -ffile-prefix-map="$headers=." \
  -DNAPI_VERSION=8 -DNAPI_CPP_EXCEPTIONS -DBUILDING_NODE_EXTENSION \
  -DGGUFD_BUILT_FOR="\"node-llama-cpp $version\"" -DGGUFD_SOURCES="\"$sources\"" \
  -isystem "$modules/node-api-headers/include" -isystem "$modules/node-addon-api" \
  -isystem "$package/llama/addon" -isystem "$headers/llama.cpp/include" -isystem "$headers/llama.cpp/ggml/include" \
  -isystem "$headers/llama.cpp/ggml/src" \
  companion.cpp -o "$output" -nodefaultlibs ${GLIBC:+-L "$GLIBC"} "${link[@]}" \
  -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=none -Wl,-s -Wl,--as-needed
echo "$output: $(stat -c %s "$output") bytes, for node-llama-cpp $version"
