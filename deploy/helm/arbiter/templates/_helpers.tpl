{{- define "arbiter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* Truncated so that the name with the longest suffix has at most 63 characters. */}}
{{- define "arbiter.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "arbiter.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "arbiter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "arbiter.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "arbiter.labels" -}}
{{ include "arbiter.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "arbiter.serviceAccountName" -}}
{{- default (ternary (include "arbiter.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "arbiter.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "arbiter.appProtocol" -}}
{{- default (ternary "https" "kubernetes.io/h2c" .Values.tls.enabled) .Values.service.appProtocol -}}
{{- end -}}

{{/* Converts a duration such as 500ms, 10s, 5m or 1h to milliseconds. */}}
{{- define "arbiter.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 -}}
{{- mul (regexFind "^[0-9]+" .) (get $units (regexFind "[a-z]+$" .)) -}}
{{- end -}}

{{/*
The termination grace period in seconds: the maximum duration of a graceful shutdown, plus 5. After the drain timeout the
server needs up to 1 second to close connections, and 2 to flush traces.
*/}}
{{- define "arbiter.gracePeriod" -}}
{{- $delay := include "arbiter.milliseconds" .Values.limits.drainDelay | int64 -}}
{{- $timeout := include "arbiter.milliseconds" .Values.limits.drainTimeout | int64 -}}
{{- add .Values.preStopSleepSeconds (div (add $delay $timeout 999) 1000) 5 -}}
{{- end -}}

{{/* Whether gRPC probes work: the kubelet uses neither TLS nor tokens for them. */}}
{{- define "arbiter.grpcProbes" -}}
{{- $health := or (not .Values.tokens.secretName) (has "health" .Values.tokens.openServices) -}}
{{- if and (not .Values.tls.enabled) $health -}}true{{- end -}}
{{- end -}}

{{/* A probe. Takes (dict "root" $ "kind" "liveness" "path" "/live"). */}}
{{- define "arbiter.probe" -}}
{{- $probe := index .root.Values.probes .kind -}}
{{- $grpc := include "arbiter.grpcProbes" .root -}}
{{- if and (eq $probe.type "grpc") (not $grpc) -}}
{{- fail (printf "probes.%s.type: gRPC probes do not work with tls.enabled, or with tokens unless tokens.openServices has health" .kind) -}}
{{- end -}}
{{- if and $grpc (ne $probe.type "http") -}}
grpc:
  port: {{ .root.Values.ports.grpc }}
{{- else -}}
httpGet:
  path: {{ .path }}
  port: admin
{{- end }}
periodSeconds: {{ $probe.periodSeconds }}
timeoutSeconds: {{ $probe.timeoutSeconds }}
failureThreshold: {{ $probe.failureThreshold }}
{{- end -}}

{{/*
The expression of an alert, restricted to the pods of this release. Takes (dict "root" $ "rule" .).
*/}}
{{- define "arbiter.alertExpression" -}}
{{- $job := include "arbiter.fullname" .root | printf "%s-metrics" -}}
{{- $selector := printf "namespace=%q,job=%q" .root.Release.Namespace $job -}}
{{- $metric := "\\b(up|(?:arbiter|grpc_server|process)_[a-z_]+)\\b(?:\\{([^}]*)\\})?" -}}
{{- $expression := .rule.expr | replace "job=~\".*arbiter.*\"" "" -}}
{{- $expression = regexReplaceAll $metric $expression (printf "${1}{%s,${2}}" $selector) | replace ",}" "}" -}}
{{- $expression -}}
{{- end -}}

{{/* Fails for combinations of values that the schema cannot reject. */}}
{{- define "arbiter.validate" -}}
{{- with .Values -}}
{{- if eq (int .ports.grpc) (int .ports.admin) -}}
{{- fail "ports.grpc and ports.admin must differ" -}}
{{- end -}}
{{- if and .preStopSleepSeconds (not (semverCompare ">=1.30.0-0" $.Capabilities.KubeVersion.Version)) -}}
{{- fail "preStopSleepSeconds needs Kubernetes 1.30 or later: use limits.drainDelay" -}}
{{- end -}}
{{- if and .autoscaling.enabled (gt (int .autoscaling.minReplicas) (int .autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas is more than autoscaling.maxReplicas" -}}
{{- end -}}
{{- if and .autoscaling.enabled (not (dig "requests" "cpu" "" .resources)) -}}
{{- fail "autoscaling needs resources.requests.cpu" -}}
{{- end -}}
{{- if lt (include "arbiter.milliseconds" .limits.drainTimeout | int64) (include "arbiter.milliseconds" .limits.callTimeout | int64) -}}
{{- fail "limits.drainTimeout is less than limits.callTimeout: rollouts would cancel calls" -}}
{{- end -}}
{{- $interval := include "arbiter.milliseconds" .serviceMonitor.interval | int64 -}}
{{- if gt (include "arbiter.milliseconds" .serviceMonitor.scrapeTimeout | int64) $interval -}}
{{- fail "serviceMonitor.scrapeTimeout is more than serviceMonitor.interval: the operator would ignore the ServiceMonitor" -}}
{{- end -}}
{{- if and .serviceMonitor.enabled .networkPolicy.enabled (not .networkPolicy.adminFrom) -}}
{{- fail "serviceMonitor with networkPolicy needs networkPolicy.adminFrom: Prometheus could not reach the metrics" -}}
{{- end -}}
{{- if and .prometheusRule.enabled (not .serviceMonitor.enabled) -}}
{{- fail "prometheusRule needs serviceMonitor.enabled: the alerts select the labels that it sets" -}}
{{- end -}}
{{- end -}}
{{- end -}}
