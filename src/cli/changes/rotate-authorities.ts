/** Rotations of CAs and keys with the command `rotate`: what restarts, and how far a rotation is. Pure functions. */
import type { ComponentName } from '../../api/component-catalog.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { installedComponents } from '../../components/registry.ts';
import { conditionIn } from '../../conditions/conditions.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import type { RotationAuthority } from '../../features/rotation/authority.ts';
import { keptControlPlaneCa } from '../../features/rotation/ca-obstacles.ts';
import type { RotationRecord } from '../../features/rotation/record.ts';
import { ROTATION_RESTARTS } from '../../features/rotation/restarts.ts';
import { CERTIFICATE_ROTATION } from '../../features/rotation/status.ts';
import { wantedAuthorities } from '../../pki/inventory.ts';
import { parseRotate } from '../../pki/rotate-request.ts';
import { CommandError } from '../program/environment.ts';
import type { Progress } from '../program/follow.ts';

/** Returns the CAs and keys that a value names; empty if it names certificates. */
export function authoritiesIn(value: string): readonly RotationAuthority[] {
  const targets = parseRotate(value);
  return 'authorities' in targets ? targets.authorities : [];
}

/** @throws CommandError if the operator does not rotate one of them in this control plane */
export function refuseAuthorities(karmada: Karmada, names: readonly RotationAuthority[]): void {
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const inputs = pkiInputs({ karmada, spec }, undefined, []);
  const cause = names.includes('ca')
    ? keptControlPlaneCa({ snapshot: { spec }, view: undefined, inputs })
    : undefined;
  if (cause !== undefined) throw new CommandError(`ca: ${cause}`);
  const wanted = wantedAuthorities(inputs);
  const absent = names.filter(
    (one) => one !== 'service-account-key' && wanted.every(({ name }) => name !== one),
  );
  if (absent.length > 0)
    throw new CommandError(`the control plane has no ${absent.join(', ')} of the operator`);
}

/** Says which Pods a rotation restarts. */
export function rotationText(karmada: Karmada, names: readonly RotationAuthority[]): string {
  const { name, namespace = '' } = karmada.metadata;
  const lines = names.map((one) => `  ${one}: ${restartsOf(karmada, one)}${ENDS[one] ?? ''}`);
  return [`Rotation in Karmada ${namespace}/${name}:`, ...lines, ''].join('\n');
}

const USER_ENDS = '; you end its overlap with the annotation that the operator then reports';

/** What only a user ends. */
const ENDS: Readonly<Partial<Record<RotationAuthority, string>>> = {
  'service-account-key': USER_ENDS,
  ca: USER_ENDS,
};

/** Returns how often a rotation restarts the Pods of the installed components, at most, in the order of an upgrade. */
export function restartCounts(
  { spec }: Pick<Karmada, 'spec'>,
  authority: RotationAuthority,
): ReadonlyMap<ComponentName, number> {
  const restarts: Readonly<Partial<Record<ComponentName, number>>> = ROTATION_RESTARTS[authority];
  const installed = installedComponents(defaultSpec(spec, { defaultStorageClass: false }));
  // No component trusts a CA that a user has just provided.
  const isNew = authority === 'ca' && spec?.customCertificate?.apiServerCACert !== undefined;
  return new Map(
    installed.flatMap(({ name }) => {
      const count = restarts[name];
      return count === undefined ? [] : [[name, isNew ? count + 1 : count] as const];
    }),
  );
}

function restartsOf(karmada: Karmada, authority: RotationAuthority): string {
  const texts = [...restartCounts(karmada, authority)].map(
    ([name, count]) => `${name} ${count === 1 ? 'once' : `up to ${count} times`}`,
  );
  return texts.length === 0 ? 'restarts no Pod' : `restarts the Pods of ${texts.join(', ')}`;
}

/** Reasons for which the operator does not execute a request. */
const REFUSALS: ReadonlySet<string> = new Set(['RotationUnsupported', 'RotationRequestInvalid']);

/**
 * Returns the progress of a rotation.
 * @param value of the annotation
 * @throws CommandError if the operator refuses it
 */
export function rotationProgress(
  karmada: Karmada,
  value: string,
  { executed, rotations }: Pick<RotationRecord, 'executed' | 'rotations'>,
): Progress<true> {
  const isAccepted = executed.includes(`rotate=${value}`);
  if (isAccepted && rotations.length === 0)
    return { text: 'The rotation has ended.', result: true };
  const { reason = '', message = 'the operator' } =
    conditionIn(karmada, CERTIFICATE_ROTATION) ?? {};
  if (!isAccepted && REFUSALS.has(reason)) throw new CommandError(message);
  if (isAccepted && reason === 'ConfirmationRequired') return { text: message, result: true };
  return { text: `Waiting for ${message}` };
}
