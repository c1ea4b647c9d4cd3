#!/usr/bin/env bash
# A real Kubernetes control plane on loopback, without containers: API server, controller manager, scheduler and etcd from
# the Go module proxy, and kwok in place of kubelets (pods are admitted, scheduled and become Ready, Jobs complete; no image
# is pulled, no process runs). For tools/check-deploy.mjs.
#
#   control-plane.sh build PROGRAMS…   compiles what is missing into $KUBE_HOME/bin (minutes, once): helm, kustomize,
#                                      compose-config, kwok, etcd, kubernetes
#   control-plane.sh up                starts it; writes $KUBE_RUN/kubeconfig
#   control-plane.sh alive             fails when something that "up" started has ended or does not answer
#   control-plane.sh down              stops what "up" started
#
# KUBE_HOME: where programs lie. KUBE_RUN: folder of one control plane. KUBE_PORTS: three loopback ports, of the API server
# and of etcd for clients and peers. Needs go, openssl and curl.
set -euo pipefail
kubernetes=1.35.4 etcd=3.6.13 helm=3.18.6 kwok=0.7.0 kustomize=5.7.1 compose=2.9.0
home=${KUBE_HOME:?} run=${KUBE_RUN:-}
read -r port clients peers <<< "${KUBE_PORTS:-}"
bin=$home/bin api=https://127.0.0.1:$port

build_kubernetes() {
  mkdir -p "$home/src/kubernetes" && cd "$home/src/kubernetes"
  # Kubernetes requires its staged modules at v0.0.0: each is its release of the same minor and patch.
  local staged="api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap
    code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib
    dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy
    kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin
    sample-controller"
  {
    printf 'module controlplane\ngo 1.25.0\nrequire k8s.io/kubernetes v%s\n' "$kubernetes"
    for module in $staged; do echo "replace k8s.io/$module => k8s.io/$module v0.${kubernetes#1.}"; done
  } > go.mod
  local name
  for name in APIServer ControllerManager Scheduler; do
    local program; program=kube-$(sed 's/APIServer/apiserver/; s/ControllerManager/controller-manager/; s/Scheduler/scheduler/' <<< "$name")
    mkdir -p "$program"
    cat > "$program/main.go" <<GO
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/kubernetes/cmd/$program/app"
)

func main() { os.Exit(cli.Run(app.New${name}Command())) }
GO
  done
  go mod tidy
  local version=k8s.io/component-base/version minor=${kubernetes#1.}
  for program in kube-apiserver kube-controller-manager kube-scheduler; do
    go build -o "$bin/$program" -ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" "./$program"
  done
}

build_etcd() {
  mkdir -p "$home/src/etcd" && cd "$home/src/etcd"
  printf 'module etcd\ngo 1.25.0\nrequire go.etcd.io/etcd/server/v3 v%s\n' "$etcd" > go.mod
  printf 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n' > main.go
  go mod tidy
  go build -o "$bin/etcd" -ldflags '-s -w' .
}

# Reads a Compose file as Docker Compose does and prints it as JSON.
build_compose() {
  mkdir -p "$home/src/compose" && cd "$home/src/compose"
  printf 'module composeconfig\ngo 1.25.0\nrequire github.com/compose-spec/compose-go/v2 v%s\n' "$compose" > go.mod
  cat > main.go <<GO
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	text, err := config(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
}

func config(files []string) ([]byte, error) {
	options, err := cli.NewProjectOptions(files)
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.MarshalJSON()
}
GO
  go mod tidy
  go build -o "$bin/compose-config" -ldflags '-s -w' .
}

build() {
  mkdir -p "$bin"
  local program
  for program; do
    case $program in
      helm) [ -x "$bin/helm" ] || GOBIN=$bin go install "helm.sh/helm/v3/cmd/helm@v$helm" ;;
      kustomize) [ -x "$bin/kustomize" ] || GOBIN=$bin go install "sigs.k8s.io/kustomize/kustomize/v5@v$kustomize" ;;
      compose-config) [ -x "$bin/compose-config" ] || (build_compose) ;;
      kwok) [ -x "$bin/kwok" ] || GOBIN=$bin go install "sigs.k8s.io/kwok/cmd/kwok@v$kwok" ;;
      etcd) [ -x "$bin/etcd" ] || (build_etcd) ;;
      kubernetes) [ -x "$bin/kube-scheduler" ] || (build_kubernetes) ;;
      *) echo "There is no program $program" >&2 && return 2 ;;
    esac
  done
}

