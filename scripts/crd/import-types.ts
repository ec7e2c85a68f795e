/**
 * Generates `kubernetes-types.json`, the structural schemas of the Kubernetes types inside a Karmada, from the
 * OpenAPI document of a kube-apiserver. To update to a newer Kubernetes release, run:
 *
 *     kubectl get --raw /openapi/v3/api/v1 > core.json
 *     node scripts/run.mjs scripts/crd/import-types.ts core.json v1.35.4
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { fieldsOf } from '../../src/kubernetes/objects/records.ts';
import { structural } from './structural.ts';

const TYPES = [
  'Affinity',
  'Container',
  'EmptyDirVolumeSource',
  'EnvVar',
  'HostPathVolumeSource',
  'PersistentVolumeClaimSpec',
  'PodSecurityContext',
  'ResourceRequirements',
  'SecurityContext',
  'Toleration',
  'TopologySpreadConstraint',
  'Volume',
  'VolumeMount',
] as const;

const [file, release] = process.argv.slice(2);
if (file === undefined || release === undefined) {
  throw new Error('Usage: import-types.ts OPENAPI_V3_CORE_JSON KUBERNETES_RELEASE');
}
const document = fieldsOf(JSON.parse(readFileSync(file, 'utf8')));
const schemas = fieldsOf(fieldsOf(document['components'])['schemas']);
const types = Object.fromEntries(
  TYPES.map((name) => [name, structural(schemas, `io.k8s.api.core.v1.${name}`)]),
);
const target = new URL('kubernetes-types.json', import.meta.url);
writeFileSync(target, `${JSON.stringify({ kubernetes: release, types }, undefined, 1)}\n`);
