#!/usr/bin/env bash
# Runs every check of `make lint`, also after one has failed, and says at the
# end which did. The programs come from the folder that AUTOSCALING_TOOLS names.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$PWD
bin=${AUTOSCALING_TOOLS:?is not set: run make lint}
failed=()

# check NAME FOLDER COMMAND...: one line, and the output when it fails. The
# exit code 75 means that the command could not find out.
check() {
  local name=$1 dir=$2 start=$SECONDS out
  shift 2
  out=$(cd "$dir" && "$@" 2>&1)
  case $? in
  0) printf '  ok      %s (%ss)\n' "$name" $((SECONDS - start)) ;;
  75) printf '  skipped %s: its database cannot be reached\n' "$name" ;;
  *)
    printf '  FAILED  %s (%ss)\n%s\n' "$name" $((SECONDS - start)) "$out"
    failed+=("$name")
    ;;
  esac
}

# modules lists the folders of the hand-written Go modules: those under tools
# that only pin a program hold no Go file.
modules() {
  find . -name go.mod -not -path './build/*' -not -path '*/testdata/*' -printf '%h\n' | sort |
    while read -r dir; do
      if find "$dir" -name '*.go' -print -quit | grep -q .; then echo "$dir"; fi
    done
}

formatted() {
  local files
  files=$("$bin/gofumpt" -l .) || return 1
  if [ -n "$files" ]; then
    printf 'not formatted (make fmt does it):\n%s\n' "$files"
    return 1
  fi
}

# What the product's go.mod must not require itself (see .golangci.yml).
forbidden='k8s\.io/kubernetes|github\.com/aws/karpenter-provider-aws|sigs\.k8s\.io/karpenter|github\.com/pulumi/pulumi/pkg/v3|github\.com/pulumi/pulumi-terraform-bridge(/v[0-9]+)?'

requirements() {
  ! grep -nE "^[[:space:]]*(require[[:space:]]+)?($forbidden)[[:space:]]+v" go.mod | grep -v '// indirect'
}

# vulnerable fails for a vulnerability, and not for a database out of reach.
vulnerable() {
  local out status=0
  out=$("$bin/govulncheck" ./... 2>&1) || status=$?
  if [ $status -ne 0 ] && grep -q 'fetching vulnerabilities' <<<"$out"; then
    return 75
  fi
  printf '%s\n' "$out"
  return $status
}

check gofumpt "$root" formatted
check "requirements of go.mod" "$root" requirements
for dir in $(modules); do
  check "go mod tidy $dir" "$dir" go mod tidy -diff
done
for dir in $(modules); do
  # The main package of this one embeds files that only its build has.
  target=./...
  if [ "$dir" = ./tools/pulumi-resource-kubernetes ]; then target=./embed; fi
  check "golangci-lint $dir" "$dir" "$bin/golangci-lint" run "$target"
done
for dir in . ./tests; do
  if [ -f "$dir/go.mod" ]; then
    check "staticcheck $dir" "$dir" "$bin/staticcheck" ./...
    check "govulncheck $dir" "$dir" vulnerable
  fi
done
ruff() { "$bin/venv/bin/ruff" "$@" --no-cache --config tools/python/ruff.toml tests/localcloud/aws; }
if [ -d tests/localcloud/aws ]; then
  check "ruff check" "$root" ruff check
  check "ruff format" "$root" ruff format --check --diff
fi

if [ ${#failed[@]} -gt 0 ]; then
  printf 'lint: %d failed:\n' ${#failed[@]}
  printf '  %s\n' "${failed[@]}"
  exit 1
fi
