{{/* Name of the release's objects: the release's own name when it says what it is, else both names. */}}
{{- define "karmada-operator.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $joined := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- default $joined .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/*
A value with the templates in its strings filled in, as {"value": …}. Every string is filled in by itself and stays a
string, whatever comes out of it. Takes the value and the context.
*/}}
{{- define "karmada-operator.filled" -}}
{{- $context := .context -}}
{{- $result := .value -}}
{{- if and (kindIs "string" .value) (contains "{{" .value) -}}
{{- $result = tpl .value $context -}}
{{- else if kindIs "map" .value -}}
{{- $result = dict -}}
{{- range $key, $item := .value -}}
{{- $filled := include "karmada-operator.filled" (dict "value" $item "context" $context) | fromJson -}}
{{- $_ := set $result $key $filled.value -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- $result = list -}}
{{- range $item := .value -}}
{{- $filled := include "karmada-operator.filled" (dict "value" $item "context" $context) | fromJson -}}
{{- $result = append $result $filled.value -}}
{{- end -}}
{{- end -}}
{{- dict "value" $result | toJson -}}
{{- end -}}

{{/* Labels that the Deployment finds its pods by. They can never change, so no version is among them. */}}
{{- define "karmada-operator.selector" -}}
app: {{ include "karmada-operator.fullname" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "karmada-operator.standardLabels" -}}
{{ include "karmada-operator.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Labels and annotations of an object. Takes the context and, for one object alone, more `labels` and `annotations`. */}}
{{- define "karmada-operator.labels" -}}
{{- $own := include "karmada-operator.standardLabels" .context | fromYaml -}}
{{- $common := include "karmada-operator.filled" (dict "value" .context.Values.commonLabels "context" .context) | fromJson -}}
{{- $more := include "karmada-operator.filled" (dict "value" .labels "context" .context) | fromJson -}}
{{- merge $own (default dict $more.value) (default dict $common.value) | toYaml -}}
{{- end -}}

{{- define "karmada-operator.annotations" -}}
{{- $common := include "karmada-operator.filled" (dict "value" .context.Values.commonAnnotations "context" .context) | fromJson -}}
{{- $all := merge dict (default dict .annotations) (default dict $common.value) -}}
{{- if $all -}}
annotations:
  {{- toYaml $all | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "karmada-operator.image" -}}
{{- $image := .Values.operator.image -}}
{{- if eq $image.repository "karmada/karmada-operator" -}}
{{- fail "operator.image.repository: karmada/karmada-operator is the image of the Go operator; remove operator.image and karmadaOperatorImageVersion from the values" -}}
{{- end -}}
{{- $registry := default $image.registry .Values.global.imageRegistry -}}
{{- $tag := coalesce $image.tag .Values.karmadaOperatorImageVersion .Chart.AppVersion | toString -}}
{{- $name := ternary $image.repository (printf "%s/%s" (trimSuffix "/" (default "" $registry)) $image.repository) (empty $registry) -}}
{{- $reference := printf "%s:%s%s" $name $tag (ternary "" (printf "@%s" (default "" $image.digest)) (empty $image.digest)) -}}
{{- /* A registry with a port, such as localhost:5000, may be one that each node reaches. */ -}}
{{- if and (regexMatch `^(localhost|127\.[0-9.]+|\[::1\])/` $reference) (not $image.preloaded) -}}
{{- $value := ternary "operator.image.repository" (ternary "operator.image.registry" "global.imageRegistry" (empty .Values.global.imageRegistry)) (empty $registry) -}}
{{- fail (printf "%s: nodes cannot pull %s; push the image to a registry and set operator.image.registry to its name, or, if all nodes have the image, set operator.image.preloaded=true" $value $reference) -}}
{{- end -}}
{{- $reference -}}
{{- end -}}

{{- define "karmada-operator.pullSecrets" -}}
{{- $secrets := list -}}
{{- range concat (default list .Values.global.imagePullSecrets) (default list .Values.operator.image.pullSecrets) -}}
{{- $secrets = append $secrets (ternary . (dict "name" .) (kindIs "map" .)) -}}
{{- end -}}
{{- if $secrets -}}
imagePullSecrets:
  {{- toYaml (uniq $secrets) | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* One of the pod's settings with its templates filled in, as YAML below its own key; nothing when it is empty. */}}
{{- define "karmada-operator.setting" -}}
{{- $filled := include "karmada-operator.filled" . | fromJson -}}
{{- if $filled.value -}}
{{- dict .key $filled.value | toYaml -}}
{{- end -}}
{{- end -}}

{{/* The affinity given, or for several replicas a preference of different nodes and zones. */}}
{{- define "karmada-operator.affinity" -}}
{{- if .Values.operator.affinity -}}
{{- include "karmada-operator.setting" (dict "key" "affinity" "value" .Values.operator.affinity "context" .) -}}
{{- else if gt (int .Values.operator.replicaCount) 1 -}}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      {{- range $index, $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
      - weight: {{ sub 100 (mul 50 $index) }}
        podAffinityTerm:
          topologyKey: {{ $key }}
          labelSelector:
            matchLabels:
              {{- include "karmada-operator.selector" $ | nindent 14 }}
      {{- end }}
{{- end -}}
{{- end -}}

{{/* Name of the Service of /metrics. */}}
{{- define "karmada-operator.metricsService" -}}
{{- printf "%s-metrics" (include "karmada-operator.fullname" . | trunc 55 | trimSuffix "-") -}}
{{- end -}}

{{/* Fields that endpoints of a ServiceMonitor and of a PodMonitor have in common. Takes the context and the `monitor` values. */}}
{{- define "karmada-operator.scrape" -}}
{{- $fields := dict "scheme" (ternary "https" "http" (not (not .context.Values.metrics.secure))) -}}
{{- if .context.Values.metrics.secure -}}
{{- $_ := set $fields "tlsConfig" (default (dict "insecureSkipVerify" true) .monitor.tlsConfig) -}}
{{- end -}}
{{- range $key := list "interval" "scrapeTimeout" "authorization" "relabelings" "metricRelabelings" -}}
{{- with get $.monitor $key -}}
{{- $_ := set $fields $key . -}}
{{- end -}}
{{- end -}}
{{- toYaml $fields -}}
{{- end -}}

{{/* Name of the ServiceAccount of the operator. Values files of older charts have no serviceAccount. */}}
{{- define "karmada-operator.serviceAccountName" -}}
{{- $account := default dict .Values.serviceAccount -}}
{{- default (include "karmada-operator.fullname" .) $account.name -}}
{{- end -}}

{{/* Security context of the Pod: that of the values, or of the restricted Pod Security Standard. A field that is null is left out. */}}
{{- define "karmada-operator.podSecurityContext" -}}
{{- $own := dict "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- include "karmada-operator.present" (default $own .Values.operator.podSecurityContext) -}}
{{- end -}}

{{/* Security context of the container, in the same way. */}}
{{- define "karmada-operator.securityContext" -}}
{{- $own := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- include "karmada-operator.present" (default $own .Values.operator.securityContext) -}}
{{- end -}}

{{/* An object as YAML without the fields that are null. */}}
{{- define "karmada-operator.present" -}}
{{- $result := dict -}}
{{- range $key, $item := . -}}
{{- if not (kindIs "invalid" $item) -}}
{{- $_ := set $result $key $item -}}
{{- end -}}
{{- end -}}
{{- toYaml $result -}}
{{- end -}}
