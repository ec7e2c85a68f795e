/** What the schemas of several components have in common. */
import { readFileSync } from 'node:fs';

import { DISRUPTION_RULES } from './rules.ts';
import type { Schema } from './schema.ts';
import {
  booleanMap,
  described,
  flag,
  integer,
  intOrString,
  list,
  object,
  stringMap,
  text,
} from './schema.ts';

type KubernetesType =
  | 'Affinity'
  | 'Container'
  | 'EmptyDirVolumeSource'
  | 'HostPathVolumeSource'
  | 'PersistentVolumeClaimSpec'
  | 'ResourceRequirements'
  | 'Toleration'
  | 'Volume'
  | 'VolumeMount';

const imported = JSON.parse(
  readFileSync(new URL('kubernetes-types.json', import.meta.url), 'utf8'),
) as { types: Record<KubernetesType, Schema> };
export const kubernetes = imported.types;

type Properties = Readonly<Record<string, Schema>>;

/** Settings that every component has; `fewest` is the lowest number of replicas that can work. */
export function commonSettings(replicas: number, fewest: 0 | 1, tag: string): Properties {
  return {
    imageRepository: text(
      'Image without its tag. Default: the official image, or its name below spec.privateRegistry.registry.',
    ),
    imageTag: text(
      `Tag of the image. Default: ${tag}. A stored default is never moved by a newer operator; set the tag to upgrade.`,
    ),
    imagePullPolicy: text('Always, IfNotPresent or Never. Default: IfNotPresent.'),
    replicas: integer(`Number of pods, at least ${fewest}. Default: ${replicas}.`, 'int32', {
      minimum: fewest,
    }),
    labels: stringMap(
      'Labels for the workload and its pods, laid over those of the operator. The selector stays as it is.',
    ),
    annotations: stringMap('Annotations for the workload and its pods.'),
    resources: described(
      'Requests and limits of the main container.',
      kubernetes.ResourceRequirements,
    ),
    priorityClassName: text(
      'Priority class of the pods. Quotas often allow the default in kube-system only: name another class then.',
      { default: 'system-node-critical' },
    ),
    podDisruptionBudgetConfig: object(
      'Disruption budget of the pods; without it there is none. Exactly one of the two fields is to be set.',
      {
        minAvailable: intOrString('Pods that must stay, as a number or a percentage.'),
        maxUnavailable: intOrString('Pods that may be away, as a number or a percentage.'),
      },
      { 'x-kubernetes-validations': DISRUPTION_RULES },
    ),
    tolerations: list(
      'Tolerations of the pods; a list that is not empty replaces the default ones.',
      kubernetes.Toleration,
    ),
    affinity: described('Affinity of the pods; replaces the default one.', kubernetes.Affinity),
  };
}

export const extraArgs = stringMap(
  'Flags of the process, without leading dashes. They are added to those of the operator or replace them.',
);

export function featureGates(binary: string): Schema {
  return booleanMap(`Feature gates of ${binary}, laid over those of spec.featureGates.`);
}

export function kubernetesGates(binary: string): Schema {
  return booleanMap(`Feature gates of ${binary}; those of spec.featureGates do not reach it.`);
}

export function subjectAltNames(what: string): Schema {
  return list(`More DNS names and IP addresses for ${what}.`, { type: 'string' });
}

export function controllers(binary: string, example: string): Schema {
  return list(
    `Controllers that ${binary} runs: names, "*" for all that are on by default, "-name" to switch one off, such as ${example}. Default: those that Karmada needs.`,
    { type: 'string' },
  );
}

export function enabled(what: string): Schema {
  return flag(`False takes ${what} away with all that belongs to it. Default: true.`);
}

const RELEASE =
  'the release that the components beside it name, else the one this operator was built for';

export function component(what: string, own: Properties, replicas = 1, fewest: 0 | 1 = 0): Schema {
  return object(what, { ...own, ...commonSettings(replicas, fewest, RELEASE) });
}
