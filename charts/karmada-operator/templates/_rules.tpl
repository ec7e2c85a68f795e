{{/*
Rules for the namespaces with control planes: of the ClusterRole, or of the Role in each watched namespace. Each rule is in
src/permissions/needed.ts with the module that needs it; a test compares them.
*/}}
{{- define "karmada-operator.namespaceRules" -}}
# Karmada objects. The operator patches defaults and the finalizer; it never creates or deletes a Karmada.
- apiGroups: [operator.karmada.io]
  resources: [karmadas]
  verbs: [get, list, watch, patch]
- apiGroups: [operator.karmada.io]
  resources: [karmadas/status]
  verbs: [patch]
# Backups and restores. The operator creates backups before upgrades, creates and deletes those of schedules, and sets
# finalizers.
- apiGroups: [backup.operator.karmada.io]
  resources: [karmadabackups]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [backup.operator.karmada.io]
  resources: [karmadabackupschedules]
  verbs: [list, watch]
- apiGroups: [backup.operator.karmada.io]
  resources: [karmadarestores]
  verbs: [get, list, watch, patch]
- apiGroups: [backup.operator.karmada.io]
  resources: [karmadabackupstores]
  verbs: [get, list, watch]
- apiGroups: [backup.operator.karmada.io]
  resources:
    - karmadabackups/status
    - karmadabackupschedules/status
    - karmadabackupstores/status
    - karmadarestores/status
  verbs: [patch]
# Components of a control plane. Besides patch, update is required to change the type of a probe or volume.
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get, list, watch, create, patch, update, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, update, delete]
# Makes a workload the owner of its PodDisruptionBudget, in clusters with OwnerReferencesPermissionEnforcement.
- apiGroups: [apps]
  resources: [deployments/finalizers, statefulsets/finalizers]
  verbs: [update]
# NetworkPolicies of control planes with spec.networkPolicy.
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
# Certificates and kubeconfigs of a control plane, and Secrets that a Karmada references. Karmada objects may be in
# any namespace, and RBAC has no label selector, so this is the widest permission of the operator.
- apiGroups: ['']
  resources: [secrets, services]
  verbs: [get, list, watch, create, patch, delete]
# CRD archive in a ConfigMap that a Karmada references. The operator reads it by name, without list or watch.
- apiGroups: ['']
  resources: [configmaps]
  verbs: [get]
# PVCs of etcd. The operator deletes them only on request, and annotates each with the etcd cluster of its data. It
# creates one only to restore etcd, from a member or from a backup.
- apiGroups: ['']
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, create, patch, delete]
# Pods show why a component is not ready. The operator deletes etcd Pods, one at a time and with a quorum, and Pods of a
# deleted control plane. It creates Pods only for backups, for probes of their stores, and for restores.
- apiGroups: ['']
  resources: [pods]
  verbs: [list, watch, create, patch, delete]
# Services exclude an etcd member that responds to nothing before Kubernetes reports its node.
- apiGroups: ['']
  resources: [pods/status]
  verbs: [patch]
# One Event per condition transition; a repeated Event is patched. Events of Pods, PVCs and Services show why they are not
# ready; they are only read then.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [list, create, patch]
{{- end -}}

{{/* Rules that only a ClusterRole can grant. Takes the context. With watchNamespaces, clusterPermissions selects them. */}}
{{- define "karmada-operator.clusterRules" -}}
{{- $all := not .Values.watchNamespaces -}}
{{- $given := default dict .Values.clusterPermissions -}}
{{- if or $all (ne (toString (get $given "customResourceDefinitions")) "false") }}
# Compares the CRD in the cluster with the one of this operator version.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [karmadas.operator.karmada.io]
  verbs: [get]
{{- end }}
{{- if or $all (ne (toString (get $given "leases")) "false") }}
# Finds a running Go operator before a control plane of it is adopted.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [karmada-operator]
  verbs: [list]
{{- end }}
{{- if or $all (ne (toString (get $given "persistentVolumes")) "false") }}
# Finds volumes with etcd data whose PVC is gone, before a new etcd is created.
- apiGroups: ['']
  resources: [persistentvolumes]
  verbs: [list]
{{- end }}
{{- if $all }}
# A terminating namespace accepts no new objects.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get, list, watch]
{{- else if ne (toString (get $given "namespaces")) "false" }}
# A terminating namespace accepts no new objects.
- apiGroups: ['']
  resources: [namespaces]
  resourceNames: {{ toJson .Values.watchNamespaces }}
  verbs: [list, watch]
{{- end }}
{{- if or $all (ne (toString (get $given "nodes")) "false") }}
# Addresses of nodes for a NodePort Service.
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
{{- end }}
{{- if or $all (ne (toString (get $given "storageClasses")) "false") }}
# Default StorageClass for the etcd PVC.
- apiGroups: [storage.k8s.io]
  resources: [storageclasses]
  verbs: [list, watch]
{{- end }}
{{- end -}}

{{/* Resources of clusterPermissions that are false, as the flag --without-cluster-permissions names them. */}}
{{- define "karmada-operator.withoutClusterPermissions" -}}
{{- $names := list -}}
{{- range $name, $granted := .Values.clusterPermissions -}}
{{- if eq (toString $granted) "false" -}}
{{- $names = append $names (lower $name) -}}
{{- end -}}
{{- end -}}
{{- join "," $names -}}
{{- end -}}
