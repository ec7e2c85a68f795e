/** A small archive in the form that Karmada releases have. */
import type { ArchiveEntry } from '../archive.ts';
import { readCrdFile } from '../crd-files.ts';
import { toCrdArchive, type CrdArchive } from '../crds.ts';

export const parseCrdArchive = (entries: readonly ArchiveEntry[]): CrdArchive =>
  toCrdArchive(entries.map(readCrdFile));

/** A CRD file; `more` goes into its spec as is. */
export function base(group: string, plural: string, more = ''): ArchiveEntry {
  return {
    path: `crds/bases/${group.split('.')[0]}/${group}_${plural}.yaml`,
    text: `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.20.0
  creationTimestamp: null
  name: ${plural}.${group}
spec:
  group: ${group}
  names:
    kind: Thing
    plural: ${plural}
  scope: Namespaced
${more}  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
status:
  acceptedNames: {}
`,
  };
}

/** A conversion patch; the URL has the placeholders that Karmada's own patches have. */
export function patch(
  name: string,
  url = 'https://{{name}}.{{namespace}}.svc:443/convert',
): ArchiveEntry {
  return {
    path: `crds/patches/webhook_in_${name.split('.')[0]}.yaml`,
    text: `# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${name}
spec:
  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        url: "${url}"
        caBundle: "{{caBundle}}"
      conversionReviewVersions: ["v1"]
`,
  };
}

export const ARCHIVE: readonly ArchiveEntry[] = [
  base('work.karmada.io', 'resourcebindings'),
  base('work.karmada.io', 'works'),
  base('multicluster.x-k8s.io', 'serviceexports'),
  patch('resourcebindings.work.karmada.io'),
  { path: 'crds/kustomization.yaml', text: 'resources: []\n' },
];
