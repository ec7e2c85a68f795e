import { describe, expect, it } from '@jest/globals';
import { A, authorityWith, B, NOW, rotationOf } from './__fixtures__/facts.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';
import type { RotationAuthority } from './authority.ts';
import { objectLacks, publicationLacks, SHARED_MS } from './object-proofs.ts';
import type { Answer, AuthorityFacts, PodFacts } from './facts.ts';
import { CLIENTS_MS, KUBELET_MS, refusalLacks, trustLacks, useLacks, type Lack } from './proofs.ts';
import { PROOF_MS } from './verdict.ts';

/** Changes one Pod. */
const withPod = (
  facts: AuthorityFacts,
  name: string,
  change: (pod: PodFacts) => Partial<PodFacts>,
): AuthorityFacts => ({
  ...facts,
  pods: {
    ...facts.pods,
    items: facts.pods.items.map((pod) => (pod.name === name ? { ...pod, ...change(pod) } : pod)),
  },
});

const withAnswer =
  (root: string, answer: Answer) =>
  (pod: PodFacts): Partial<PodFacts> => ({
    probes: pod.probes.map((probe) => (probe.root === root ? { ...probe, answer } : probe)),
  });

const silent = (): Partial<PodFacts> => ({ probes: [], presented: [] });
const aged =
  (ms: number) =>
  (pod: PodFacts): Partial<PodFacts> => ({
    probes: pod.probes.map((probe) => ({ ...probe, observedAt: NOW - ms })),
    presented: pod.presented.map((one) => ({ ...one, observedAt: NOW - ms })),
  });

type Row = [string, (facts: AuthorityFacts) => AuthorityFacts, string];

const texts = (lacks: readonly Lack[]): readonly string[] =>
  lacks.map(({ party, why }) => `${party} ${why}`);
const WRITTEN = NOW - 3_600_000;

const shared: readonly Row[] = [
  [
    'the Pods were listed too long ago',
    (facts) => ({ ...facts, pods: { ...facts.pods, listedAt: NOW - PROOF_MS - 1 } }),
    'Pods are not read',
  ],
  [
    'the Pods were listed by another clock',
    (facts) => ({ ...facts, pods: { ...facts.pods, listedAt: NOW + 1 } }),
    'Pods are not read',
  ],
  [
    'a Pod is missing',
    (facts) => ({
      ...facts,
      pods: { ...facts.pods, items: facts.pods.items.filter(({ name }) => name !== 'etcd-0') },
    }),
    'etcd lacks 1 of its Pods',
  ],
  [
    'a Pod is only terminating',
    (facts) => withPod(facts, 'etcd-0', () => ({ isTerminating: true })),
    'etcd lacks 1 of its Pods',
  ],
  [
    'a Pod does not run',
    (facts) => {
      const items = facts.pods.items.map(({ startedAt, ...pod }) =>
        pod.name === 'etcd-0' || startedAt === undefined ? pod : { ...pod, startedAt },
      );
      return { ...facts, pods: { ...facts.pods, items } };
    },
    'Pod etcd-0 does not run',
  ],
];

const inPhase = (
  phase: 'Preparing' | 'Switching' | 'Completing',
  authority: RotationAuthority = 'etcd-ca',
) => authorityWith(rotationOf({ authority, phase }));

