#!/usr/bin/env bash
# Compiles ggml's RPC backend and its JavaScript interface: build.sh FILE, e.g. build.sh rpc.node
#
# CXX is as in the companion's build.sh. As in libmtmd, no library of llama.cpp is linked: its
# functions are resolved in the libraries that the binding has loaded. The C++ library is the shared
# one, which these libraries use too: with a second copy, a thread of std::call_once has two states.
# On Debian 12, the file needs no newer glibc or C++ library than the binding does.
set -euo pipefail
output=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
modules=$(realpath ../../../../../node_modules)
package=$modules/node-llama-cpp
version=$(node -p "require('$package/package.json').version")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git clone --quiet --no-checkout "$package/llama/gitRelease.bundle" "$work/llama.cpp"
git -C "$work/llama.cpp" checkout --quiet HEAD -- ggml/include ggml/src/ggml-impl.h ggml/src/ggml-backend-impl.h ggml/src/ggml-rpc
ggml=$work/llama.cpp/ggml
# A file that a killed worker has written in part would be taken for a complete tensor.
sed -i 's|std::ofstream ofs(cache_file, std::ios::binary);|ggufd::CacheFile ofs(cache_file);|' "$ggml/src/ggml-rpc/ggml-rpc.cpp"
grep -q 'ggufd::CacheFile ofs' "$ggml/src/ggml-rpc/ggml-rpc.cpp"

# Identifies this script and the sources, as in the companion's build.sh.
sources=$(LC_ALL=C; cat ./*.cpp ./*.h ../media/background_work.h ../native/arguments.h build.sh | sha256sum | cut -c 1-16)

mkdir -p "$(dirname "$output")"
"${CXX:-g++}" -std=c++17 -O2 -DNDEBUG -Wall -Wextra -Werror -fPIC -shared -fexceptions \
  -fvisibility=hidden -ffunction-sections -fdata-sections \
  -ffile-prefix-map="$PWD=." -ffile-prefix-map="$modules=." -ffile-prefix-map="$work=." \
  -DNAPI_VERSION=8 -DNAPI_CPP_EXCEPTIONS -DBUILDING_NODE_EXTENSION \
  -DGGUFD_BUILT_FOR="\"node-llama-cpp $version\"" -DGGUFD_SOURCES="\"$sources\"" \
  -isystem "$modules/node-api-headers/include" -isystem "$modules/node-addon-api" \
  -isystem "$ggml/include" -isystem "$ggml/src" -I ../native rpc.cpp -o "$output" \
  -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=none -Wl,-s -Wl,--as-needed
echo "$output: $(stat -c %s "$output") bytes"
