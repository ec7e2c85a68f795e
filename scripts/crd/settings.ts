/** What the schemas of several components have in common. */
import { annotations, labels, WITHIN_LIMITS } from './kubernetes/claims.ts';
import { lay, type Overlay } from './kubernetes/overlay.ts';
import { OPTIONAL_OBJECT_NAME, PULL_POLICY } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
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
import {
  CONTROLLER,
  COUNT_OR_PERCENT,
  FLAGS,
  GATES,
  IMAGE_REPOSITORY,
  IMAGE_RULES,
  IMAGE_TAG,
  SUBJECT_ALT_NAME,
} from './syntax.ts';

type Properties = Readonly<Record<string, Schema>>;

/** What sets the pods of one component apart from those of another. */
export interface Pods {
  /** Value of their label `app.kubernetes.io/name`. */
  readonly name: string;
  readonly replicas: number;
  /** The lowest number of replicas that can work, and the highest. */
  readonly fewest: 0 | 1;
  readonly most?: number;
}

/** Settings that every component has; `tag` says what the default of the image's tag is. */
export function commonSettings(pods: Pods, tag: string): Properties {
  return { ...imageSettings(tag), ...podSettings(pods), ...schedulingSettings };
}

function imageSettings(tag: string): Properties {
  return {
    imageRepository: text(
      'Image without its tag. Default: the official image, or its name below spec.privateRegistry.registry.',
      IMAGE_REPOSITORY,
    ),
    imageTag: text(
      `Tag of the image. Default: ${tag}. Set it to upgrade: no newer operator moves a stored tag.`,
      IMAGE_TAG,
    ),
    imagePullPolicy: text('Always, IfNotPresent or Never. Default: IfNotPresent.', PULL_POLICY),
  };
}

function podSettings({ name, replicas, fewest, most }: Pods): Properties {
  return {
    replicas: integer(`Number of pods, at least ${fewest}. Default: ${replicas}.`, 'int32', {
      minimum: fewest,
      ...(most !== undefined && { maximum: most }),
    }),
    labels: lay(
      stringMap('Labels for the workload and its pods. The selector stays as it is.'),
      ownLabels(name),
    ),
    annotations: lay(
      stringMap('Annotations for the workload and its pods.'),
      annotations(` && !k.startsWith('${OWN_PREFIX}')`, `, and none of ${OWN_PREFIX}`),
    ),
    resources: described(
      'Requests and limits of the main container.',
      lay(kubernetes.ResourceRequirements, WITHIN_LIMITS),
    ),
  };
}

const schedulingSettings: Properties = {
  priorityClassName: text(
    'Priority class of the pods. Quotas often allow the default in kube-system only.',
    { default: 'system-node-critical', ...OPTIONAL_OBJECT_NAME },
  ),
  podDisruptionBudgetConfig: object(
    'Disruption budget of the pods. Exactly one of its fields is to be set.',
    {
      minAvailable: lay(
        intOrString('Pods that must stay, as a number or a percentage.'),
        COUNT_OR_PERCENT,
      ),
      maxUnavailable: lay(
        intOrString('Pods that may be away, as a number or a percentage.'),
        COUNT_OR_PERCENT,
      ),
    },
    { 'x-kubernetes-validations': DISRUPTION_RULES },
  ),
  tolerations: list(
    'Tolerations of the pods; a list that is not empty replaces the default ones.',
    kubernetes.Toleration,
    { maxItems: 128 },
  ),
  affinity: described('Affinity of the pods; replaces the default one.', kubernetes.Affinity),
};

const OWN_PREFIX = 'operator.karmada.io/';

/** The labels that select the pods, but for the one with the name of the Karmada: see `ROOT_RULES`. */
function ownLabels(name: string): Overlay {
  const fixed = {
    'app.kubernetes.io/name': name,
    ...(name === 'karmada-search' && { apiserver: 'true' }),
  };
  const kept = Object.entries(fixed).map(
    ([key, value]) => ` && (k != '${key}' || self[k] == '${value}')`,
  );
  return labels(
    ` && !k.startsWith('${OWN_PREFIX}')${kept.join('')}`,
    `; ${Object.keys(fixed).join(', ')} and ${OWN_PREFIX} are the operator's`,
  );
}

export const extraArgs = lay(
  stringMap('Flags without leading dashes, added to those of the operator or in their place.'),
  FLAGS,
);

export function featureGates(binary: string): Schema {
  return lay(
    booleanMap(`Feature gates of ${binary}, laid over those of spec.featureGates.`),
    GATES,
  );
}

export function kubernetesGates(binary: string): Schema {
  return lay(
    booleanMap(`Feature gates of ${binary}; those of spec.featureGates do not reach it.`),
    GATES,
  );
}

export function subjectAltNames(what: string): Schema {
  return list(
    `More DNS names and IP addresses for ${what}.`,
    lay({ type: 'string' }, SUBJECT_ALT_NAME),
    { maxItems: 256 },
  );
}

export function controllers(binary: string, example: string): Schema {
  return list(
    `Controllers that ${binary} runs: names, "*" for all that are on by default, "-name" to switch one off, such as ${example}. Default: those that Karmada needs.`,
    { type: 'string', ...CONTROLLER },
  );
}

export function enabled(what: string): Schema {
  return flag(`False takes ${what} away with all that belongs to it. Default: true.`);
}

const RELEASE =
  'the release that the components beside it name, else the one this operator was built for';

/** A component with the settings that all have; `pods` says what is not as in most. */
export function component(
  what: string,
  name: string,
  own: Properties,
  pods: Partial<Pods> = {},
): Schema {
  const all = { ...own, ...commonSettings({ name, replicas: 1, fewest: 0, ...pods }, RELEASE) };
  return object(what, all, { 'x-kubernetes-validations': IMAGE_RULES });
}