describe('trustLacks', () => {
  const lacksOf = (facts: AuthorityFacts, writtenAt?: number): readonly string[] =>
    texts(
      trustLacks(
        { facts, now: NOW, monotonic: NOW, ...(writtenAt !== undefined && { writtenAt }) },
        B,
      ),
    );

  it.each(['ca', 'etcd-ca', 'front-proxy-ca', 'service-account-key'] as const)(
    'lacks nothing when each Pod accepts the new root of %s',
    (authority) => {
      expect(lacksOf(inPhase('Preparing', authority), WRITTEN)).toEqual([]);
    },
  );

  it.each<Row>([
    ...shared,
    [
      'one Pod refuses',
      (facts) => withPod(facts, 'etcd-0', withAnswer(B, { kind: 'closed' })),
      'does not trust the new root yet',
    ],
    [
      'one Pod does not answer',
      (facts) => withPod(facts, 'etcd-0', silent),
      'does not show whether it trusts',
    ],
    [
      'an answer is too old',
      (facts) => withPod(facts, 'etcd-0', aged(PROOF_MS + 1)),
      'does not show whether it trusts',
    ],
    [
      'answers contradict each other',
      (facts) =>
        withPod(facts, 'etcd-0', (pod) => ({
          probes: [...pod.probes, { root: B, observedAt: NOW, answer: { kind: 'closed' } }],
        })),
      'does not show whether it trusts',
    ],
    [
      'a client started before the kubelet mounted the root',
      (facts) => withPod(facts, 'search-0', () => ({ startedAt: WRITTEN + KUBELET_MS - 1 })),
      'Pod search-0 started before the new root',
    ],
    [
      'a client mounts another bundle',
      (facts) => withPod(facts, 'search-0', () => ({ startedAt: WRITTEN, mounts: [A] })),
      'Pod search-0 mounts a bundle without the new root',
    ],
  ])('is not proven when %s', (_, change, text) => {
    expect(lacksOf(change(inPhase('Preparing')), WRITTEN)).toEqual([expect.stringContaining(text)]);
  });

  it('counts a Pod that is terminating besides the others', () => {
    const facts = inPhase('Preparing');
    const [etcd] = facts.pods.items;
    const leaving = etcd && { ...etcd, name: 'etcd-9', isTerminating: true as const, ...silent() };
    const items = [...facts.pods.items, ...(leaving ? [leaving] : [])];
    expect(lacksOf({ ...facts, pods: { ...facts.pods, items } }, WRITTEN)).toEqual([
      'Pod etcd-9 does not show whether it trusts the new root (it has not been asked in the last seconds)',
    ]);
  });

  it('waits until each kubelet has mounted a new bundle, but not for one of the first installation', () => {
    const facts = inPhase('Preparing', 'front-proxy-ca');
    expect(lacksOf(facts, NOW - KUBELET_MS + 1)).toEqual([
      expect.stringMatching(/^kubelets and clients may use/),
    ]);
    expect(lacksOf(facts)).toEqual([]);
  });

  it('accepts a client that mounts the bundle by its content, however early it started', () => {
    const facts = withPod(inPhase('Preparing'), 'search-0', () => ({
      startedAt: WRITTEN,
      mounts: [A, B],
    }));
    expect(lacksOf(facts, WRITTEN)).toEqual([]);
  });

  it.each([
    ['without it', [A], 'mounts a bundle without the new root'],
    ['with it', [A, B], undefined],
  ])(
    'goes by the bundle that a client mounts by its content, %s, not by its start',
    (_, mounts, why) => {
      const facts = withPod(inPhase('Preparing'), 'search-0', () => ({
        startedAt: NOW - 1,
        mounts,
      }));
      expect(lacksOf(facts, WRITTEN)).toEqual(why === undefined ? [] : [`Pod search-0 ${why}`]);
    },
  );

  it('is not proven without any Pod, even if none is expected', () => {
    const facts = inPhase('Preparing');
    const pods = { ...facts.pods, items: [], expected: new Map() };
    expect(lacksOf({ ...facts, pods }, WRITTEN)).toEqual(['etcd lacks 1 of its Pods']);
  });

  it('waits until verifiers know a new key of ServiceAccounts', () => {
    const facts = withPod(inPhase('Preparing', 'service-account-key'), 'apiserver-0', () => ({
      startedAt: NOW - 5_000,
    }));
    const lacksWith = (keysMs: number): readonly string[] =>
      texts(trustLacks({ facts, now: NOW, monotonic: NOW, writtenAt: WRITTEN, keysMs }, B));
    expect(lacksWith(5_001)).toEqual([expect.stringContaining('only for a short time')]);
    expect(lacksWith(5_000)).toEqual([]);
    expect(texts(trustLacks({ facts, now: NOW, monotonic: NOW, keysMs: 5_001 }, B))).toEqual([]);
  });

  it('names a Pod to restart only if it started too early', () => {
    const refuses = (startedAt: number): readonly Lack[] => {
      const facts = withPod(inPhase('Preparing'), 'etcd-0', (pod) => ({
        ...withAnswer(B, { kind: 'closed' })(pod),
        startedAt,
      }));
      return trustLacks({ facts, now: NOW, monotonic: NOW, writtenAt: WRITTEN }, B);
    };
    expect(refuses(WRITTEN).map(({ outdated }) => outdated?.name)).toEqual(['etcd-0']);
    expect(refuses(WRITTEN + KUBELET_MS).map(({ outdated }) => outdated)).toEqual([undefined]);
  });
});

