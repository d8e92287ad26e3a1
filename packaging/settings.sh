# Sourced by the scripts of this folder, from the top of the repository: which release is made, and its date.
# shellcheck shell=bash disable=SC2034  # those that source it use them
version=$(sed -n 's/^project(culprit VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# Every date in a package is the date of the commit, so that two builds of a commit give the same bytes.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}"
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
programs=${CULPRIT_PROGRAMS:-dist}  # where the programs are that packaging/build-release made
out=${CULPRIT_OUT:-dist}            # where packages are written
licence="not stated"  # of culprit itself
about="finds what is wrong with a CUDA/cuDNN stack, proves it, and gives you the fix"

die() {
  echo "culprit: $*" >&2
  exit 2
}

program_of() {  # program_of linux-x86_64|windows-x86_64|...
  case $1 in windows-*) echo "$programs/culprit-$1.exe" ;; *) echo "$programs/culprit-$1" ;; esac
}

build_of() {  # the build folder that packaging/build-release uses for a target
  case $1 in
    windows-*) echo build/windows ;;
    "linux-$(uname -m)") echo build/release ;;
    *) echo "build/release-${1#linux-}" ;;
  esac
}

runner_of() {  # runner_of TARGET: the emulator to start its program with, if it needs one
  [ "$1" = "linux-$(uname -m)" ] || echo "qemu-${1#linux-}-static"
}

debian_cpu() { case $1 in *x86_64) echo amd64 ;; *) echo arm64 ;; esac; }

glibc_floor() { readelf -VW "$1" | grep -oE 'GLIBC_[0-9.]+' | sed s/GLIBC_// | sort -V | tail -n 1; }

targets_here() {  # those that there is a program for
  local target
  for target in linux-x86_64 linux-aarch64 windows-x86_64; do [ ! -e "$(program_of $target)" ] || echo $target; done
}

write_sums() {  # write_sums FOLDER: the digests of everything in it
  (cd "$1" && rm -f SHA256SUMS && find . -maxdepth 1 -type f -printf '%P\n' | sort | xargs sha256sum >"$work/sums" &&
    cp "$work/sums" SHA256SUMS)
}
