# Sourced by packaging/test-packages: the packages in fresh systems, with the seconds from the file to the first answer.
# shellcheck shell=bash disable=SC2154  # variables and functions of test-packages

# kept_root SYSTEM: the tar of a minimal system with apt, made once. With status 1 it prints why there is none.
kept_root() {
  local suite tar mirror
  tar=$cache/$1-$(uname -m).tar
  [ ! -e "$tar" ] || { echo "$tar"; return; }
  case $1 in debian-11) suite=bullseye ;; debian-12) suite=bookworm ;; debian-13) suite=trixie ;; esac
  command -v mmdebstrap >/dev/null || { echo "no mmdebstrap here (tools/setup packages installs it)"; return 1; }
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 ~ /^(bookworm|trixie|stable)$/ { print $1; exit }')
  [ -n "$mirror" ] || { echo "this machine's apt knows no Debian archive"; return 1; }
  mkdir -p "$cache"
  mmdebstrap --variant=apt --mode=root --format=tar $suite "$tar.part" "$mirror" >"$work/log" 2>&1 && mv "$tar.part" "$tar" ||
    { echo "mmdebstrap: $(grep -m 1 '^E:' "$work/log")"; return 1; }
  echo "$tar"
}

# timed WHERE KIND PROGRAM COMMAND...: installs, then asks `culprit` in $root; a row of the table, and the three questions.
timed() {
  local where=$1 kind=$2 program=$3 start end said
  shift 3
  start=$(date +%s%N)
  if ! said=$("$@" 2>&1); then fail "$kind does not install in $where: ${said:0:2000}"; return 1; fi
  chroot "$root" "$program" >/dev/null 2>&1
  end=$(date +%s%N)
  table+=("| $where | $kind | $(awk "BEGIN { printf \"%.1f\", ($end - $start) / 1e9 }") |")
  expect "$kind answers in $where" answers chroot "$root" "$program"
}

with_apt() { chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y "./tmp/$1"; }
with_script() { chroot "$root" env HOME=/root PREFIX=/root/.local sh /tmp/install.sh "/tmp/$1"; }
with_rpm() { rpm --root "$root" --dbpath /var/lib/rpm -i "$out/$1"; }
with_umoci() {
  mkdir "$root" && skopeo copy -q --insecure-policy "oci-archive:$out/$1:culprit:$version" "oci:$root/image:$version" &&
    umoci unpack --rootless --image "$root/image:$version" "$root/bundle"
}

# unpack_root FOLDER COMMAND...: a root that the command fills, and /dev/null, which shells cannot do without
unpack_root() {
  root=$1
  mkdir -p "$root/dev" "$root/tmp" "$root/root"
  shift
  "$@"
  [ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
  cp "$out/culprit-$version-linux-$(uname -m).tar.gz" packaging/install.sh "$root/tmp/"
}

files_of() {  # what is in a root, but for what a package manager writes about itself
  (cd "$1" && find . ! -path './var/*' ! -path './root*' ! -path './tmp*' | sort)
}

check_debian() {  # check_debian SYSTEM
  local system=$1 target tar name deb archive
  target=linux-$(uname -m)
  name="Debian ${system#debian-}" deb=culprit_${version}_$(debian_cpu "$target").deb archive=culprit-$version-$target.tar.gz
  tar=$(kept_root "$system") || { skip "fresh $name: $tar"; return; }
  unpack_root "$work/$system" tar -xf "$tar" -C "$work/$system" --exclude './dev/*'
  cp "$out/$deb" "$root/tmp/"
  files_of "$root" >"$work/before"
  timed "$name" "\`apt install ./$deb\`" /usr/bin/culprit with_apt "$deb"
  expect "$name: apt removes it" chroot "$root" apt-get purge -y culprit
  files_of "$root" >"$work/after"
  expect "$name: nothing is left" diff "$work/before" "$work/after"
  timed "$name" "\`install.sh $archive\`" /root/.local/bin/culprit with_script "$archive"
  check_library_in_root "$name"
  rm -rf "$root"
}

check_library_in_root() {  # apt takes libculprit where glibc is new enough for it, and nowhere else
  local name=$1 deb have need
  deb=libculprit-dev_${version}_$(dpkg --print-architecture).deb
  [ -e "$out/$deb" ] || return 0
  cp "$out/$deb" "$root/tmp/"
  need=$(dpkg-deb -f "$out/$deb" Depends | grep -oE '[0-9]+\.[0-9]+')
  have=$(chroot "$root" dpkg-query -W -f '${Version}' libc6)
  if dpkg --compare-versions "$have" ge "$need"; then
    expect "$name: apt installs $deb" with_apt "$deb"
    expect "$name: ldconfig knows libculprit" grep -q libculprit.so.0 <(chroot "$root" sh -c 'ldconfig && ldconfig -p')
  elif with_apt "$deb" >/dev/null 2>&1; then
    fail "$name: apt installs $deb, which needs glibc $need, on glibc $have"
  else
    pass "$name: apt refuses $deb, which needs glibc $need, on glibc $have"
  fi
}

unpack_musl() {
  local deb
  for deb in "$1"/*.deb; do dpkg-deb -x "$deb" "$root"; done
  chroot "$root" /bin/busybox --install -s /bin
}

check_musl() {  # a system of musl and busybox, from Debian's packages
  local archive arch why
  arch=$(uname -m) archive=culprit-$version-linux-$(uname -m).tar.gz
  if [ ! -e "$cache/musl-$arch" ]; then
    why=$(packaging/fetch-debian debian-12 "$arch" "$cache/musl-$arch.part" musl busybox-static) ||
      { skip "a root with musl: $why"; return; }
    mv "$cache/musl-$arch.part" "$cache/musl-$arch"
  fi
  unpack_root "$work/musl" unpack_musl "$cache/musl-$arch"
  timed "musl and busybox" "\`install.sh $archive\`" /root/.local/bin/culprit with_script "$archive"
}

# With py-rattler, the library behind pixi and rattler-build: the client of conda that the package index has.
with_rattler() { "$1/bin/python" packaging/conda/install.py "$out/$2" "$root"; }

check_conda_client() {
  local client=$cache/py-rattler file why
  file=$(basename "$(conda_file "linux-$(uname -m)")") root=$work/conda-prefix
  if [ ! -x "$client/bin/python" ]; then
    why=$(python3 -m venv "$client.part" && "$client.part/bin/pip" install -q py-rattler 2>&1 | tail -n 1) &&
      "$client.part/bin/python" -c 'import rattler' 2>/dev/null || { rm -rf "$client.part"; skip "a conda client: no py-rattler: $why"; return; }
    mv "$client.part" "$client"
  fi
  timed "an empty root" "conda (py-rattler), \`$file\`" /bin/culprit with_rattler "$client" "$file"
}

check_empty() {  # nothing but the package
  local name
  name=culprit-$version-1.$(uname -m).rpm
  if have "$name, timed" rpm; then
    root=$work/empty
    mkdir "$root"
    timed "an empty root" "\`rpm --root DIR -i $name\`" /usr/bin/culprit with_rpm "$name"
  fi
  if have "the image, timed" umoci skopeo; then
    root=$work/empty-image
    timed "an empty root" "image, unpacked by umoci" /bundle/rootfs/usr/bin/culprit with_umoci \
      "culprit-$version.oci.tar"
  fi
}

check_roots() {
  local system
  if [ "$(id -u)" != 0 ]; then
    skip "fresh systems: chroot needs root"
    return
  fi
  for system in debian-11 debian-12 debian-13; do check_debian $system; done
  check_musl
  check_empty
  check_conda_client
  echo "| in | with | seconds |"
  echo "|---|---|---|"
  printf '%s\n' "${table[@]}"
}
