/** Decides which certificates are reissued because a user has requested it: pure, on public information. */
import { instanceName } from '../api/naming.ts';
import { keysOf } from '../kubernetes/objects/records.ts';
import { wantedLeaves } from './inventory.ts';
import {
  formatReissues,
  MAX_EXECUTED,
  NO_REISSUES,
  parseReissues,
  REISSUE_KEY,
  type Reissue,
  type ReissueRecord,
} from './reissue-record.ts';
import { ALL_LEAVES, parseRotate, ROTATE_ANNOTATION } from './rotate-request.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafName, PkiInputs, SecretReads } from './types.ts';

export interface ReissueContext {
  /** The record as it was read; absent if there is none. */
  readonly stored?: string;
  readonly now: Date;
  /** Why the record cannot be written. */
  readonly blocked?: string;
  /** Whether a new request is due before its record is stored. */
  readonly isPreview?: boolean;
}

interface ReissueDecision {
  /** Absent if the stored one is not valid: then it is kept as it is. */
  readonly record?: ReissueRecord;
  /** Certificates that must be replaced, with the value of the annotation that has requested it. */
  readonly due: ReadonlyMap<LeafName, string>;
  /** Whether certificates are due as soon as the record is stored. */
  readonly isPending: boolean;
  /** Why a request is not executed: object or field, cause, and what to do. */
  readonly remarks: readonly string[];
}

/** Returns the record in the CA backup Secret. */
export function storedReissues(reads: SecretReads): string | undefined {
  const backup = reads['ca-backup'];
  const value = typeof backup === 'object' ? backup[REISSUE_KEY] : undefined;
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}

/**
 * Returns what is due according to the stored record, and accepts the annotation of the Karmada. A request that is accepted now
 * becomes due when its record has been read back: whatever the order of the writes, no crash leaves new certificates without it.
 */
export function decideReissues(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  context: ReissueContext,
): ReissueDecision {
  const stored = context.stored === undefined ? NO_REISSUES : parseReissues(context.stored);
  const rest = { isPending: false, remarks: [] };
  if (stored === undefined) return { ...rest, due: new Map(), remarks: [invalidRecord(inputs)] };
  const due = dueReissues(stored, info);
  const accepted = acceptedRequest(inputs, info, { ...context, stored });
  if ('refusal' in accepted) return { ...rest, record: stored, due, remarks: [accepted.refusal] };
  const next = dueReissues(accepted, info);
  if (context.isPreview === true) return { ...rest, record: accepted, due: next };
  return { ...rest, record: accepted, due, isPending: next.size > due.size };
}

/** Returns what is due: a certificate, as long as the one that must be replaced is in use. */
export const dueReissues = (
  { leaves }: ReissueRecord,
  info: CertificateSetInfo,
): ReadonlyMap<LeafName, string> =>
  new Map(
    leavesOf(leaves)
      .filter(([name, { from }]) => info.leaves[name]?.certificate?.sha256 === from)
      .map(([name, { request }]) => [name, request]),
  );

const leavesOf = (leaves: ReissueRecord['leaves']): readonly (readonly [LeafName, Reissue])[] =>
  keysOf(leaves).flatMap((name) => {
    const leaf = leaves[name];
    return leaf === undefined ? [] : [[name, leaf] as const];
  });

interface Refusal {
  readonly refusal: string;
}

/** Returns the record with the request of the annotation, or as it is if there is no new one. */
function acceptedRequest(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  { stored, now, blocked }: Omit<ReissueContext, 'stored'> & { readonly stored: ReissueRecord },
): ReissueRecord | Refusal {
  const { rotate } = inputs;
  if (rotate === undefined || stored.executed.includes(rotate)) return stored;
  const targets = parseRotate(rotate);
  // The condition CertificateRotation shows what becomes of such a request.
  if ('authorities' in targets || ('fault' in targets && targets.isOfAuthority)) return stored;
  const names = namesIn(inputs, targets);
  if ('refusal' in names) return names;
  if (blocked !== undefined)
    return { refusal: `annotation ${ROTATE_ANNOTATION}=${rotate} not executed: ${blocked}` };
  // A certificate that is missing is issued anyway.
  const replaced = names.leaves.flatMap((name): readonly (readonly [LeafName, Reissue])[] => {
    const from = info.leaves[name]?.certificate?.sha256;
    return from === undefined ? [] : [[name, { from, request: rotate, at: now.toISOString() }]];
  });
  return {
    executed: [...stored.executed, rotate].slice(-MAX_EXECUTED),
    leaves: { ...stored.leaves, ...Object.fromEntries(replaced) },
  };
}

function namesIn(
  inputs: PkiInputs,
  targets: Exclude<ReturnType<typeof parseRotate>, { readonly authorities: unknown }>,
): { readonly leaves: readonly LeafName[] } | Refusal {
  if ('fault' in targets)
    return refusalOf(targets.fault, 'correct the value, or remove the annotation from the Karmada');
  const wanted = wantedLeaves(inputs).map(({ name }) => name);
  if (targets.leaves === ALL_LEAVES) return { leaves: wanted };
  const absent = targets.leaves.filter((name) => !wanted.includes(name));
  return absent.length === 0
    ? { leaves: targets.leaves }
    : refusalOf(
        `the control plane has no certificate ${absent.join(', ')}`,
        'remove the name from the value',
      );
}

const refusalOf = (cause: string, remedy: string): Refusal => ({
  refusal: `annotation ${ROTATE_ANNOTATION}: ${cause}; ${remedy}`,
});

const invalidRecord = ({ name }: PkiInputs): string =>
  `Secret ${instanceName(name, 'ca-backup')}: ${REISSUE_KEY} is not a record of this version of the operator, so no requested reissue is executed; restore the value from a backup of the Secret`;

/**
 * Returns the value to store: the record with the certificates that were issued.
 * @param info after the issue
 * @returns undefined if there is nothing to store
 */
export function reissuesText(
  { record, due }: ReissueDecision,
  info: CertificateSetInfo,
  stored: string | undefined,
): string | undefined {
  if (record === undefined || record === NO_REISSUES) return stored;
  const issued = leavesOf(record.leaves).map(([name, leaf]) => {
    const now = info.leaves[name]?.certificate?.sha256;
    const isReplaced = due.has(name) && now !== undefined && now !== leaf.from;
    return [name, isReplaced ? { ...leaf, to: now } : leaf] as const;
  });
  return formatReissues({ ...record, leaves: Object.fromEntries(issued) });
}

/** Returns the request for which a certificate was issued. @returns undefined if it was issued for another reason */
export function reissuedFor(
  { leaves }: ReissueRecord,
  name: LeafName,
  sha256: string,
): Pick<Reissue, 'request' | 'at'> | undefined {
  const leaf = leaves[name];
  return leaf !== undefined && leaf.to === sha256 ? leaf : undefined;
}
