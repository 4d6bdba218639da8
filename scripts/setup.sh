#!/usr/bin/env bash
#===- setup.sh - Installs what building and testing need -------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian packages, ptxas and, for the tests, a Python environment. Installs
# only what is missing and is quick when nothing is; see usage below.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
usage: scripts/setup.sh [build|test] [--asan] [--dry-run]
  build      what `make demo` needs (the default)
  test       that, and .venv with the Python packages of the tests
  --asan     that, and the sanitizers' runtime library
  --dry-run  print what would be installed, install nothing
environment:
  MAGICUBE_SKIP_SETUP=1          install no Debian packages (other systems)
  MAGICUBE_IGNORE_SYSTEM_CUDA=1  take ptxas from .venv-cuda only
END
}

# The packages that end in -22 come from Debian's security suite.
readonly BUILD_PACKAGES=(
  ccache clang-22 cmake git libboost-context-dev libgtest-dev libmlir-22-dev
  lld-22 llvm-22-dev llvm-22-tools mlir-22-tools ninja-build
  nlohmann-json3-dev python3 python3-venv zlib1g-dev)
readonly ASAN_PACKAGES=(libclang-rt-22-dev)

readonly PIP=(-m pip --quiet --disable-pip-version-check --no-input)

say() { echo "==> set-up: $*"; }
warn() { echo "setup.sh: warning: $*" >&2; }
die() {
  echo "setup.sh: error: $*" >&2
  exit 1
}

# The release this script installs on; prints nothing where it is unknown.
system_name() {
  [[ -r /etc/os-release ]] || return 0
  # shellcheck source=/dev/null
  (. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-unknown}")
}

# Prints which of the given Debian packages are not installed, one a line.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" \
    2>/dev/null || true)
  local package
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"$package installed"$'\n'* ]] ||
      echo "$package"
  done
}

refuse_system() {
  cat >&2 <<END
setup.sh: error: packages are installed on Debian 12 only, but this system is '$1'
Install these by hand (Debian 12 calls them: $2):
  LLVM, MLIR, clang, lld 22.1 with development files, mlir-opt, lit, FileCheck
  CMake >= 3.22, Ninja >= 1.11, ccache >= 4.7, Git
  Boost.Context >= 1.74, GoogleTest >= 1.12, nlohmann-json >= 3.11, zlib,
  Python >= 3.11 with venv
Then go on with MAGICUBE_SKIP_SETUP=1, for example
  make demo MAGICUBE_SKIP_SETUP=1
If clang-22 is not on PATH or LLVM not in /usr/lib/llvm-22, give a preset of
your own that inherits 'dev' in CMakeUserPresets.json: make demo PRESET=mine
END
  exit 1
}

# Installs the given Debian packages as root; output goes to a log.
apt_install() {
  local root=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || die "installing packages needs root and there is no sudo; as root: apt-get install --no-install-recommends $*"
    root=(sudo)
  fi
  local apt=(${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive
    apt-get -q -y -o DPkg::Lock::Timeout=300)
  local log
  log=$(mktemp "${TMPDIR:-/tmp}/magicube-setup.XXXXXX")
  say "installing $# Debian packages and what they depend on (log: $log)"
  "${apt[@]}" update >"$log" 2>&1 </dev/null ||
    warn "apt-get update failed; going on with the package lists at hand"
  if ! "${apt[@]}" install --no-install-recommends "$@" \
    >>"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    die "apt-get install failed (log: $log); the packages that end in -22 need Debian's security suite 'bookworm-security' among apt's sources"
  fi
  rm -f "$log"
}

ensure_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  local system
  system=$(system_name)
  [[ $system == "debian 12" ]] || refuse_system "${system:-unknown}" "$*"
  say "missing Debian packages: ${missing[*]}"
  if [[ $dry_run == no ]]; then apt_install "${missing[@]}"; fi
}

# Debian's own interpreter where python3-venv is sure to belong to it.
host_python() {
  if [[ $(system_name) == "debian 12" && -x /usr/bin/python3 ]]; then
    echo /usr/bin/python3
  else
    echo python3
  fi
}

# Makes an empty Python environment in directory $1, in place of an old one.
create_venv() {
  "$(host_python)" -m venv --clear "$1" && echo '*' >"$1/.gitignore"
}

# True if stamp file $1 holds the hash of file $2 as it is now.
stamp_matches() {
  [[ -f $1 && $(<"$1") == "$(sha256sum <"$2")" ]]
}
write_stamp() { sha256sum <"$2" >"$1"; }

ensure_test_venv() {
  local pins=scripts/requirements-test.txt stamp=.venv/requirements.sha256
  if [[ -x .venv/bin/python ]] && stamp_matches "$stamp" "$pins"; then
    return 0
  fi
  say "Python packages of the tests into .venv:" \
    "$(grep -v '^#' "$pins" | tr '\n' ' ')"
  [[ $dry_run == no ]] || return 0
  create_venv .venv ||
    die "'python3 -m venv .venv' failed; Python >= 3.11 with venv is needed"
  .venv/bin/python "${PIP[@]}" install -r "$pins" ||
    die "pip could not install $pins into .venv"
  write_stamp "$stamp" "$pins"
}

# Prints the pinned package of each CUDA tool that is found nowhere.
missing_cuda_packages() {
  local pins=scripts/requirements-cuda.txt tool package
  while read -r tool package; do
    scripts/find-cuda-tool.sh "$tool" >/dev/null || grep "^$package==" "$pins"
  done <<'END'
ptxas nvidia-cuda-nvcc
nvdisasm nvidia-cuda-nvdisasm
END
}

# install_cuda_packages STAMP PINS PACKAGES...: pip-installs into .venv-cuda.
install_cuda_packages() {
  if [[ ! -x .venv-cuda/bin/python ]]; then
    create_venv .venv-cuda || return 1
  fi
  write_stamp "$1" "$2"
  .venv-cuda/bin/python "${PIP[@]}" install --retries 1 --no-deps "${@:3}"
}

# Without these PTX still comes out and the simulator still runs: failing to
# get them is no error.
ensure_cuda_tools() {
  local pins=scripts/requirements-cuda.txt stamp=.venv-cuda/requirements.sha256
  if [[ -d .venv-cuda && $dry_run == no ]] &&
    ! { [[ -x .venv-cuda/bin/python ]] && stamp_matches "$stamp" "$pins"; }; then
    rm -rf .venv-cuda
  fi
  local missing
  mapfile -t missing < <(missing_cuda_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  say "CUDA tools into .venv-cuda: ${missing[*]}"
  [[ $dry_run == no ]] || return 0
  install_cuda_packages "$stamp" "$pins" "${missing[@]}" ||
    warn "could not install ${missing[*]}: no cubins (ptxas) or no look into them (nvdisasm) until a CUDA toolkit is found"
}

level=build
asan=no
dry_run=no
for argument in "$@"; do
  case $argument in
  build | test) level=$argument ;;
  --asan) asan=yes ;;
  --dry-run) dry_run=yes ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    die "unknown argument '$argument'"
    ;;
  esac
done

packages=("${BUILD_PACKAGES[@]}")
if [[ $asan == yes ]]; then packages+=("${ASAN_PACKAGES[@]}"); fi
if [[ ${MAGICUBE_SKIP_SETUP:-0} != 1 ]]; then
  ensure_packages "${packages[@]}"
fi
ensure_cuda_tools
if [[ $level == test ]]; then ensure_test_venv; fi
