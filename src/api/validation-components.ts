/** Rules for `spec.components`: the settings that all have, and those of single components. */
import type { KarmadaSchedulerEstimator } from './addon.ts';
import type { FieldError } from './field-error.ts';
import { checkEach, checkKeys, checkSyntax, invalid, quoted } from './field-error.ts';
import { DEFAULT_ETCD_TAG, DEFAULT_KARMADA_TAG, ETCD_REPOSITORY, REPOSITORY } from './images.ts';
import type {
  CommonSettings,
  ComponentKey,
  FeatureGates,
  KarmadaAPIServer,
  KarmadaSpec,
  PodDisruptionBudgetConfig,
  StringMap,
} from './karmada.ts';
import { COMPONENT_NAME, maxClusterNameLength } from './naming.ts';
import {
  annotationKey,
  controllerName,
  countOrPercent,
  dnsLabel,
  externalEndpoint,
  dnsSubdomain,
  featureGate,
  flagName,
  imageReference,
  labelValue,
  qualifiedName,
  quantity,
  serviceSubnet,
  subjectAltName,
} from './syntax.ts';

const FIELD = 'spec.components';

/** What several components have beside the common settings. */
interface OwnSettings {
  readonly extraArgs?: StringMap;
  readonly featureGates?: FeatureGates;
  readonly certSANs?: readonly string[];
  readonly controllers?: readonly string[];
}

/** Where the settings of one set of pods are, and what they must agree with. */
interface Place {
  readonly field: string;
  readonly repository: string;
  readonly selector: StringMap;
  readonly fewestReplicas: 0 | 1;
}

/** @param name `metadata.name` of the Karmada */
export function validateComponents(name: string, spec: KarmadaSpec): readonly FieldError[] {
  const components = spec.components ?? {};
  const keys = Object.keys(REPOSITORY) as ComponentKey[];
  return [
    ...validateCommon(placeOf(name, 'etcd'), components.etcd?.local),
    ...keys.flatMap((key) => [
      ...validateCommon(placeOf(name, key), components[key]),
      ...validateOwn(`${FIELD}.${key}`, components[key]),
    ]),
    ...validateEstimator(name, components.karmadaSchedulerEstimator),
    ...validateAPIServer(components.karmadaAPIServer, Boolean(spec.hostCluster?.secretRef?.name)),
  ];
}

function placeOf(name: string, key: ComponentKey | 'etcd'): Place {
  return {
    field: key === 'etcd' ? `${FIELD}.etcd.local` : `${FIELD}.${key}`,
    repository: key === 'etcd' ? ETCD_REPOSITORY : REPOSITORY[key],
    selector: {
      'app.kubernetes.io/name': COMPONENT_NAME[key],
      'app.kubernetes.io/instance': name,
      ...(key === 'karmadaSearch' && { apiserver: 'true' }),
    },
    fewestReplicas: key === 'etcd' || key === 'karmadaAPIServer' ? 1 : 0,
  };
}

