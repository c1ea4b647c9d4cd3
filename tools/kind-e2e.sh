#!/usr/bin/env bash
# Lineprint on a cluster whose nodes run containers: install, demo, upgrade, rollback, uninstall; the numbers of the demo must
# outlive each of them. Trial servers come with the release. Prints what it does; ends with 0 when all of it held.
#
#   tools/kind-e2e.sh                                  makes a cluster with kind, builds the images with docker, removes both
#   KUBECONFIG=… IMAGES=REGISTRY/lineprint TAG=0.1.0 tools/kind-e2e.sh
#                                                      a cluster that is there and can pull these images
#
# Needs helm, kubectl, curl and node; without IMAGES also kind and docker. NAMESPACE (default: lineprint-e2e) is made and
# deleted; a cluster of one's own needs a default storage class. KEEP=yes leaves everything for a look at it.
set -euo pipefail
cd "$(dirname "$0")/.."

namespace=${NAMESPACE:-lineprint-e2e}
images=${IMAGES:-lineprint}
tag=${TAG:-e2e}
cluster=lineprint-e2e
release=lineprint
limit=10m
work=$(mktemp -d)
forwards=()
made_cluster=

say() { printf '── %s\n' "$*"; }

need() {
  local program
  for program; do
    command -v "$program" > /dev/null || { echo "needs $program" >&2 && exit 2; }
  done
}

end() {
  local code=$?
  if [ "$code" -ne 0 ]; then
    kubectl -n "$namespace" get pods,jobs,events --sort-by=.metadata.creationTimestamp >&2 || true
  fi
  [ "${#forwards[@]}" -eq 0 ] || kill "${forwards[@]}" 2> /dev/null || true
  if [ "${KEEP:-}" != yes ]; then
    if [ -n "$made_cluster" ]; then
      kind delete cluster --name "$cluster" || true
    else
      kubectl delete namespace "$namespace" --ignore-not-found || true
    fi
  fi
  rm -rf "$work"
  exit "$code"
}

make_cluster() {
  need kind docker
  say "cluster $cluster"
  export KUBECONFIG=$work/kubeconfig
  made_cluster=yes
  kind create cluster --name "$cluster" --wait 5m
  local service
  for service in ingest indexer commit-analyzer line-attributor rollup query-api cli; do
    say "image $service"
    docker build --quiet --build-arg "SERVICE=$service" --tag "$images/$service:$tag" .
    kind load docker-image --name "$cluster" "$images/$service:$tag"
  done
}

# $1: what to do (install or upgrade); the rest are arguments of helm
release() {
  local verb=$1
  shift
  helm "$verb" "$release" deploy/helm/lineprint --namespace "$namespace" --values deploy/helm/lineprint/presets/small.yaml \
    --set "image.repository=$images,image.tag=$tag,image.pullPolicy=IfNotPresent" \
    --set trial.kafka.enabled=true,trial.redis.enabled=true,trial.postgresql.enabled=true \
    --wait --wait-for-jobs --timeout "$limit" "$@" > /dev/null
}

# A pod of the command line, with the settings of the release: $1 its name, the rest the command. Prints what it printed.
lineprint() {
  local name=$1
  shift
  kubectl -n "$namespace" apply -f - > /dev/null << YAML
apiVersion: v1
kind: Pod
metadata: { name: $name }
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
  containers:
    - name: lineprint
      image: $images/cli:$tag
      args: $(node -p 'JSON.stringify(process.argv.slice(1))' -- "$@")
      envFrom: [{ configMapRef: { name: $release } }]
      env:
        - name: LINEPRINT_DATABASE_URL
          valueFrom: { secretKeyRef: { name: $release-connections, key: databaseUrl } }
        - { name: LINEPRINT_URL, value: 'http://$release-ingest:7310' }
        - { name: LINEPRINT_QUERY_URL, value: 'http://$release-query-api:7310' }
        - { name: LINEPRINT_API_KEY, value: '${LINEPRINT_API_KEY:-}' }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts: [{ name: tmp, mountPath: /tmp }]
  volumes: [{ name: tmp, emptyDir: {} }]
YAML
  kubectl -n "$namespace" wait "pod/$name" --for=jsonpath='{.status.phase}'=Succeeded --timeout="$limit" > /dev/null || {
    kubectl -n "$namespace" logs "pod/$name" >&2 || true
    return 1
  }
  kubectl -n "$namespace" logs "pod/$name" | grep '^{' | tail -n 1
}

# The organisation's figures, from the API as it is reached from outside.
figures() {
  local port=17311 forward
  kubectl -n "$namespace" port-forward "service/$release-query-api" "$port:7310" > /dev/null &
  forward=$!
  forwards+=("$forward")
  curl --silent --show-error --fail --retry 30 --retry-delay 1 --retry-all-errors \
    --header "Authorization: Bearer $LINEPRINT_API_KEY" "http://127.0.0.1:$port/api/v1/summary"
  kill "$forward"
  wait "$forward" 2> /dev/null || true
}

# The figures are still those of the demo. $1: after what
expect_same() {
  local now
  now=$(figures)
  [ "$now" = "$demo" ] || {
    printf 'after %s: %s\nafter the demo: %s\n' "$1" "$now" "$demo" >&2
    return 1
  }
  say "after $1 the numbers are those of the demo"
}

field() { node -p 'JSON.parse(process.argv[1])[process.argv[2]] ?? ""' -- "$1" "$2"; }

need helm kubectl curl node
trap end EXIT
[ -n "${IMAGES:-}" ] || make_cluster
kubectl create namespace "$namespace" > /dev/null
kubectl label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted > /dev/null

say install
release install

say demo
key=$(lineprint key admin key --json)
LINEPRINT_API_KEY=$(field "$key" apiKey)
outcome=$(lineprint demo sample --json)
node - "$outcome" << 'JS'
const { commits, truth } = JSON.parse(process.argv[2]);
console.log(`   ${commits} commits, ${truth.right} of ${truth.lines} lines right`);
if (!(commits > 0) || truth.right < 0.9 * truth.lines) process.exit(1);
JS
demo=$(figures)

say upgrade
release upgrade --set services.indexer.replicas=2,settings.logLevel=debug
expect_same 'the upgrade'

say rollback
helm rollback "$release" 1 --namespace "$namespace" --wait --timeout "$limit" > /dev/null
[ "$(kubectl -n "$namespace" get deployment "$release-indexer" -o 'jsonpath={.spec.replicas}')" = 1 ]
expect_same 'the rollback'

say uninstall
helm uninstall "$release" --namespace "$namespace" --wait --timeout "$limit" > /dev/null
left=$(kubectl -n "$namespace" get deployments,statefulsets,services,configmaps,secrets -o name \
  -l "app.kubernetes.io/instance=$release")
[ -z "$left" ] || { printf 'left: %s\n' "$left" >&2 && exit 1; }
say 'all of it held'
