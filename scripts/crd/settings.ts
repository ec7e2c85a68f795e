/** Schemas of the settings that several components have in common. */
import { DEFAULT_PRIORITY_CLASS } from '../../src/api/defaults/pod-settings.ts';
import { annotations, labels } from './kubernetes/claims.ts';
import { lay, type Overlay } from './kubernetes/overlay.ts';
import { OPTIONAL_OBJECT_NAME, PULL_POLICY } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
import { placement } from './pod-settings.ts';
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
import { commonTexts, RESTARTS } from './texts.ts';

type Properties = Readonly<Record<string, Schema>>;
type CommonTexts = ReturnType<typeof commonTexts>;

/** Properties of the Pods of one component. */
export interface Pods {
  /** Value of the label `app.kubernetes.io/name`. */
  readonly name: string;
  readonly replicas: number;
  /** Minimum and maximum number of replicas. */
  readonly fewest: 0 | 1;
  readonly most?: number;
}

/** Settings that every component has. */
export function commonSettings(pods: Pods): Properties {
  const texts = commonTexts(pods.name);
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
    replicas: integer(`${texts.replicas} Defaults to ${replicas}.`, 'int32', {
      minimum: fewest,
      ...(most !== undefined && { maximum: most }),
    }),
    labels: lay(stringMap(texts.labels), ownLabels(name)),
    annotations: lay(
      stringMap(texts.annotations),
      annotations(` && !k.startsWith('${OWN_PREFIX}')`, `; ${OWN_PREFIX} is reserved`),
    ),
    resources: described(texts.resources, kubernetes.ResourceRequirements),
  };
}

function schedulingSettings(texts: CommonTexts): Properties {
  const bound = (what: string): Schema => lay(intOrString(what), COUNT_OR_PERCENT);
  return {
    priorityClassName: text(texts.priorityClassName, {
      default: DEFAULT_PRIORITY_CLASS,
      ...OPTIONAL_OBJECT_NAME,
    }),
    podDisruptionBudgetConfig: object(
      texts.podDisruptionBudgetConfig,
      { minAvailable: bound(texts.minAvailable), maxUnavailable: bound(texts.maxUnavailable) },
      { 'x-kubernetes-validations': DISRUPTION_RULES },
    ),
    tolerations: list(texts.tolerations, kubernetes.Toleration, { maxItems: 128 }),
    affinity: described(texts.affinity, kubernetes.Affinity),
    ...placement(texts),
  };
}

const OWN_PREFIX = 'operator.karmada.io/';

/** Rules for the selector labels of a component. `ROOT_RULES` has the rule for `app.kubernetes.io/instance`. */
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
    `; ${Object.keys(fixed).join(', ')} and ${OWN_PREFIX} are reserved`,
  );
}

export const extraArgs = lay(
  stringMap(
    `Flags of the program by name, without leading dashes. They override those of the operator. Each line of a value sets the flag once. Users who can read the Pods see the values. ${RESTARTS}`,
  ),
  FLAGS,
);

export const featureGates = lay(
  booleanMap(
    `Feature gates of the component by name. They override spec.featureGates. ${RESTARTS}`,
  ),
  GATES,
);

export const kubernetesGates = lay(
  booleanMap(
    `Feature gates of the component by name. spec.featureGates does not apply to it. ${RESTARTS}`,
  ),
  GATES,
);

export function subjectAltNames(what: string): Schema {
  return list(
    `DNS names and IP addresses in ${what}, in addition to those of the operator. A change reissues the certificate.`,
    lay({ type: 'string' }, SUBJECT_ALT_NAME),
    { maxItems: 256 },
  );
}

export function controllers(binary: string, example: string): Schema {
  return list(
    `Controllers that ${binary} runs: names, "*" for all enabled by default, "-name" to disable one, such as ${example}. Defaults to those that Karmada needs. ${RESTARTS}`,
    { type: 'string', ...CONTROLLER },
  );
}

export function enabled(what: string): Schema {
  return flag(`If false, the operator deletes ${what} with all objects. Defaults to true.`);
}

/** Schema of a component: its own settings and the common ones. `pods` overrides the usual Pod properties. */
export function component(
  what: string,
  name: string,
  own: Properties,
  pods: Partial<Pods> = {},
): Schema {
  const all = { ...own, ...commonSettings({ name, replicas: 1, fewest: 0, ...pods }) };
  return object(what, all, { 'x-kubernetes-validations': IMAGE_RULES });
}
