/** Decides about a request to reissue certificates, or to rotate CAs and keys, and how far a reissue is. Pure functions. */
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { conditionIn } from '../../conditions/conditions.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import { wantedLeaves } from '../../pki/inventory.ts';
import { ALL_LEAVES, parseRotate, ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { CommandError } from '../program/environment.ts';
import type { Progress } from '../program/follow.ts';
import { readinessOf } from '../status/readiness.ts';
import { refuseDeleted, refuseSuspended, type Decision } from './change-karmada.ts';
import { refuseAuthorities } from './rotate-authorities.ts';

/** Value of the annotation for certificates. @param time RFC 3339, which makes the value unique */
export const rotateValue = (names: readonly string[], time: string): string =>
  `${names.join(',')}/${time.replaceAll(/[:-]/g, '')}`;

/**
 * Sets the annotation.
 * @throws CommandError for a name that the control plane does not have, or if the operator would not execute the request
 */
export function rotateDecision(karmada: Karmada, value: string): Decision {
  refuseDeleted(karmada);
  const targets = parseRotate(value);
  if ('fault' in targets) throw new CommandError(targets.fault);
  if ('authorities' in targets) {
    refuseSuspended(karmada, 'rotates nothing');
    refuseAuthorities(karmada, targets.authorities);
  } else {
    refuseSuspended(karmada, 'reissues no certificate');
    refuseAbsent(karmada, targets.leaves);
  }
  return {
    patch: { metadata: { annotations: { [ROTATE_ANNOTATION]: value } } },
    done: `annotated with ${ROTATE_ANNOTATION}=${value}`,
  };
}

function refuseAbsent(karmada: Karmada, names: readonly string[] | typeof ALL_LEAVES): void {
  if (names === ALL_LEAVES) return;
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const wanted = wantedLeaves(pkiInputs({ karmada, spec }, undefined, []));
  const absent = names.filter((name) => wanted.every((leaf) => leaf.name !== name));
  if (absent.length > 0)
    throw new CommandError(`the control plane has no certificate ${absent.join(', ')}`);
}

/** How far a request is, from the Secrets. */
export interface ReissueState {
  /** Whether the operator has recorded the request. */
  readonly isAccepted: boolean;
  /** Certificates that must still be replaced. */
  readonly waiting: readonly string[];
}

/**
 * Returns the progress of a request.
 * @throws CommandError if another request has taken its place, or the operator waits for the user
 */
export function rotateProgress(
  karmada: Karmada,
  value: string,
  { isAccepted, waiting }: ReissueState,
): Progress<true> {
  refuseOther(karmada, value);
  const parties = isAccepted ? waiting : ['the operator'];
  if (parties.length === 0) return restartProgress(karmada);
  const { message = '' } = conditionIn(karmada, 'CertificatesValid') ?? {};
  return { text: `Waiting for ${[parties.join(', '), message].filter(Boolean).join(': ')}` };
}

/** @throws CommandError if another request has taken the place of this one */
export function refuseOther({ metadata }: Karmada, value: string): void {
  if (metadata.annotations?.[ROTATE_ANNOTATION] === value) return;
  throw new CommandError(
    `the annotation ${ROTATE_ANNOTATION} has another value now, so this request is not followed any more`,
  );
}

/** Progress of the components that restart. */
function restartProgress(karmada: Karmada): Progress<true> {
  const { state, text } = readinessOf(karmada);
  if (state === 'stalled') throw new CommandError(`all certificates are reissued, but ${text}`);
  const progressing = conditionIn(karmada, 'Progressing');
  if (state === 'waiting' || progressing?.status === 'True')
    return { text: `All certificates are reissued. ${progressing?.message ?? text}` };
  return { text: 'All certificates are reissued, and the control plane is Ready.', result: true };
}
