/** Facts about the rotation of ServiceAccount keys, from Secrets, Pods and responses that were read just now: pure. */
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { isPaused } from '../../instance/pause.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { keyFactsOf, type KeyFacts } from '../../pki/key-plan.ts';
import { serviceAccountIn } from '../../pki/secrets-read.ts';
import type { KeysOfPod } from './ask-api-server.ts';
import type { Answer, AuthorityFacts, PodFacts } from './facts.ts';
import { consumerOf, expectedPods, podFactsOf, type Workloads } from './pod-facts.ts';
import type { Rotation } from './record.ts';

/** What a reconcile has read. Times are of the monotonic clock. */
export interface KeyObservation {
  /** `metadata.name` of the Karmada. */
  readonly karmada: string;
  readonly backup: KubernetesObject;
  readonly keys: KubernetesObject;
  readonly workloads: Workloads;
  readonly pods: readonly Pod[];
  readonly listedAt: number;
  /** Responses of API servers by Pod, with the time before the request. */
  readonly answers: ReadonlyMap<string, KeysOfPod & { readonly at: number }>;
}

/** Returns the facts. @param rotation the one under way @returns undefined if a Secret has no readable key */
export function keyAuthority(
  seen: KeyObservation,
  rotation: Rotation | undefined,
): AuthorityFacts | undefined {
  const [used, saved] = [factsIn(seen.keys), factsIn(seen.backup)];
  if (used === undefined || saved === undefined) return undefined;
  const { name } = seen.keys.metadata;
  return {
    authority: 'service-account-key',
    active: rootOf(used.signing),
    secrets: [{ name, signer: used.signing, bundle: used.verifying, ...pausedFact(seen.keys) }],
    backup: {
      name: instanceName(seen.karmada, SECRET_SUFFIX.caBackup),
      active: saved.signing,
      keys: saved.privates,
      ...(saved.successor !== undefined && { successor: rootOf(saved.successor) }),
      crossSigned: [],
      probes: [],
      ...pausedFact(seen.backup),
    },
    known: [used, saved].flatMap(({ verifying, privates, former }) => [
      ...verifying,
      ...privates,
      ...(former === undefined ? [] : [former]),
    ]),
    sinceCreation: [],
    pods: {
      listedAt: seen.listedAt,
      items: seen.pods.flatMap((pod) => podFacts(seen, pod, rotation)),
      expected: expectedPods(seen.workloads, 'service-account-key'),
    },
    objects: [],
  };
}

function factsIn(secret: KubernetesObject): KeyFacts | undefined {
  const keys = serviceAccountIn(textsIn(secret));
  return keys && keyFactsOf(keys);
}

/** Values of a Secret in base64. */
export const textsIn = (secret: KubernetesObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(secret['data'])).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as const] : [],
    ),
  );

/** A key has no validity period. */
const rootOf = (sha256: string): AuthorityFacts['active'] => ({
  sha256,
  notBefore: 0,
  notAfter: Infinity,
});

const pausedFact = (object: KubernetesObject): { readonly isPaused?: true } =>
  isPaused(object) ? { isPaused: true } : {};

function podFacts(
  { workloads, answers }: KeyObservation,
  pod: Pod,
  rotation: Rotation | undefined,
): readonly PodFacts[] {
  const component = consumerOf(pod, 'service-account-key');
  if (component === undefined) return [];
  const shown = shownBy(answers.get(pod.metadata.name), rotation);
  return [podFactsOf(pod, component, workloads.get(component), shown)];
}

function shownBy(
  answer: (KeysOfPod & { readonly at: number }) | undefined,
  rotation: Rotation | undefined,
): Pick<PodFacts, 'probes' | 'presented'> {
  if (answer === undefined) return { probes: [], presented: [] };
  const { signs, at } = answer;
  const presented = signs === undefined ? [] : [{ endpoint: 'token', root: signs, observedAt: at }];
  return { probes: probesOf(answer, rotation), presented };
}

/** An API server accepts the tokens of the keys that it publishes, and of no other one: it reads both from one file. */
function probesOf(
  { published, at }: KeysOfPod & { readonly at: number },
  rotation: Rotation | undefined,
): PodFacts['probes'] {
  if (published === undefined || rotation === undefined) return [];
  const { from, to, next } = rotation;
  const answer = (root: string): Answer =>
    published.includes(root) ? { kind: 'answered' } : { kind: 'status', status: 401 };
  return [from, to, ...(next === undefined ? [] : [next])].map((root) => ({
    root,
    answer: answer(root),
    observedAt: at,
  }));
}
