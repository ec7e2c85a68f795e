/**
 * The certificate request that shows with which CA kube-controller-manager signs: pure. There is at most one, it is approved only
 * in the call that creates it, and it ends with the phase.
 */
import type { Action } from '../../actions/action.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { signerAmong } from '../../pki/authority-facts.ts';
import type { KeyPair } from '../../pki/types.ts';
import { OWN_BUNDLE } from '../../untrusted/limits.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import type { AuthorityFacts } from './facts.ts';
import { KUBELET_MS } from './proofs.ts';
import type { Rotation, RotationRecord } from './record.ts';
import { shortHash } from './requests.ts';

/** Signer of kube-controller-manager for certificates of clients. */
export const SIGNER = 'kubernetes.io/kube-apiserver-client';

/** Time in which kube-controller-manager loads a changed CA after the kubelet has mounted it, in milliseconds. */
const SIGNER_MS = 60_000;

/** Time between two requests, in milliseconds. */
const RETRY_MS = 60_000;

/** What was read. */
export interface SeenRequest {
  /** Absent if it does not exist. */
  readonly request?: KubernetesObject;
  /** Monotonic. */
  readonly observedAt: number;
}

/** The request of a phase. */
interface PhaseRequest {
  readonly name: string;
  /** SHA-256 of the CA that must sign it. */
  readonly root: string;
  /** Wall clock in milliseconds from which kube-controller-manager has loaded the CA. */
  readonly dueAt: number;
}

/**
 * Returns the request of a phase. Its name contains when the Secrets were written, so that one of an earlier phase is never taken for
 * it, whatever the clocks of API servers say.
 * @returns undefined if the phase needs none
 */
export function requestOfPhase(rotation: Rotation): PhaseRequest | undefined {
  const { authority, writtenAt } = rotation;
  const root = signerOf(rotation);
  if (authority !== 'ca' || root === undefined || writtenAt === undefined) return undefined;
  const mark = Math.floor(writtenAt / 1_000).toString(36);
  const name = `karmada-operator-rotation-${shortHash(root)}-${mark}`;
  return { name, root, dueAt: writtenAt + KUBELET_MS + SIGNER_MS };
}

/** The CA that must be seen to sign before the next phase. */
function signerOf({ phase, from, to, returns, completion }: Rotation): string | undefined {
  if (phase === 'Preparing') return returns ? from : undefined;
  const isNeeded = phase === 'Switching' || (phase === 'Overlap' && completion === 'confirmed');
  return isNeeded ? to : undefined;
}

/** Returns the names of requests that another record leaves. */
export const endedRequests = (before: RotationRecord, after: RotationRecord): readonly string[] => {
  const next = after.rotations.map((rotation) => nameOf(rotation));
  return before.rotations.flatMap((rotation) => {
    const name = nameOf(rotation);
    return name === undefined || next.includes(name) ? [] : [name];
  });
};

const nameOf = (rotation: Rotation): string | undefined => requestOfPhase(rotation)?.name;

/** What a request shows. */
interface Requesting {
  readonly rotation: Rotation;
  readonly seen: SeenRequest | undefined;
  /** CAs by SHA-256. */
  readonly pairs: ReadonlyMap<string, KeyPair>;
}

/** Returns what has signed the request. */
export function signedRequestOf({
  seen,
  pairs,
}: Pick<Requesting, 'seen' | 'pairs'>): AuthorityFacts['signedRequest'] {
  if (seen?.request === undefined) return undefined;
  const certificate = certificateIn(seen.request);
  if (certificate === undefined) return undefined;
  return { root: signerAmong(pairs, certificate) ?? '', observedAt: seen.observedAt };
}

/** Returns what is to be done for the request. */
export function requestActions(asked: Requesting, now: number): readonly Action[] {
  const { rotation, seen } = asked;
  const wanted = requestOfPhase(rotation);
  if (wanted === undefined || seen === undefined || now < wanted.dueAt) return [];
  const { request } = seen;
  if (request === undefined) return [{ kind: 'requestCertificate', name: wanted.name }];
  const isProof = signedRequestOf(asked)?.root === wanted.root;
  const isAwaited = isApproved(request) && certificateIn(request) === undefined;
  const isRecent = now < createdAt(request) + RETRY_MS;
  // One that is not approved is what a crash has left, or not of the operator: it is never approved later.
  return isProof || isAwaited || isRecent ? [] : [{ kind: 'deleteRequest', request }];
}

const createdAt = ({ metadata }: KubernetesObject): number =>
  parseTime(metadata.creationTimestamp) || 0;

/** Maximum length of the answer, base64. The operator reads it in each reconcile of the phase. */
const MAX_ANSWER = Math.ceil(OWN_BUNDLE.size / 3) * 4;

/** The first certificate of the answer, PEM. Empty if the answer is none: another signer has given it. */
function certificateIn(request: KubernetesObject): string | undefined {
  const { certificate } = fieldsOf(request['status']);
  if (typeof certificate !== 'string' || certificate === '') return undefined;
  if (certificate.length > MAX_ANSWER) return '';
  return certificateBlocks(Buffer.from(certificate, 'base64').toString('utf8'))[0] ?? '';
}

/** Whether the request may still be answered. */
function isApproved(request: KubernetesObject): boolean {
  const { conditions } = fieldsOf(request['status']);
  const types = Array.isArray(conditions) ? conditions.map((one) => fieldsOf(one)['type']) : [];
  return types.includes('Approved') && !types.includes('Failed');
}
