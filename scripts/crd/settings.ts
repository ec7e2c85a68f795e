/** What the schemas of several components have in common. */
import { annotations, labels } from './kubernetes/claims.ts';
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
import { DESCRIBED, IN_FULL, IN_SHORT, type CommonTexts } from './texts.ts';

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

/** Settings that every component has. */
export function commonSettings(pods: Pods, texts: CommonTexts): Properties {
  return { ...imageSettings(texts), ...podSettings(pods, texts), ...schedulingSettings(texts) };
}

function imageSettings(texts: CommonTexts): Properties {
  return {
    imageRepository: text(texts.imageRepository, IMAGE_REPOSITORY),
    imageTag: text(texts.imageTag, IMAGE_TAG),
    imagePullPolicy: text(texts.imagePullPolicy, PULL_POLICY),
  };
}

function podSettings({ name, replicas, fewest, most }: Pods, texts: CommonTexts): Properties {
  return {
    replicas: integer(`${texts.replicas} Default: ${replicas}.`, 'int32', {
      minimum: fewest,
      ...(most !== undefined && { maximum: most }),
    }),
    labels: lay(stringMap(texts.labels), ownLabels(name)),
    annotations: lay(
      stringMap(texts.annotations),
      annotations(` && !k.startsWith('${OWN_PREFIX}')`, `, and none of ${OWN_PREFIX}`),
    ),
    resources: described(texts.resources, kubernetes.ResourceRequirements),
  };
}

function schedulingSettings(texts: CommonTexts): Properties {
  const bound = (what: string): Schema => lay(intOrString(what), COUNT_OR_PERCENT);
  return {
    priorityClassName: text(texts.priorityClassName, {
      default: 'system-node-critical',
      ...OPTIONAL_OBJECT_NAME,
    }),
    podDisruptionBudgetConfig: object(
      texts.podDisruptionBudgetConfig,
      { minAvailable: bound(texts.minAvailable), maxUnavailable: bound(texts.maxUnavailable) },
      { 'x-kubernetes-validations': DISRUPTION_RULES },
    ),
    tolerations: list(texts.tolerations, kubernetes.Toleration, { maxItems: 128 }),
    affinity: described(texts.affinity, kubernetes.Affinity),
  };
}

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

/** A component with the settings that all have; `pods` says what is not as in most. */
export function component(
  what: string,
  name: string,
  own: Properties,
  pods: Partial<Pods> = {},
): Schema {
  const texts = name === DESCRIBED ? IN_FULL : IN_SHORT;
  const all = { ...own, ...commonSettings({ name, replicas: 1, fewest: 0, ...pods }, texts) };
  return object(what, all, { 'x-kubernetes-validations': IMAGE_RULES });
}