function validateCommon(place: Place, settings?: CommonSettings): readonly FieldError[] {
  if (settings === undefined) return [];
  const { field } = place;
  return [
    ...validateImage(place, settings),
    ...validateReplicas(place, settings.replicas),
    ...validateLabels(place, settings.labels),
    ...validateMetadataKeys(`${field}.annotations`, settings.annotations, annotationKey),
    ...checkSyntax(`${field}.priorityClassName`, settings.priorityClassName, dnsSubdomain),
    ...validateResources(`${field}.resources`, settings.resources),
    ...validateBudget(`${field}.podDisruptionBudgetConfig`, settings.podDisruptionBudgetConfig),
  ];
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function validateImage(place: Place, settings: CommonSettings): readonly FieldError[] {
  const policy = settings.imagePullPolicy;
  const fallback = place.repository === ETCD_REPOSITORY ? DEFAULT_ETCD_TAG : DEFAULT_KARMADA_TAG;
  const image = `${settings.imageRepository || place.repository}:${settings.imageTag || fallback}`;
  const field = settings.imageRepository ? 'imageRepository' : 'imageTag';
  return [
    ...checkSyntax(`${place.field}.${field}`, image, imageReference),
    ...(policy && !PULL_POLICIES.includes(policy)
      ? [invalid(`${place.field}.imagePullPolicy`, policy, `must be ${PULL_POLICIES.join(' or ')}`)]
      : []),
  ];
}

function validateReplicas(place: Place, replicas?: number): readonly FieldError[] {
  if (replicas === undefined || replicas >= place.fewestReplicas) return [];
  const message = `must be ${place.fewestReplicas} or more`;
  return [invalid(`${place.field}.replicas`, replicas, message)];
}

function validateLabels(place: Place, labels: StringMap = {}): readonly FieldError[] {
  const field = `${place.field}.labels`;
  const values = Object.entries(labels).flatMap(([key, value]) =>
    checkSyntax(`${field}[${quoted(key)}]`, value, labelValue),
  );
  const selectors = Object.entries(place.selector).flatMap(([key, value]) => {
    const given = Object.hasOwn(labels, key) ? labels[key] : value;
    if (given === value) return [];
    return [invalid(`${field}[${quoted(key)}]`, given, 'the label selects the pods; remove it')];
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
  const reserved = `keys that begin with ${OWN_PREFIX} belong to the operator; remove it`;
  return [...checkKeys(field, map, syntax), ...ours.map((key) => invalid(field, key, reserved))];
}

function validateResources(
  field: string,
  resources: CommonSettings['resources'],
): readonly FieldError[] {
  return (['limits', 'requests'] as const).flatMap((kind) => [
    ...checkKeys(`${field}.${kind}`, resources?.[kind], qualifiedName),
    ...Object.entries(resources?.[kind] ?? {}).flatMap(([name, amount]) =>
      checkSyntax(`${field}.${kind}[${quoted(name)}]`, amount, quantity),
    ),
  ]);
}

function validateBudget(field: string, budget?: PodDisruptionBudgetConfig): readonly FieldError[] {
  if (budget === undefined) return [];
  const { minAvailable, maxUnavailable } = budget;
  const count = [minAvailable, maxUnavailable].filter((bound) => bound !== undefined).length;
  const rule =
    count === 0
      ? 'either minAvailable or maxUnavailable must be set'
      : 'minAvailable and maxUnavailable are mutually exclusive';
  return [
    ...(count === 1 ? [] : [{ field, message: rule }]),
    ...checkSyntax(`${field}.minAvailable`, minAvailable, countOrPercent),
    ...checkSyntax(`${field}.maxUnavailable`, maxUnavailable, countOrPercent),
  ];
}

function validateOwn(field: string, settings: OwnSettings | undefined): readonly FieldError[] {
  return [
    ...checkKeys(`${field}.extraArgs`, settings?.extraArgs, flagName),
    ...checkKeys(`${field}.featureGates`, settings?.featureGates, featureGate),
    ...checkEach(`${field}.certSANs`, settings?.certSANs, subjectAltName),
    ...checkEach(`${field}.controllers`, settings?.controllers, controllerName),
  ];
}

function validateEstimator(
  name: string,
  estimator: KarmadaSchedulerEstimator | undefined,
): readonly FieldError[] {
  const field = `${FIELD}.karmadaSchedulerEstimator.clusters`;
  const limit = maxClusterNameLength(name);
  const message = `must have at most ${limit} characters, so that the Service of its estimator has at most 63`;
  return (estimator?.clusters ?? []).flatMap((cluster, index) => [
    ...checkSyntax(`${field}[${index}]`, cluster, dnsLabel),
    ...(cluster.length > limit ? [invalid(`${field}[${index}]`, cluster, message)] : []),
  ]);
}

const SERVICE_TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer'];

function validateAPIServer(
  server: KarmadaAPIServer | undefined,
  remoteHost: boolean,
): readonly FieldError[] {
  const field = `${FIELD}.karmadaAPIServer`;
  return [
    ...validateServiceType(field, server, remoteHost),
    ...checkSyntax(`${field}.externalEndpoint`, server?.externalEndpoint, externalEndpoint),
    ...checkSyntax(`${field}.serviceSubnet`, server?.serviceSubnet, serviceSubnet),
    ...checkKeys(`${field}.serviceAnnotations`, server?.serviceAnnotations, annotationKey),
  ];
}

function validateServiceType(
  field: string,
  server: KarmadaAPIServer | undefined,
  remoteHost: boolean,
): readonly FieldError[] {
  const type = server?.serviceType || 'ClusterIP';
  const remote =
    'must be NodePort or LoadBalancer, because spec.hostCluster.secretRef names another cluster';
  return [
    ...(SERVICE_TYPES.includes(type)
      ? []
      : [invalid(`${field}.serviceType`, type, `must be ${SERVICE_TYPES.join(' or ')}`)]),
    ...(remoteHost && type === 'ClusterIP' ? [invalid(`${field}.serviceType`, type, remote)] : []),
    ...(type === 'LoadBalancer'
      ? checkSyntax(`${field}.loadBalancerClass`, server?.loadBalancerClass, qualifiedName)
      : []),
  ];
}
