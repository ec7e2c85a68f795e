/** Facts about a rotation for tests of single rules: all Pods answer as the phase expects, apart from what a test names. */
import type { RotationAuthority } from '../authority.ts';
import { CONSUMERS, type ConsumerRow } from '../consumers.ts';
import { contentOf } from '../content.ts';
import type {
  Answer,
  AuthorityFacts,
  PodFacts,
  RootFacts,
  RotationFacts,
  RotationPolicy,
} from '../facts.ts';
import { EMPTY_RECORD, type Rotation, type RotationRecord } from '../record.ts';
import { requestsIn } from '../requests.ts';

export const DAY = 86_400_000;
export const NOW = 20_000 * DAY;

/** Fingerprints of the former root, the new one and its successor. */
export const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
];

/** No overlap needs a confirmation. */
export const AUTOMATIC: RotationPolicy['completion'] = {
  ...{ ca: 'Automatic', 'etcd-ca': 'Automatic', 'front-proxy-ca': 'Automatic' },
  'service-account-key': 'Automatic',
};

export const rootOf = (sha256: string): RootFacts => ({
  sha256,
  notBefore: NOW - 100 * DAY,
  notAfter: NOW + 3_000 * DAY,
});

/** A rotation whose phase began an hour ago, and whose Secrets were written then. */
export const rotationOf = (given: Partial<Rotation> = {}): Rotation => ({
  authority: 'ca',
  phase: 'Preparing',
  since: NOW - 3_600_000,
  writtenAt: NOW - 3_600_000,
  from: A,
  to: B,
  ...(given.phase === 'Completing' && { next: C }),
  ...given,
});

export const recordWith = (...rotations: readonly Rotation[]): RotationRecord => ({
  ...EMPTY_RECORD,
  rotations,
});

const ACCEPTED: Readonly<Record<NonNullable<ConsumerRow['question']>, Answer>> = {
  selfSubjectReview: { kind: 'status', status: 201, isNamed: true },
  forbiddenCall: { kind: 'status', status: 403, isNamed: true },
  etcdStatus: { kind: 'answered' },
  http2Settings: { kind: 'answered' },
  publicKeys: { kind: 'answered' },
};
const REFUSED: Answer = { kind: 'closed' };

/** The Pods of an authority, with the content of a phase. */
function podsWith(
  authority: RotationAuthority,
  { signer, bundle }: { readonly signer: string; readonly bundle: readonly string[] },
): readonly PodFacts[] {
  return CONSUMERS[authority].map(({ component, question, presents = [] }) => ({
    name: `${component}-0`,
    component,
    startedAt: NOW - 1_000_000,
    probes: question
      ? [A, B, C].map((root) => ({
          ...{ root, observedAt: NOW },
          answer: bundle.includes(root) ? ACCEPTED[question] : REFUSED,
        }))
      : [],
    presented: presents.map((endpoint) => ({ endpoint, root: signer, observedAt: NOW })),
  }));
}

/** Everything is as the phase of the rotation expects. */
export function authorityWith(
  rotation: Rotation,
  changes: Partial<AuthorityFacts> = {},
): AuthorityFacts {
  const { authority, phase, from } = rotation;
  const content = contentOf(rotation);
  const isForgotten = phase === 'Overlap' || phase === 'Completing';
  const pods = podsWith(authority, content);
  return {
    authority,
    active: rootOf(content.signer),
    secrets: ['cert', 'etcd-cert', 'leaf'].map((name) => ({ name, ...content })),
    backup: {
      ...{ name: 'ca-backup', active: content.signer },
      keys: isForgotten ? [B, C] : [A, B],
      successor: rootOf(isForgotten ? C : B),
      ...{ crossSigned: [{ root: B, by: A }], probes: [from] },
    },
    sinceCreation: [A, B],
    pods: {
      listedAt: NOW,
      items: pods,
      expected: new Map(pods.map(({ component }) => [component, 1])),
    },
    objects: [
      { name: 'webhook', kind: 'bundle', roots: content.bundle, observedAt: NOW },
      {
        ...{ name: 'extension-apiserver-authentication', kind: 'shared' as const },
        ...{ roots: content.bundle, observedAt: NOW, changedAt: NOW - 3_600_000 },
      },
    ],
    signedRequest: { root: content.signer, observedAt: NOW },
    ...changes,
  };
}

/** One rotation under way, or none. */
export function factsWith(
  rotation: Rotation | undefined,
  changes: Partial<RotationFacts> = {},
  annotations: Readonly<Record<string, string>> = {},
): RotationFacts {
  return {
    now: NOW,
    monotonic: NOW,
    record: recordWith(...(rotation ? [rotation] : [])),
    requests: requestsIn(annotations),
    policy: {
      authorities: 'OnRequest',
      overlapMs: { ca: DAY, 'etcd-ca': 0, 'front-proxy-ca': 0, 'service-account-key': DAY },
      keysMs: 600_000,
      completion: AUTOMATIC,
    },
    obstacles: {},
    authorities: [authorityWith(rotation ?? rotationOf())],
    ...changes,
  };
}
