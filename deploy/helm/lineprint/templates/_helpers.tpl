{{- define "lineprint.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "lineprint.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := include "lineprint.name" . }}
{{- if contains $name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "lineprint.selector" -}}
app.kubernetes.io/name: {{ include "lineprint.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lineprint.labels" -}}
{{ include "lineprint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: lineprint
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "lineprint.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "lineprint.fullname" .) .Values.serviceAccount.name }}
{{- else }}{{ default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* Image of a service: a list of the root context and the service's name. */}}
{{- define "lineprint.image" -}}
{{- $root := index . 0 -}}
{{ printf "%s/%s:%s" $root.Values.image.repository (index . 1) (default $root.Chart.AppVersion $root.Values.image.tag) }}
{{- end }}

{{/* Whether hooks can rely on secrets and stores that the release itself brings: they come after the hooks. */}}
{{- define "lineprint.hooked" -}}
{{- if and .Values.migrations.hook (not .Values.trial.postgresql.enabled) }}true{{ end }}
{{- end }}

{{- define "lineprint.brokers" -}}
{{- if .Values.trial.kafka.enabled }}{{ printf "%s-kafka:9092" (include "lineprint.fullname" .) }}
{{- else }}{{ join "," .Values.kafka.brokers }}
{{- end }}
{{- end }}

{{/* Name of the secret that holds the URLs and keys given as values. */}}
{{- define "lineprint.secret" -}}
{{ include "lineprint.fullname" . }}-connections
{{- end }}

{{/* Variables with secrets: a list of the root context and the suffix of the secret's name. */}}
{{- define "lineprint.env" -}}
{{- $root := index . 0 }}
{{- $own := printf "%s%s" (include "lineprint.secret" $root) (index . 1) }}
{{- $v := $root.Values }}
- name: LINEPRINT_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ default $own $v.postgresql.existingSecret }}
      key: {{ ternary $v.postgresql.existingSecretKey "databaseUrl" (ne $v.postgresql.existingSecret "") }}
- name: LINEPRINT_RECALL_URL
  valueFrom:
    secretKeyRef:
      name: {{ default $own $v.redis.existingSecret }}
      key: {{ ternary $v.redis.existingSecretKey "recallUrl" (ne $v.redis.existingSecret "") }}
{{- with $v.settings.rawCodeSecret }}
- name: LINEPRINT_RAW_CODE_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: key } }
{{- end }}
{{- end }}

{{- define "lineprint.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.postgresql.caSecret }}
- { name: postgresql-ca, mountPath: /etc/lineprint/postgresql, readOnly: true }
{{- end }}
{{- if .Values.kafka.tls.existingSecret }}
- { name: kafka-tls, mountPath: /etc/lineprint/kafka-tls, readOnly: true }
{{- end }}
{{- if .Values.kafka.sasl.mechanism }}
- { name: kafka-sasl, mountPath: /etc/lineprint/kafka-sasl, readOnly: true }
{{- end }}
{{- end }}

{{- define "lineprint.volumes" -}}
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- with .Values.postgresql.caSecret }}
- { name: postgresql-ca, secret: { secretName: {{ . }} } }
{{- end }}
{{- with .Values.kafka.tls.existingSecret }}
- { name: kafka-tls, secret: { secretName: {{ . }}, defaultMode: 0440 } }
{{- end }}
{{- if .Values.kafka.sasl.mechanism }}
- name: kafka-sasl
  secret:
    secretName: {{ .Values.kafka.sasl.existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .Values.kafka.sasl.existingSecretKey }}, path: password }]
{{- end }}
{{- end }}

{{/* What would only fail later, or silently. */}}
{{- define "lineprint.validate" -}}
{{- $v := .Values }}
{{- if not (or $v.postgresql.existingSecret $v.postgresql.url $v.trial.postgresql.enabled) }}
{{- fail "Give Postgres: postgresql.existingSecret (or postgresql.url, or trial.postgresql.enabled for a trial)." }}
{{- end }}
{{- if not (or $v.kafka.brokers $v.trial.kafka.enabled) }}
{{- fail "Give Kafka: kafka.brokers, a list of host:port (or trial.kafka.enabled for a trial)." }}
{{- end }}
{{- if not (or $v.redis.existingSecret $v.redis.url $v.trial.redis.enabled) }}
{{- fail "Give Redis: redis.existingSecret (or redis.url, or trial.redis.enabled for a trial)." }}
{{- end }}
{{- if and $v.kafka.sasl.mechanism (not (and $v.kafka.sasl.username $v.kafka.sasl.existingSecret)) }}
{{- fail "kafka.sasl.mechanism needs kafka.sasl.username and kafka.sasl.existingSecret." }}
{{- end }}
{{- if and $v.kafka.tls.existingSecret (not $v.kafka.tls.enabled) }}
{{- fail "kafka.tls.existingSecret needs kafka.tls.enabled=true." }}
{{- end }}
{{- if and $v.kafka.tls.clientCertificate (not $v.kafka.tls.existingSecret) }}
{{- fail "kafka.tls.clientCertificate needs kafka.tls.existingSecret with tls.crt and tls.key." }}
{{- end }}
{{- range $name, $service := $v.services }}
{{- if and (gt (int $service.replicas) (int $v.kafka.partitions)) (not (has $name (list "ingest" "query-api"))) }}
{{- fail (printf "services.%s.replicas is %d, more than kafka.partitions (%d): the others would have nothing to do." $name (int $service.replicas) (int $v.kafka.partitions)) }}
{{- end }}
{{- end }}
{{- if .Release.IsUpgrade }}
{{- $old := lookup "v1" "ConfigMap" .Release.Namespace (include "lineprint.fullname" .) }}
{{- if $old }}
{{- $partitions := int (index (default dict $old.data) "LINEPRINT_PARTITIONS") }}
{{- if lt (int $v.kafka.partitions) $partitions }}
{{- fail (printf "kafka.partitions was %d and cannot become %d: topics do not shrink, and keys would change their order." $partitions (int $v.kafka.partitions)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
