/**
 * Record of the last spec with which a control plane was Ready, in the Secret `N(last-ready-spec)` of the host cluster,
 * and of the change that failed since: pure. A Secret, because extraArgs and sidecars may contain confidential values.
 */
import type { Karmada } from '../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import { canonicalJson } from '../kubernetes/objects/intent.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';

/** Annotation of the record: hash of its spec. */
export const SPEC_HASH_ANNOTATION = 'operator.karmada.io/spec-hash';
/** Annotation of the record: the change that failed after this spec was Ready. */
export const FAILED_CHANGE_ANNOTATION = 'operator.karmada.io/failed-change';
/** Key of the spec in the record. */
export const SPEC_KEY = 'spec.json';

/** Largest spec that is recorded, in bytes. A Secret holds 1 MiB, in base64. */
export const MAX_SPEC_BYTES = 700_000;

/** Change of the spec with a step that was not complete within its deadline. */
export interface FailedChange {
  /** Hash of the spec that failed. The operator does not try this spec again. */
  readonly specHash: string;
  readonly step: string;
  /** Cause, as in the condition of the component. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339 */
  readonly at: string;
}

export interface ReadyRecord {
  /** The Secret in the cache. */
  readonly secret: Secret;
  /** Hash of the last spec that was Ready. */
  readonly specHash: string;
  readonly failed?: FailedChange;
}

/** Spec as it is recorded. Equal specs have equal text. */
export const specText = ({ spec = {} }: Pick<Karmada, 'spec'>): string => canonicalJson(spec);

/** Name of the Secret with the record. */
export const recordName = ({ metadata }: Pick<Karmada, 'metadata'>): string =>
  instanceName(metadata.name, SECRET_SUFFIX.lastReadySpec);

/** Finds the Secret with the record. @param objects objects of the control plane in the host cluster */
export function recordSecret(
  objects: readonly KubernetesObject[],
  karmada: Pick<Karmada, 'metadata'>,
): Secret | undefined {
  const name = recordName(karmada);
  return objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
}

/** Reads the record. @returns undefined if there is none, or it is not readable */
export function readyRecord(
  objects: readonly KubernetesObject[],
  karmada: Pick<Karmada, 'metadata'>,
): ReadyRecord | undefined {
  const secret = recordSecret(objects, karmada);
  const specHash = secret?.metadata.annotations?.[SPEC_HASH_ANNOTATION];
  if (secret === undefined || specHash === undefined) return undefined;
  const failed = failedChangeIn(secret);
  return { secret, specHash, ...(failed && { failed }) };
}

function failedChangeIn({ metadata }: KubernetesObject): FailedChange | undefined {
  const text = metadata.annotations?.[FAILED_CHANGE_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const value = parseJsonWithin(text, { size: UNTRUSTED.record });
    return isFailedChange(value) ? { ...value, message: shownMessage(value.message) } : undefined;
  } catch {
    return undefined;
  }
}

const FIELDS = ['specHash', 'step', 'reason', 'message', 'at'] as const;

/** Form of a step and of the reason of a condition. */
const WORD = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

const isFailedChange = (value: unknown): value is FailedChange =>
  isObject(value) &&
  FIELDS.every((field) => typeof value[field] === 'string') &&
  [value['step'], value['reason']].every((one) => WORD.test(String(one))) &&
  !Number.isNaN(parseTime(value['at']));

/** Maximum length of a message, as in the status. */
const MAX_MESSAGE = 4_096;

/** The message becomes a part of the status. An administrator of a remote host cluster may have written it. */
const shownMessage = (message: string): string =>
  message.slice(0, MAX_MESSAGE).replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