describe('useLacks', () => {
  const lacksOf = (facts: AuthorityFacts, writtenAt = WRITTEN): readonly string[] =>
    texts(useLacks({ facts, now: NOW, monotonic: NOW, writtenAt }, B));

  it.each(['ca', 'etcd-ca', 'front-proxy-ca', 'service-account-key'] as const)(
    'lacks nothing when each Pod presents the new root of %s',
    (authority) => {
      expect(lacksOf(inPhase('Switching', authority))).toEqual([]);
    },
  );

  it.each<Row>([
    ...shared,
    [
      'one Pod presents the former root',
      (facts) =>
        withPod(facts, 'etcd-0', () => ({
          presented: [
            { endpoint: 'client', root: B, observedAt: NOW },
            { endpoint: 'peer', root: A, observedAt: NOW },
          ],
        })),
      'does not present the new root at peer yet',
    ],
    [
      'one endpoint was not asked',
      (facts) => withPod(facts, 'etcd-0', (pod) => ({ presented: pod.presented.slice(0, 1) })),
      'does not present the new root at peer yet',
    ],
    [
      'an observation is too old',
      (facts) => withPod(facts, 'etcd-0', aged(PROOF_MS + 1)),
      'does not present the new root at client yet',
    ],
  ])('is not proven when %s', (_, change, text) => {
    expect(lacksOf(change(inPhase('Switching')))).toEqual([expect.stringContaining(text)]);
  });

  it('waits until all clients have loaded their certificates', () => {
    expect(lacksOf(inPhase('Switching'), NOW - CLIENTS_MS + 1)).toEqual([
      expect.stringMatching(/^kubelets and clients may use/),
    ]);
  });

  it('needs a certificate request that the new root signed, and restarted clients of estimators', () => {
    const facts = inPhase('Switching', 'ca');
    expect(lacksOf({ ...facts, signedRequest: { root: A, observedAt: NOW } })).toEqual([
      expect.stringContaining('does not sign certificate requests'),
    ]);
    expect(lacksOf(without(facts, 'signedRequest'))).toHaveLength(1);
    const early = withPod(facts, 'scheduler-0', () => ({ startedAt: WRITTEN }));
    expect(lacksOf(early)).toEqual(['Pod scheduler-0 started before its Secrets had the new root']);
  });
});

describe('refusalLacks', () => {
  const lacksOf = (facts: AuthorityFacts, writtenAt = WRITTEN): readonly string[] =>
    texts(refusalLacks({ facts, now: NOW, monotonic: NOW, writtenAt }, { former: A, active: B }));

  it.each(['ca', 'etcd-ca', 'front-proxy-ca', 'service-account-key'] as const)(
    'lacks nothing when each Pod refuses the former root of %s',
    (authority) => {
      expect(lacksOf(inPhase('Completing', authority))).toEqual([]);
    },
  );

  it.each<Row>([
    ...shared,
    [
      'one Pod accepts it',
      (facts) => withPod(facts, 'etcd-0', withAnswer(A, { kind: 'answered' })),
      'still trusts the former root',
    ],
    [
      'one Pod does not answer',
      (facts) => withPod(facts, 'etcd-0', silent),
      'does not show whether it refuses',
    ],
    [
      'one Pod accepts no root at all',
      (facts) => withPod(facts, 'etcd-0', withAnswer(B, { kind: 'closed' })),
      'does not show whether it refuses',
    ],
    [
      'a client started with it',
      (facts) => withPod(facts, 'search-0', () => ({ startedAt: WRITTEN })),
      'Pod search-0 started with the former root',
    ],
    [
      'a client mounts it',
      (facts) => withPod(facts, 'search-0', () => ({ startedAt: WRITTEN, mounts: [A, B] })),
      'Pod search-0 mounts a bundle with the former root',
    ],
  ])('is not proven when %s', (_, change, text) => {
    expect(lacksOf(change(inPhase('Completing')))).toEqual([expect.stringContaining(text)]);
  });
});

describe('proofs of objects', () => {
  const object = { name: 'x', kind: 'bundle' as const, roots: [A, B], observedAt: NOW };
  const facts = (change: object): AuthorityFacts =>
    authorityWith(rotationOf(), { objects: [{ ...object, ...change }] });

  it.each([
    ['has the new root', {}, 0, 1],
    ['lacks the new root', { roots: [A] }, 1, 1],
    ['is not read', { observedAt: NOW - PROOF_MS - 1 }, 1, 1],
    ['has only the new root', { roots: [B] }, 0, 0],
    ['is the stamp of a PVC with the former root', { kind: 'stamp', roots: [A] }, 0, 1],
    [
      'is shared and changed a minute ago',
      { kind: 'shared', roots: [B], changedAt: NOW - SHARED_MS },
      0,
      0,
    ],
    [
      'is shared and changed a second ago',
      { kind: 'shared', roots: [B], changedAt: NOW - 1_000 },
      0,
      1,
    ],
    ['is shared and its last change is not known', { kind: 'shared', roots: [B] }, 0, 1],
  ])('count an object that %s', (_, change, published, named) => {
    const input = { facts: facts(change), now: NOW, monotonic: NOW };
    expect(publicationLacks(input, B)).toHaveLength(published);
    expect(objectLacks(input, A)).toHaveLength(named);
  });
});
