/**
 * Schemas of the Kubernetes types inside a Karmada, with the validation rules of the host cluster's API server, and with
 * descriptions of this project.
 */
import { readFileSync } from 'node:fs';

import { keysOf, recordOf } from '../../../src/kubernetes/objects/records.ts';
import type { Schema } from '../schema.ts';
import { CLAIMS, RESOURCES } from './claims.ts';
import { CONTAINERS } from './containers.ts';
import { typeNames, withRules, type NamedSchema, type TypeRules } from './overlay.ts';
import { SCHEDULING } from './scheduling.ts';
import { CONTAINER_TEXTS } from './texts/containers.ts';
import { SCHEDULING_TEXTS } from './texts/scheduling.ts';
import { SECURITY_TEXTS } from './texts/security.ts';
import { STORAGE_SYSTEM_TEXTS } from './texts/storage-systems.ts';
import { VOLUME_TEXTS } from './texts/volumes.ts';
import { volume, VOLUMES } from './volumes.ts';
import { unusedDisclosures, withDisclosure } from './with-disclosure.ts';
import { unusedTexts, withTexts } from './with-texts.ts';

export type KubernetesType =
  | 'Affinity'
  | 'Container'
  | 'EmptyDirVolumeSource'
  | 'EnvVar'
  | 'HostPathVolumeSource'
  | 'PersistentVolumeClaimSpec'
  | 'PodSecurityContext'
  | 'ResourceRequirements'
  | 'SecurityContext'
  | 'Toleration'
  | 'TopologySpreadConstraint'
  | 'Volume'
  | 'VolumeMount';

const { types } = JSON.parse(
  readFileSync(new URL('../kubernetes-types.json', import.meta.url), 'utf8'),
) as { types: Readonly<Record<KubernetesType, NamedSchema>> };

const sources = Object.keys(types.Volume.properties ?? {}).filter((name) => name !== 'name');

const RULES: TypeRules = {
  ...SCHEDULING,
  ...RESOURCES,
  ...CLAIMS,
  ...VOLUMES,
  ...CONTAINERS,
  Volume: volume(sources),
};

const known = new Set(Object.values(types).flatMap(typeNames));
const unknown = Object.keys(RULES).filter((name) => !known.has(name));
if (unknown.length > 0) throw new Error(`Rules exist for unknown types: ${unknown.join()}.`);

const TEXTS = {
  ...SCHEDULING_TEXTS,
  ...CONTAINER_TEXTS,
  ...SECURITY_TEXTS,
  ...VOLUME_TEXTS,
  ...STORAGE_SYSTEM_TEXTS,
};
const unused = [
  ...unusedTexts(Object.values(types), TEXTS),
  ...unusedDisclosures(Object.values(types)),
];
if (unused.length > 0) throw new Error(`Tables name unknown fields: ${unused.join()}.`);

export const kubernetes: Readonly<Record<KubernetesType, Schema>> = recordOf(
  keysOf(types).map(
    (name) => [name, withRules(withDisclosure(withTexts(types[name], TEXTS)), RULES)] as const,
  ),
);
