/** Validates `spec.components`: common settings, and settings of single components. */
import { keysOf } from '../../kubernetes/objects/records.ts';
import type { KarmadaSchedulerEstimator } from '../settings.ts';
import type { FieldError } from './field-error.ts';
import { checkEach, checkKeys, checkSyntax, invalid, quoted } from './field-error.ts';
import { DEFAULT_ETCD_TAG, DEFAULT_KARMADA_TAG, ETCD_REPOSITORY, REPOSITORY } from '../images.ts';
import { endpointFlags } from '../flags/endpoint-flags.ts';
import { exclusiveFlags } from '../flags/exclusive-flags.ts';
import { unavailableSettings } from '../flags/kubernetes-versions.ts';
import type { ComponentKey, Components, KarmadaSpec } from '../karmada.ts';
import type {
  CommonSettings,
  FeatureGates,
  IntOrString,
  PodDisruptionBudgetConfig,
  StringMap,
} from '../settings.ts';
import { COMPONENT, INSTANCE } from '../labels.ts';
import { COMPONENT_NAME, maxClusterNameLength } from '../naming.ts';
import {
  annotationKey,
  controllerName,
  dnsLabel,
  featureGate,
  flagName,
  imageReference,
  labelValue,
  percentage,
  qualifiedName,
  subjectAltName,
} from './syntax.ts';
import { validateMeaning, validateSize, type Containers } from './annotations.ts';
import { validateAPIServer } from './apiserver.ts';
import { validatePlacement } from './placement.ts';

const FIELD = 'spec.components';
const MAX_COUNT = 2 ** 31 - 1;

/** Settings of several components besides the common settings. */
interface OwnSettings {
  readonly extraArgs?: StringMap;
  readonly featureGates?: FeatureGates;
  readonly certSANs?: readonly string[];
  readonly controllers?: readonly string[];
}

/** Field path of the settings of one component, and the facts that they must match. */
interface ComponentFacts {
  readonly field: string;
  readonly repository: string;
  readonly selector: StringMap;
  /** Minimum and maximum. For etcd at most 99: the flags of each etcd member list all members. */
  readonly replicas: readonly [number, number];
  readonly containers: Containers;
}

/** Validates all components of a spec. @param name `metadata.name` of the Karmada */
export function validateComponents(name: string, spec: KarmadaSpec): readonly FieldError[] {
  const components = spec.components ?? {};
  const keys = keysOf(REPOSITORY);
  return [
    ...validateCommon(componentFacts(name, 'etcd', components), components.etcd?.local),
    ...keys.flatMap((key) => [
      ...validateCommon(componentFacts(name, key, components), components[key]),
      ...validateOwn(`${FIELD}.${key}`, components[key]),
      ...validateFlags(key, components[key]),
    ]),
    ...validateEstimator(name, components.karmadaSchedulerEstimator),
    ...validateAPIServer(components.karmadaAPIServer),
    ...unavailableSettings(components),
  ];
}

function componentFacts(
  name: string,
  key: ComponentKey | 'etcd',
  components: Components,
): ComponentFacts {
  return {
    field: key === 'etcd' ? `${FIELD}.etcd.local` : `${FIELD}.${key}`,
    repository: key === 'etcd' ? ETCD_REPOSITORY : REPOSITORY[key],
    selector: {
      [COMPONENT]: COMPONENT_NAME[key],
      [INSTANCE]: name,
      ...(key === 'karmadaSearch' && { apiserver: 'true' }),
    },
    replicas: key === 'etcd' ? [1, 99] : [key === 'karmadaAPIServer' ? 1 : 0, MAX_COUNT],
    containers: {
      main: key === 'karmadaAPIServer' ? 'kube-apiserver' : COMPONENT_NAME[key],
      sidecars: (key === 'karmadaAPIServer' && components[key]?.sidecarContainers) || [],
    },
  };
}

