#!/usr/bin/env bash
# Compiles libmtmd and its JavaScript interface: build.sh FILE, e.g. build.sh media.node
#
# As in the companion's build.sh, CXX is the compiler, GLIBC a folder with the libraries of an older
# glibc. It takes a minute on two cores. No library of llama.cpp is linked: its functions are resolved
# in the libraries that the binding has loaded.
set -euo pipefail
output=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
modules=$(realpath ../../../../../node_modules)
package=$modules/node-llama-cpp
version=$(node -p "require('$package/package.json').version")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git clone --quiet --no-checkout "$package/llama/gitRelease.bundle" "$work/llama.cpp"
git -C "$work/llama.cpp" checkout --quiet HEAD -- include ggml/include tools/mtmd vendor
llama=$work/llama.cpp
mtmd=$llama/tools/mtmd
# Pixtral's row marks are added to uninitialised memory multiplied by zero, which is NaN if the
# memory contains NaN.
sed -i 's|ggml_scale(ctx0, tok, 0\.0);.*|ggml_fill(ctx0, tok, 0.0f);|' "$mtmd/models/pixtral.cpp"
grep -q 'ggml_fill(ctx0, tok' "$mtmd/models/pixtral.cpp"

common=(-std=c++17 -O2 -DNDEBUG -fPIC -fexceptions -fvisibility=hidden -ffunction-sections -fdata-sections
  -ffile-prefix-map="$PWD=." -ffile-prefix-map="$modules=." -ffile-prefix-map="$work=.")
included=(-isystem "$llama/include" -isystem "$llama/ggml/include" -isystem "$mtmd" -isystem "$llama/vendor")

# MTMD_VIDEO is not defined, because it starts ffmpeg.
compile() {
  "${CXX:-g++}" "${common[@]}" "${included[@]}" -w -c "$1" -o "$work/$(basename "$(dirname "$1")")-$(basename "$1").o"
}
for source in "$mtmd"/{mtmd,mtmd-audio,mtmd-image,mtmd-helper,clip}.cpp "$mtmd"/models/*.cpp; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
  compile "$source" &
done
while (($(jobs -rp | wc -l) > 0)); do wait -n; done

# Identifies this script and the sources, as in the companion's build.sh.
sources=$(LC_ALL=C; cat ./*.cpp ./*.h ../native/arguments.h build.sh | sha256sum | cut -c 1-16)

mkdir -p "$(dirname "$output")"
link=(-Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -l:libm.so.6 -l:libc.so.6 -l:libdl.so.2 -l:libpthread.so.0 -lgcc -l:libgcc_s.so.1)
"${CXX:-g++}" "${common[@]}" -Wall -Wextra -Werror -shared \
  -DNAPI_VERSION=8 -DNAPI_CPP_EXCEPTIONS -DBUILDING_NODE_EXTENSION \
  -DGGUFD_BUILT_FOR="\"node-llama-cpp $version\"" -DGGUFD_SOURCES="\"$sources\"" \
  -isystem "$modules/node-api-headers/include" -isystem "$modules/node-addon-api" -I ../native "${included[@]}" \
  atexit.cpp projector.cpp "$work"/*.o -o "$output" -nodefaultlibs ${GLIBC:+-L "$GLIBC"} "${link[@]}" \
  -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=none -Wl,-s -Wl,--as-needed
echo "$output: $(stat -c %s "$output") bytes"
