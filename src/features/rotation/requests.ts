/**
 * Annotations of a Karmada that request, complete or abort a rotation: pure. The value names what is meant, so that a
 * copied or repeated annotation does nothing else. Each value is executed once.
 */
import { GROUP } from '../../api/karmada.ts';
import { parseRotate, REQUEST_ID, ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { authorityNamed, ROTATION_AUTHORITIES, type RotationAuthority } from './authority.ts';
import { MAX_REQUEST_LENGTH } from './parse-record.ts';
import type { Rotation, RotationRecord } from './record.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

export { ROTATE_ANNOTATION };
/** Ends the overlap, whoever still uses the former CA: authority and hash of the former CA. */
export const COMPLETE_ANNOTATION = 'operator.karmada.io/rotate-complete';
/** Aborts a rotation: authority and hash of the new CA. */
export const ABORT_ANNOTATION = 'operator.karmada.io/rotate-abort';

/** Request for a rotation. */
export interface RotateRequest {
  /** In the order of `ROTATION_AUTHORITIES`. */
  readonly authorities: readonly RotationAuthority[];
  /** As in `RotationRecord.executed`. */
  readonly recorded: string;
}

/** Confirmation that one rotation is completed or aborted. */
export interface Confirmation {
  readonly authority: RotationAuthority;
  /** At least 16 hexadecimal digits of a SHA-256 fingerprint. */
  readonly hash: string;
  /** As in `RotationRecord.executed`. */
  readonly recorded: string;
  /** The annotation with its value, for messages. */
  readonly annotation: string;
}

export interface RotationRequests {
  readonly rotate?: RotateRequest;
  readonly complete?: Confirmation;
  readonly abort?: Confirmation;
  /** One message for each annotation that is not valid: annotation, cause and what to do. */
  readonly faults: readonly string[];
}

type Annotations = Readonly<Record<string, string>> | undefined;

/** Digits of a fingerprint that identify a CA in annotations and messages. */
const HASH_DIGITS = 16;

const HASH = /^[0-9a-f]{16,64}$/;

/** Parses the annotations of a Karmada. */
export function requestsIn(annotations: Annotations): RotationRequests {
  const rotate = parsed(annotations, ROTATE_ANNOTATION, rotateIn);
  const complete = parsed(annotations, COMPLETE_ANNOTATION, confirmationIn('complete'));
  const abort = parsed(annotations, ABORT_ANNOTATION, confirmationIn('abort'));
  return {
    ...(rotate?.request && { rotate: rotate.request }),
    ...(complete?.request && { complete: complete.request }),
    ...(abort?.request && { abort: abort.request }),
    faults: [rotate, complete, abort].flatMap((one) => one?.fault ?? []),
  };
}

interface Parsed<T> {
  readonly request?: T;
  readonly fault?: string;
}

function parsed<T>(
  annotations: Annotations,
  annotation: string,
  parse: (value: string) => T | string | undefined,
): Parsed<T> | undefined {
  const value = annotations?.[annotation];
  if (value === undefined) return undefined;
  const isLong = value.length + annotation.length - GROUP.length > MAX_REQUEST_LENGTH;
  const read = parse(value);
  if (read === undefined) return undefined;
  const found = isLong ? 'the value is too long' : read;
  if (typeof found !== 'string') return { request: found };
  return {
    fault: `annotation ${annotation}: ${found}; correct the value, or take the annotation off the Karmada`,
  };
}

const NAMES = ROTATION_AUTHORITIES.join(', ');

/** @returns undefined for a value that names no CA and no key: `src/pki/reissues.ts` decides about leaf certificates */
function rotateIn(value: string): RotateRequest | string | undefined {
  const targets = parseRotate(value);
  if ('fault' in targets) return targets.isOfAuthority ? targets.fault : undefined;
  if ('leaves' in targets) return undefined;
  const authorities = ROTATION_AUTHORITIES.filter((name) => targets.authorities.includes(name));
  return { authorities, recorded: `rotate=${value}` };
}

const confirmationIn =
  (kind: 'complete' | 'abort') =>
  (value: string): Confirmation | string => {
    const [name, hash = '', id, ...others] = value.split('/');
    const authority = authorityNamed(name);
    if (authority === undefined) return `the value does not start with one of ${NAMES}`;
    if (!HASH.test(hash) || others.length > 0 || (id !== undefined && !REQUEST_ID.test(id)))
      return `the value does not continue with "/" and the hash that the condition CertificateRotation shows`;
    const annotation = `${kind === 'abort' ? ABORT_ANNOTATION : COMPLETE_ANNOTATION}=${value}`;
    return { authority, hash, recorded: `${kind}=${value}`, annotation };
  };

/** Whether a value was executed. */
export const isExecuted = (
  { executed }: Pick<RotationRecord, 'executed'>,
  { recorded }: { readonly recorded: string },
): boolean => executed.includes(recorded);

/** Shortens a fingerprint for annotations and messages. */
export const shortHash = (sha256: string): string => sha256.slice(0, HASH_DIGITS);

/**
 * Returns the annotation that completes or aborts a rotation, with a value that was not executed before.
 * @param kind which one
 */
export function confirmationOf(
  kind: 'complete' | 'abort',
  { authority, from, to }: Pick<Rotation, 'authority' | 'from' | 'to'>,
  record: Pick<RotationRecord, 'executed'>,
): string {
  const plain = `${authority}/${shortHash(kind === 'abort' ? to : from)}`;
  const count = record.executed.filter((one) => one.startsWith(`${kind}=${plain}`)).length;
  const suffixes = ['', ...ordinalsBelow(count).map((index) => `/${String(index + 2)}`)];
  const values = suffixes.map((suffix) => `${plain}${suffix}`);
  const value = values.find((one) => !isExecuted(record, { recorded: `${kind}=${one}` })) ?? plain;
  return `${kind === 'abort' ? ABORT_ANNOTATION : COMPLETE_ANNOTATION}=${value}`;
}
