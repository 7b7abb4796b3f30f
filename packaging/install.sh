#!/bin/sh
# Installs workbench for one user. The archive is installed only if its minisign signature is right.
#   sh install.sh [--prefix DIR]      default: ~/.local
set -eu

version='@VERSION@'
key='@PUBLIC_KEY@'
base=${WORKBENCH_DOWNLOAD:-'@BASE_URL@'}
prefix=${HOME:-}/.local

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      [ $# -ge 2 ] || fail '--prefix needs a folder'
      prefix=$2
      shift 2
      ;;
    -h | --help)
      sed -n '2,3s/^# *//p' "$0"
      exit 0
      ;;
    *) fail "unknown option: $1 (the only option is --prefix DIR)" ;;
  esac
done

[ "$(uname -s)" = Linux ] || fail "$(uname -s) is not supported: workbench runs on Linux"
case $(uname -m) in
  x86_64 | amd64) target=x86_64-unknown-linux-gnu ;;
  aarch64 | arm64) target=aarch64-unknown-linux-gnu ;;
  *) fail "there is no binary for $(uname -m): build it with cargo (see README.md)" ;;
esac
if command -v ldd >/dev/null && ldd --version 2>&1 | grep -qi musl; then
  fail 'the binary needs glibc 2.17 or newer, and this system has musl: build it with cargo (see README.md)'
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
name=workbench-$version-$target.tar.xz

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 2 --output "$folder/$1" "$base/$1"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document="$folder/$1" "$base/$1"
  else
    fail 'curl or wget is needed'
  fi || fail "cannot download $base/$1"
}

# Verifies FILE against FILE.minisig, with minisign or with OpenSSL 3. A signature holds two bytes for the algorithm
# (ED: of the file's BLAKE2b hash), eight for the key's number and 64 for the signature.
verify() {
  if command -v minisign >/dev/null; then
    minisign -V -q -P "$key" -m "$1" -x "$1.minisig" >/dev/null 2>&1
    return
  fi
  command -v openssl >/dev/null && openssl version | grep -q '^OpenSSL [3-9]' ||
    fail 'minisign or OpenSSL 3 is needed to verify the signature: install one of them'
  bytes() { printf '%s' "$1" | base64 -d 2>/dev/null | dd bs=1 skip="$2" count="$3" 2>/dev/null; }
  signature=$(sed -n 2p "$1.minisig")
  [ "$(bytes "$signature" 0 2)" = ED ] || return 1
  [ "$(bytes "$signature" 2 8 | od -An -tx1)" = "$(bytes "$key" 2 8 | od -An -tx1)" ] || return 1
  # The DER form of an Ed25519 public key is a constant prefix and the 32 bytes of the key.
  { printf '\060\052\060\005\006\003\053\145\160\003\041\000'; bytes "$key" 10 32; } >"$1.der"
  bytes "$signature" 10 64 >"$1.sig"
  openssl dgst -blake2b512 -binary "$1" >"$1.hash"
  openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey "$1.der" -sigfile "$1.sig" -in "$1.hash" >/dev/null 2>&1
}

download "$name"
download "$name.minisig"
verify "$folder/$name" ||
  fail "the signature of $name is wrong: nothing was installed. Download install.sh again from a place that you trust"

tar -xJf "$folder/$name" -C "$folder" || fail "cannot unpack $name (are tar and xz installed?)"
cd "$folder/workbench-$version-$target"
find . -type d -exec mkdir -p "$prefix/{}" \; 2>/dev/null || fail "cannot write below $prefix: use --prefix DIR"
find . -type f | while read -r file; do
  mode=644
  case $file in ./bin/*) mode=755 ;; esac
  install -m "$mode" "$file" "$prefix/$file" || exit 1
done || fail "cannot write below $prefix: use --prefix DIR"

printf 'installed %s\n' "$prefix/bin/workbench"
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) printf 'add it to the path: export PATH="%s/bin:$PATH"\n' "$prefix" ;;
esac
printf 'to remove it: (cd %s && rm -rf bin/workbench share/workbench share/doc/workbench share/man/man1/workbench*.1.gz \\\n' "$prefix"
printf '  share/bash-completion/completions/workbench share/zsh/site-functions/_workbench share/fish/vendor_completions.d/workbench.fish)\n'
printf 'history and settings stay\n'