function validateCommon(facts: ComponentFacts, settings?: CommonSettings): readonly FieldError[] {
  if (settings === undefined) return [];
  const { field } = facts;
  return [
    ...validateImage(facts, settings),
    ...validateReplicas(facts, settings.replicas),
    ...validateLabels(facts, settings.labels),
    ...validateMetadataKeys(`${field}.annotations`, settings.annotations, annotationKey),
    ...validateSize(`${field}.annotations`, settings.annotations),
    ...validatePlacement(field, settings),
    ...validateBudget(`${field}.podDisruptionBudgetConfig`, settings.podDisruptionBudgetConfig),
    ...validateMeaning(`${field}.annotations`, settings.annotations, facts.containers),
  ];
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function validateImage(facts: ComponentFacts, settings: CommonSettings): readonly FieldError[] {
  const policy = settings.imagePullPolicy;
  const fallback = facts.repository === ETCD_REPOSITORY ? DEFAULT_ETCD_TAG : DEFAULT_KARMADA_TAG;
  const image = `${settings.imageRepository || facts.repository}:${settings.imageTag || fallback}`;
  const field = settings.imageRepository ? 'imageRepository' : 'imageTag';
  return [
    ...checkSyntax(`${facts.field}.${field}`, image, imageReference),
    ...(policy && !PULL_POLICIES.includes(policy)
      ? [invalid(`${facts.field}.imagePullPolicy`, policy, `must be ${PULL_POLICIES.join(' or ')}`)]
      : []),
  ];
}

function validateReplicas(facts: ComponentFacts, replicas?: number): readonly FieldError[] {
  const [fewest, most] = facts.replicas;
  if (replicas === undefined || (replicas >= fewest && replicas <= most)) return [];
  const message = replicas < fewest ? `must be ${fewest} or more` : `must be at most ${most}`;
  return [invalid(`${facts.field}.replicas`, replicas, message)];
}

function validateLabels(facts: ComponentFacts, labels: StringMap = {}): readonly FieldError[] {
  const field = `${facts.field}.labels`;
  const values = Object.entries(labels).flatMap(([key, value]) =>
    checkSyntax(`${field}[${quoted(key)}]`, value, labelValue),
  );
  const selectors = Object.entries(facts.selector).flatMap(([key, value]) => {
    const given = Object.hasOwn(labels, key) ? labels[key] : value;
    if (given === value) return [];
    return [
      invalid(
        `${field}[${quoted(key)}]`,
        given,
        'the label is part of the Pod selector; remove it',
      ),
    ];
  });
  return [...validateMetadataKeys(field, labels, qualifiedName), ...values, ...selectors];
}

const OWN_PREFIX = 'operator.karmada.io/';

function validateMetadataKeys(
  field: string,
  map: StringMap | undefined,
  syntax: typeof qualifiedName,
): readonly FieldError[] {
  const ours = Object.keys(map ?? {}).filter((key) => key.startsWith(OWN_PREFIX));
  const reserved = `keys with prefix ${OWN_PREFIX} are reserved for the operator; remove it`;
  return [...checkKeys(field, map, syntax), ...ours.map((key) => invalid(field, key, reserved))];
}

function validateBudget(field: string, budget?: PodDisruptionBudgetConfig): readonly FieldError[] {
  if (budget === undefined) return [];
  const { minAvailable, maxUnavailable } = budget;
  const count = [minAvailable, maxUnavailable].filter((bound) => bound !== undefined).length;
  const rule =
    count === 0
      ? 'either minAvailable or maxUnavailable must be set'
      : 'minAvailable and maxUnavailable are mutually exclusive; remove one of them';
  return [
    ...(count === 1 ? [] : [{ field, message: rule }]),
    ...validateBound(`${field}.minAvailable`, minAvailable),
    ...validateBound(`${field}.maxUnavailable`, maxUnavailable),
  ];
}

/** Validates a bound: a number of Pods, or a string with a percentage. The string "1" is neither. */
function validateBound(field: string, bound: IntOrString | undefined): readonly FieldError[] {
  if (bound === undefined) return [];
  const right =
    typeof bound === 'string' ? percentage.matches(bound) : bound >= 0 && bound <= MAX_COUNT;
  return right ? [] : [invalid(field, bound, `must be ${percentage.expected}`)];
}

function validateOwn(field: string, settings: OwnSettings | undefined): readonly FieldError[] {
  return [
    ...checkKeys(`${field}.extraArgs`, settings?.extraArgs, flagName),
    ...checkKeys(`${field}.featureGates`, settings?.featureGates, featureGate),
    ...checkEach(`${field}.certSANs`, settings?.certSANs, subjectAltName),
    ...checkEach(`${field}.controllers`, settings?.controllers, controllerName),
  ];
}

function validateFlags(
  key: ComponentKey,
  settings: OwnSettings | undefined,
): readonly FieldError[] {
  const field = `${FIELD}.${key}`;
  return [
    ...exclusiveFlags(key, field, settings?.extraArgs),
    ...endpointFlags(key, field, settings?.extraArgs),
  ];
}

function validateEstimator(
  name: string,
  estimator: KarmadaSchedulerEstimator | undefined,
): readonly FieldError[] {
  const field = `${FIELD}.karmadaSchedulerEstimator.clusters`;
  const limit = maxClusterNameLength(name);
  const message = `must have at most ${limit} characters, because the name of the estimator Service is limited to 63`;
  return (estimator?.clusters ?? []).flatMap((cluster, index) => [
    ...checkSyntax(`${field}[${index}]`, cluster, dnsLabel),
    ...(cluster.length > limit ? [invalid(`${field}[${index}]`, cluster, message)] : []),
  ]);
}
