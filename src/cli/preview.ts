/** Computes the Karmada that results from `kubectl apply` or `kubectl patch`, with the defaults of the operator. */
import { fill } from '../api/defaults/fill.ts';
import type { Json } from '../kubernetes/objects/compare.ts';
import { mergePatch } from '../kubernetes/objects/merge-patch.ts';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import type { HostFacts } from '../api/defaults/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import { defaultsPatch } from '../api/defaults/managed-defaults.ts';
import { validate } from '../api/validation/validation.ts';
import { mismatchedTags } from '../api/validation/version.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { karmadas } from '../host-clusters/host.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';
import { InvalidFields } from './program/environment.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const KUBECTL = 'kubectl';

/**
 * Applies a Karmada in a dry run, so that the API server sets defaults and validates as for kubectl.
 * @param live the existing Karmada, if any
 * @throws ApiError if the API server rejects the Karmada
 */
export async function appliedKarmada(
  client: KubernetesClient,
  live: Karmada | undefined,
  given: Karmada,
): Promise<Karmada> {
  const { name, namespace = '' } = given.metadata;
  const dryRun = true;
  if (live === undefined) return client.create(given, { dryRun });
  if (isServerSide(live)) {
    const options = { fieldManager: KUBECTL, force: true, dryRun };
    return client.apply(given, options);
  }
  const patch = { spec: mergePatch(lastSpec(live), { ...given.spec }) };
  return client.patch(karmadas, { namespace, name }, patch, { dryRun });
}

/**
 * Applies a merge patch (RFC 7396) to a Karmada in a dry run.
 * @throws ApiError if the Karmada does not exist or the API server rejects the patch
 */
export async function patchedKarmada(
  client: KubernetesClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  patch: object,
): Promise<Karmada> {
  return client.patch(karmadas, { namespace, name }, patch, { dryRun: true });
}

/** Whether kubectl applied the Karmada server-side before. */
function isServerSide({ metadata }: Karmada): boolean {
  return (metadata.managedFields ?? []).some((entry) => {
    const { manager, operation } = entry;
    return manager === KUBECTL && operation === 'Apply';
  });
}

/** Spec in the last-applied annotation of kubectl; empty for an object that was created otherwise. */
function lastSpec({ metadata }: Karmada): Json {
  const noted = metadata.annotations?.[LAST_APPLIED];
  if (noted === undefined) return {};
  return fieldsOf(fieldsOf(parseJsonWithin(noted, { size: UNTRUSTED.storedObject }))['spec']);
}

/**
 * Returns the Karmada with stored defaults.
 * @throws InvalidFields with the validation errors
 */
export function withDefaults(karmada: Karmada, facts: HostFacts): Karmada {
  const intent = defaultsPatch(karmada, facts);
  const spec = intent === undefined ? karmada.spec : fill(intent, karmada.spec);
  const prepared = { ...karmada, spec: spec ?? {} };
  const errors = [...validate(prepared), ...mismatchedTags(prepared.spec)];
  if (errors.length > 0) throw new InvalidFields(errors);
  return prepared;
}
