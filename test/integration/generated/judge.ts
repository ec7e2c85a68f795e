/** Processes a Karmada like the operator, up to the API server's response to each rendered object. */
import { ifEnabled } from '../../../src/api/addon.ts';
import { defaultSpec, type DefaultedSpec } from '../../../src/api/defaults/defaults.ts';
import { fill } from '../../../src/api/defaults/fill.ts';
import type { Karmada, KarmadaSpec } from '../../../src/api/karmada.ts';
import { FIELD_MANAGER } from '../../../src/api/karmada.ts';
import { defaultsPatch } from '../../../src/api/defaults/managed-defaults.ts';
import { maxClusterNameLength } from '../../../src/api/naming.ts';
import { validate } from '../../../src/api/validation/validation.ts';
import { warnings } from '../../../src/api/warnings/warnings.ts';
import type { EstimatorTarget } from '../../../src/components/component.ts';
import type { Templates } from '../../../src/components/render.ts';
import { ApiError } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { canonicalJson, withHash } from '../../../src/kubernetes/objects/intent.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { renderDesiredObjects, type DesiredObject } from '../../../src/instance/desired-objects.ts';
import { namedRefusal } from './exceptions.ts';

export interface Court {
  readonly client: KubernetesClient;
  readonly templates: Templates;
  /** CA certificate, PEM. */
  readonly caBundle: string;
  /** Objects that the API server has accepted already. */
  readonly taken: Set<string>;
}

export type Verdict =
  | { readonly kind: 'refused'; readonly message: string }
  /** Rejected by the operator, with the reasons why the CRD does not reject it. */
  | { readonly kind: 'named'; readonly reasons: readonly string[] }
  | { readonly kind: 'taken'; readonly objects: number };

const HOST = { defaultStorageClass: true };

/**
 * Result for a Karmada.
 * @throws Error if the operator would fail although the CRD accepts the Karmada, with the message of the API server
 */
export async function judge(court: Court, karmada: Karmada): Promise<Verdict> {
  const stored = await created(court, karmada);
  if (typeof stored === 'string') return { kind: 'refused', message: stored };
  const spec = defaultSpec(stored.spec, HOST);
  const errors = [...validate(stored), ...validate({ ...stored, spec: spec as KarmadaSpec })];
  const reasons = errors.map((error) => {
    const refusal = namedRefusal(error);
    if (!refusal)
      throw new Error(
        `The CRD accepts what the operator rejects: ${error.field}: ${error.message}`,
      );
    return refusal.why;
  });
  if (reasons.length > 0) return { kind: 'named', reasons };
  warnings(stored, spec);
  await withDefaults(court, stored);
  const objects = rendered(court, stored, spec);
  for (const object of objects) await take(court, object);
  return { kind: 'taken', objects: objects.length };
}

/** The Karmada as the API server would store it, or the message with which it rejects the Karmada. */
async function created({ client }: Court, karmada: Karmada): Promise<Karmada | string> {
  try {
    const object = karmada as unknown as KubernetesObject;
    return (await client.create(object, { dryRun: true })) as unknown as Karmada;
  } catch (error) {
    if (error instanceof ApiError && error.code === 422) return error.message;
    throw new Error(`Neither accepted nor rejected by the CRD: ${String(error)}`, { cause: error });
  }
}

/** Verifies that the API server accepts the defaults that the operator stores. */
async function withDefaults(court: Court, stored: Karmada): Promise<void> {
  const spec = fill(stored.spec ?? {}, defaultsPatch(stored, HOST) ?? {}) as KarmadaSpec;
  const { name, namespace = '' } = stored.metadata;
  const answer = await created(court, { ...stored, metadata: { name, namespace }, spec });
  if (typeof answer === 'string') throw new Error(`The defaults are rejected: ${answer}`);
}

function rendered(court: Court, karmada: Karmada, spec: DefaultedSpec): readonly DesiredObject[] {
  const { name, namespace = '' } = karmada.metadata;
  const { objects } = renderDesiredObjects(court.templates, {
    name,
    namespace,
    spec,
    estimators: estimators(name, spec),
    archive: { crds: [], problems: [] },
    certificates: {
      caBundle: court.caBundle,
      restartHashes: { 'karmada-apiserver': 'a'.repeat(64) },
      formerRestartHashes: {},
      externalServer: 'https://10.0.0.1:5443',
    },
  });
  return objects;
}

/** Estimators for the configured clusters, or for one cluster with the longest possible name. */
function estimators(name: string, spec: DefaultedSpec): readonly EstimatorTarget[] {
  const component = ifEnabled(spec.components.karmadaSchedulerEstimator);
  if (!component) return [];
  const longest = 'm'.repeat(maxClusterNameLength(name));
  const named = component.clusters ?? [];
  const clusters = named.length > 0 ? named : longest === '' ? [] : [longest];
  return clusters.map((cluster) => ({ cluster, accessHash: 'a'.repeat(64) }));
}

async function take(court: Court, { cluster, object, hash }: DesiredObject): Promise<void> {
  const text = canonicalJson(object);
  if (court.taken.has(text)) return;
  const what = `${object.kind} ${object.metadata.name} (${cluster})`;
  try {
    const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true };
    const answer = await court.client.apply(withHash(object, hash), options);
    const changed = changedTexts(object, answer);
    if (changed.length > 0) throw new Error(`it changes ${changed.join(', ')}`);
    court.taken.add(text);
  } catch (error) {
    throw new Error(`The API server rejects ${what}: ${explained(error)}`, { cause: error });
  }
}

/** Fields with quantities, which the API server may store in another notation. */
const QUANTITIES = /\.(limits|requests|divisor|sizeLimit)(\.|$)/;

/** Paths of strings that differ between the applied and the returned object. */
function changedTexts(desiredState: unknown, answer: unknown, path = ''): readonly string[] {
  if (typeof desiredState === 'string') {
    const other = typeof answer === 'string' && answer !== desiredState && desiredState !== '';
    return other && !QUANTITIES.test(path) ? [path] : [];
  }
  if (typeof desiredState !== 'object' || desiredState === null) return [];
  return Object.entries(desiredState).flatMap(([key, part]) =>
    changedTexts(part, (answer as Record<string, unknown> | undefined)?.[key], `${path}.${key}`),
  );
}

function explained(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  const causes = (error.details.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  return [error.message, ...causes].join('\n  ');
}