start() { # name, command…
  local name=$1
  shift
  setsid "$@" > "$run/$name.log" 2>&1 &
  echo $! > "$run/$name.pid"
}

call() {
  curl -sk --fail-with-body -H 'Authorization: Bearer local-admin' -H 'Content-Type: application/json' "$@"
}

await_ready() {
  for _ in $(seq 240); do
    [ "$(call "$api/readyz" 2> /dev/null || true)" = ok ] && return
    kill -0 "$(cat "$run/kube-apiserver.pid")" 2> /dev/null || break
    sleep .5
  done
  tail -n 5 "$run/kube-apiserver.log" >&2
  return 1
}

add_node() { # name, zone
  call "$api/api/v1/nodes" > /dev/null -d @- <<JSON
{
  "apiVersion": "v1", "kind": "Node",
  "metadata": { "name": "$1", "labels": { "kubernetes.io/hostname": "$1", "topology.kubernetes.io/zone": "$2" } },
  "status": {
    "allocatable": { "cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "1Ti" },
    "capacity": { "cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "1Ti" }
  }
}
JSON
}

up() {
  down
  rm -rf "$run"
  mkdir -p "$run" && cd "$run"
  openssl genrsa -out sa.key 2048 2> /dev/null
  openssl rsa -in sa.key -pubout -out sa.pub 2> /dev/null
  echo 'local-admin,admin,1,"system:masters"' > tokens.csv
  local etcd=http://127.0.0.1:$clients peer=http://127.0.0.1:$peers
  start etcd "$bin/etcd" --data-dir etcd --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
    --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer"
  start kube-apiserver "$bin/kube-apiserver" --etcd-servers="$etcd" --bind-address=127.0.0.1 --secure-port="$port" \
    --cert-dir=certs --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=sa.pub \
    --service-account-signing-key-file=sa.key --token-auth-file=tokens.csv --authorization-mode=RBAC \
    --service-cluster-ip-range=10.96.0.0/16 --endpoint-reconciler-type=none
  await_ready
  cat > kubeconfig <<YAML
apiVersion: v1
kind: Config
clusters: [{ name: local, cluster: { server: '$api', insecure-skip-tls-verify: true } }]
users: [{ name: admin, user: { token: local-admin } }]
contexts: [{ name: local, context: { cluster: local, user: admin } }]
current-context: local
YAML
  # Nobody tells that a node is still alive, and pods of a node that is not are never ready again.
  start kube-controller-manager "$bin/kube-controller-manager" --kubeconfig=kubeconfig \
    --service-account-private-key-file=sa.key --leader-elect=false --bind-address=127.0.0.1 --secure-port=0 \
    --controllers='*,-nodeipam,-cloud-node-lifecycle' --node-monitor-grace-period=24h
  start kube-scheduler "$bin/kube-scheduler" --kubeconfig=kubeconfig --leader-elect=false --secure-port=0
  start kwok "$bin/kwok" --kubeconfig=kubeconfig --manage-all-nodes=true
  for n in 1 2 3; do add_node "node-$n" "zone-$n"; done
}

alive() {
  local pid
  for pid in "$run"/*.pid; do
    kill -0 "$(cat "$pid")" 2> /dev/null || {
      echo "$(basename "$pid" .pid) has ended" >&2
      return 1
    }
  done
  [ "$(call "$api/readyz")" = ok ]
}

down() {
  local file pid
  for file in "$run"/*.pid; do
    [ -f "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2> /dev/null || true
    for _ in $(seq 100); do
      kill -0 "$pid" 2> /dev/null || break
      sleep .1
    done
    kill -KILL "$pid" 2> /dev/null || true
    rm "$file"
  done
}

case ${1:-} in
  build | up | alive | down) "$@" ;;
  *) sed -n '2,15p' "$0" >&2 && exit 2 ;;
esac
