#!/usr/bin/env bash
# Compiles the prebuilt companions, libmtmd, decoders and RPC backends for Linux on x64 and arm64, on
# Debian 12 on x64 with g++ and g++-aarch64-linux-gnu (GCC 12.2), against glibc 2.17, which is older than Node.js
# requires. That glibc comes from the npm cross toolchains named below, whose compiler is too old.
# The same sources give the same bytes on every machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
tools=${XDG_CACHE_HOME:-$HOME/.cache}/ggufd/glibc
mkdir -p "$tools"

# Prints the folder with glibc 2.17 for a machine, downloaded on first use: glibc_of x86_64 1.0.0
glibc_of() {
  local name="$1-unknown-linux-gnu" folder="$tools/$1-$2"
  if [[ ! -d $folder ]]; then
    local unpacked
    unpacked=$(mktemp -d -p "$tools")
    (cd "$unpacked" && tar -xzf "$(npm pack --silent "@napi-rs/cross-toolchain-x64-target-$1@$2")")
    tar -xf "$unpacked/package/$name.tar.xz" -C "$unpacked" "./$name/sysroot/lib"
    mv "$unpacked/$name/sysroot/lib" "$folder"
    chmod -R u+w "$unpacked"
    rm -r "$unpacked"
  fi
  echo "$folder"
}

for target in x64:x86_64:1.0.0:g++ arm64:aarch64:1.0.3:aarch64-linux-gnu-g++; do
  IFS=: read -r arch machine version CXX <<<"$target"
  GLIBC=$(glibc_of "$machine" "$version")
  export CXX GLIBC
  ./build.sh "../prebuilt/linux-$arch.node"
  ../media/build.sh "../prebuilt/linux-$arch.media.node"
  ../decoder/build.sh "../prebuilt/linux-$arch.decoder.node"
  ../rpc/build.sh "../prebuilt/linux-$arch.rpc.node"
done
