{{- define "uncial.labels" -}}
app.kubernetes.io/name: uncial
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "uncial.meta" -}}
{{ include "uncial.labels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "uncial.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "uncial.secret" -}}
{{ required "existingSecret: required; give the name of a Secret with the keys database and key-secret" .Values.existingSecret }}
{{- end }}

{{- define "uncial.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "uncial.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "uncial.databaseEnv" -}}
- name: UNCIAL_DATABASE
  valueFrom: {secretKeyRef: {name: {{ include "uncial.secret" . }}, key: database}}
{{- end }}

{{- /* Seconds that a stopping pod gets: to drain, to finish the longest extraction (deadline plus 120 s), and 10 s to shut down. */ -}}
{{- define "uncial.stopping" -}}
terminationGracePeriodSeconds: {{ add (int .Values.drainSeconds) (int .Values.deadlineSeconds) 120 10 }}
{{- end }}

{{- define "uncial.drain" -}}
# Load balancers keep sending requests for some seconds after a pod was told to stop.
preStop: {sleep: {seconds: {{ int .Values.drainSeconds }}}}
{{- end }}

{{- define "uncial.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
  timeoutSeconds: 3
{{- end }}

{{- define "uncial.postgresEgress" -}}
{{- if not .Values.postgres.peers }}
{{- fail "postgres.peers: required for the network policies; give the peers of Postgres, or set networkPolicy.enabled=false" }}
{{- end }}
- to: {{- toYaml .Values.postgres.peers | nindent 4 }}
  ports: [{port: {{ .Values.postgres.port }}}]
{{- end }}

{{- define "uncial.nameServers" -}}
- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
{{- end }}

{{- define "uncial.metricsIngress" -}}
{{- with .Values.networkPolicy.metrics }}
- from: {{- toYaml . | nindent 4 }}
  ports: [{port: 9090}]
{{- end }}
{{- end }}

{{- /* Spreads the pods of a component over nodes. */ -}}
{{- define "uncial.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "uncial.labels" . | nindent 6 }}
{{- end }}
