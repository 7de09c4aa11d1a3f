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
{{ required "existingSecret: name a Secret with the keys database and key-secret" .Values.existingSecret }}
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
- name: UNCIAL_KEY_SECRET
  valueFrom: {secretKeyRef: {name: {{ include "uncial.secret" . }}, key: key-secret}}
{{- end }}
