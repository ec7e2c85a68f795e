/** The Karmada as it would be after `kubectl apply` of a file or `kubectl patch`, and after the operator has filled in its defaults. */
import { formatErrors } from '../api/field-error.ts';
import { fill, isObject, own } from '../api/fill.ts';
import type { HostFacts } from '../api/defaults.ts';
import type { Karmada, KarmadaSpec } from '../api/karmada.ts';
import { defaultsPatch } from '../api/managed-defaults.ts';
import { validate } from '../api/validation.ts';
import { contradictingTags } from '../api/validation-version.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { karmadas } from '../hosts/host.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const KUBECTL = 'kubectl';

/**
 * Asks the API server in a dry run, so that it fills in and refuses what it would.
 * @param live the Karmada that is there
 * @throws ApiError when it refuses
 */
export async function appliedKarmada(
  client: KubernetesClient,
  live: Karmada | undefined,
  given: Karmada,
): Promise<Karmada> {
  const { name, namespace = '' } = given.metadata;
  const dryRun = true;
  if (live === undefined) return asKarmada(await client.create(asObject(given), { dryRun }));
  if (isServerSide(live)) {
    const options = { fieldManager: KUBECTL, force: true, dryRun };
    return asKarmada(await client.apply(asObject(given), options));
  }
  const patch = { spec: mergePatch(lastSpec(live), given.spec ?? {}) };
  return asKarmada(await client.patch(karmadas, { namespace, name }, patch, { dryRun }));
}

/**
 * The Karmada with a merge patch (RFC 7396), in a dry run.
 * @throws ApiError when there is none, or the API server refuses it
 */
export async function patchedKarmada(
  client: KubernetesClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  patch: object,
): Promise<Karmada> {
  return asKarmada(await client.patch(karmadas, { namespace, name }, patch, { dryRun: true }));
}

const asObject = (karmada: Karmada): KubernetesObject => karmada as unknown as KubernetesObject;
const asKarmada = (object: KubernetesObject): Karmada => object as unknown as Karmada;

/** Whether kubectl applied it server-side before. */
function isServerSide({ metadata }: Karmada): boolean {
  return (metadata.managedFields ?? []).some((entry) => {
    const { manager, operation } = entry as { manager?: string; operation?: string };
    return manager === KUBECTL && operation === 'Apply';
  });
}

/** What kubectl applied last, as it notes it; empty for an object that was made otherwise. */
function lastSpec({ metadata }: Karmada): unknown {
  const noted = metadata.annotations?.[LAST_APPLIED];
  return noted === undefined ? {} : ((JSON.parse(noted) as Karmada).spec ?? {});
}

/** Merge patch (RFC 7396) that sets what is given and removes what was given before and is not now. */
export function mergePatch(before: unknown, given: unknown): unknown {
  if (!isObject(given)) return given;
  const last = isObject(before) ? before : {};
  const removed = Object.keys(last).filter((key) => !Object.hasOwn(given, key));
  const kept = Object.entries(given).map(([key, value]) => [
    key,
    mergePatch(own(last, key), value),
  ]);
  return Object.fromEntries([...removed.map((key) => [key, null]), ...kept]) as unknown;
}

/**
 * The Karmada with its defaults stored.
 * @throws Error that names what is wrong, for the user
 */
export function withDefaults(karmada: Karmada, facts: HostFacts): Karmada {
  const intent = defaultsPatch(karmada, facts);
  const spec = intent === undefined ? karmada.spec : fill(intent, karmada.spec);
  const prepared = { ...karmada, spec: spec as KarmadaSpec };
  const errors = [...validate(prepared), ...contradictingTags(prepared.spec)];
  if (errors.length > 0) throw new Error(formatErrors(errors));
  return prepared;
}
