/** Why the operator rejects a Karmada: pure. */
import type { Karmada, Phase } from '../../api/karmada.ts';
import { formatErrors, type FieldError } from '../../api/validation/field-error.ts';
import { nameOwner } from '../../api/naming.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { validate } from '../../api/validation/validation.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';

export interface Refusal extends Problem {
  readonly phase: Phase;
}

export const TERMINATING: Refusal = {
  reason: 'NamespaceTerminating',
  message: 'Namespace: terminating; the operator creates and changes nothing in it',
  phase: 'Deleting',
};

/** Returns why the operator rejects a Karmada; undefined if it is valid. */
export function refusalOf(
  { local }: { readonly local: Pick<ManagementCluster, 'karmadas'> },
  karmada: Karmada,
): Refusal | undefined {
  const known = local.karmadas.cache.list().map(({ metadata }) => metadata);
  const owner = nameOwner(karmada.metadata, known);
  if (owner !== undefined)
    return {
      reason: 'NameCollision',
      message: `metadata.name: Karmada ${owner.name} in this Namespace was created earlier and uses the same object names; create this Karmada with another name`,
      phase: 'Failed',
    };
  const errors = validate(karmada);
  if (errors.length > 0) return invalidSpec(errors);
  return undefined;
}

export const invalidSpec = (errors: readonly FieldError[]): Refusal => ({
  reason: 'ValidationError',
  message: formatErrors(errors),
  phase: 'Failed',
});
