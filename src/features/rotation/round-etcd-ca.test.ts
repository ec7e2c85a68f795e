import { describe, expect, it } from '@jest/globals';
import type { RoundInput } from '../../actions/round.ts';
import { COMPONENT } from '../../api/labels.ts';
import { EFFECTIVE_HASH } from '../../components/etcd/effective-hash.ts';
import { CLAIM_ANNOTATION } from '../../etcd-cluster/identity/record.ts';
import { hashIn } from '../../etcd-cluster/pods/membership.ts';
import { NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isSignedBy } from '../../pki/certificate-info.ts';
import { makeKey } from '../../pki/keys.ts';
import type { PkiInputs, SecretReads } from '../../pki/types.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import type { Answer } from './facts.ts';
import type { RotationTools } from './observe.ts';
import { labelsOf } from './pod-facts.ts';
import type { Rotation } from './record.ts';
import { rotationRound } from './round.ts';
import { podOf } from './__fixtures__/objects.ts';
import { clock, readyKarmada, resultOf } from './__fixtures__/round.ts';
import {
  INPUT,
  MINUTE,
  rotatedSecrets,
  secretsIn,
  WRITTEN,
} from './__fixtures__/rotated-secrets.ts';

const NAME = 'karmada-demo';
const { pems, leaves, rotationIn, ...phases } = await rotatedSecrets('etcd-ca');
const [A, B, C] = phases.roots;

/** CA that has signed a certificate. */
const rootOf = (certificate: string): string =>
  [...pems].find(([, pem]) => isSignedBy(certificateBlocks(certificate)[0] ?? '', pem))?.[0] ?? '';

type Local = Readonly<Record<string, unknown>>;

interface World {
  readonly rotate?: string;
  readonly rotation?: Rotation;
  readonly reads?: SecretReads;
  /** CAs that each member accepts; A and B by default, undefined if it does not respond. */
  readonly trusts?: readonly (readonly string[] | undefined)[];
  /** CA of the certificates of each member; A by default. */
  readonly presents?: readonly string[];
  /** CA in the annotation of the PVC of each member; B by default. */
  readonly stamps?: readonly string[];
  /** Start of all Pods, and of the clients of etcd. */
  readonly startedAt?: number;
  readonly clientsStartedAt?: number;
  /** Members with another Pod template. */
  readonly outdated?: number;
  /** Age of the Secrets in milliseconds. */
  readonly secretsAge?: number;
  readonly local?: Local;
  readonly inputs?: PkiInputs;
  /** Settings of the spec, and the time since the installation in milliseconds. */
  readonly rotationSpec?: object;
  readonly age?: number;
}

const THREE: Local = { replicas: 3, volumeData: { volumeClaim: { spec: {} } } };

function snapshotIn({ rotate, local = THREE, rotationSpec }: World): ReturnType<typeof snapshotOf> {
  const wish = wishOf({ components: { etcd: { local } } });
  const more = { karmada: readyKarmada(rotate) };
  const base = snapshotOf(wish, [...wish.steps], more as object);
  const certificates = rotationSpec && { rotation: rotationSpec };
  return { ...base, spec: { ...base.spec, ...(certificates && { certificates }) } };
}

/** Since the cluster was formed, its members do not start another one: no Pod has this revision of the template. */
const sealed = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'StatefulSet'
    ? { ...object, status: { ...(object['status'] as object), updatedReplicas: 0 } }
    : object;

function memberOf(set: KubernetesObject, ordinal: number, world: World): KubernetesObject {
  const { startedAt = NOW - 300 * MINUTE, outdated = 0 } = world;
  const member = podOf('etcd', startedAt, ordinal);
  const hash = ordinal < outdated ? 'other' : (hashIn(set) ?? '');
  const claimName = `etcd-data-${String(ordinal)}`;
  return {
    ...member,
    metadata: { ...member.metadata, annotations: { [EFFECTIVE_HASH]: hash } },
    spec: { volumes: [{ name: 'etcd-data', persistentVolumeClaim: { claimName } }] },
  };
}

const podsIn = (workloads: readonly KubernetesObject[], world: World): KubernetesObject[] =>
  workloads.flatMap((workload) => {
    const component = workload.metadata.labels?.[COMPONENT] ?? '';
    if (!labelsOf(['etcd-ca']).some((one) => one === component)) return [];
    const { startedAt = NOW - 300 * MINUTE, clientsStartedAt = startedAt } = world;
    const { replicas = 1 } = workload['spec'] as { readonly replicas?: number };
    return Array.from({ length: replicas }, (_, ordinal) =>
      component === 'etcd'
        ? memberOf(workload, ordinal, world)
        : podOf(component, clientsStartedAt, ordinal),
    );
  });

function claimOf(ordinal: number, { stamps = [] }: World): KubernetesObject {
  const stamp = { clusterID: 'c1', token: 't', ordinal, members: 3, ca: stamps[ordinal] ?? B };
  return {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    metadata: {
      name: `etcd-data-${String(ordinal)}`,
      annotations: { [CLAIM_ANNOTATION]: JSON.stringify(stamp) },
    },
  };
}

/** Members are asked in the order of their Pods. */
function answering({ trusts = [], presents = [] }: World) {
  const [asked, shown] = [new Map<string, number>(), { ends: 0 }];
  return {
    askMember: ({ leaf }: { readonly leaf: { readonly certificate: string } }): Promise<Answer> => {
      const root = rootOf(leaf.certificate);
      const member = asked.get(root) ?? 0;
      asked.set(root, member + 1);
      if (member in trusts && trusts[member] === undefined)
        return Promise.resolve({ kind: 'unreachable' });
      const accepted = trusts[member] ?? [A, B];
      return Promise.resolve({ kind: accepted.includes(root) ? 'answered' : 'closed' });
    },
    present: () => {
      const member = Math.floor(shown.ends / 2);
      shown.ends += 1;
      return Promise.resolve(leaves.get(presents[member] ?? A));
    },
  };
}

type KnownState = Parameters<NonNullable<typeof rotationRound.decide>>[0];

async function run(world: World) {
  const { reads = phases.installed, rotation, secretsAge = 0, age = 0 } = world;
  const later = { ...clock, wall: () => NOW + age };
  const secrets = secretsIn({ reads, rotation, createdAt: NOW - secretsAge });
  const base = snapshotIn(world);
  const workloads = base.host.objects.filter(({ kind }) => /^(Deployment|Stateful)/.test(kind));
  const live = workloads.map(sealed);
  const stored = [...secrets, ...live, ...[0, 1, 2].map((ordinal) => claimOf(ordinal, world))];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(stored.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve({ items: podsIn(live, world) }),
  };
  const tools = {
    ...{ host: { client }, clock: later, userAgent: '', ...answering(world) },
    keys: { generate: () => makeKey('ec-p256') },
  } as object as RotationTools;
  const host = { ...base.host, objects: [...base.host.objects, ...secrets] };
  const { inputs: pki = INPUT } = world;
  const authorities = [{ name: 'etcd-ca' as const, sha256: A, rotateAt: NOW + 2_000 * DAY }];
  const view = { ...VIEW, authorities };
  const known = { snapshot: { ...base, host }, pki, view } as object as KnownState;
  const instance = { key: `team/${NAME}`, settled: new Map() } as object as RoundInput['instance'];
  const read = await rotationRound.observe?.(tools, known, instance);
  const input: RoundInput = { instance, clock: later, random: () => 0 };
  const decision = rotationRound.decide?.({ ...known, ...read }, input);
  return resultOf(decision);
}

const DAY = 86_400_000;
const AUTOMATIC = { authorities: 'Automatic' };
const REQUESTED: World = { rotate: 'etcd-ca/1' };
const PREPARING: World = { rotation: rotationIn('Preparing', WRITTEN), reads: phases.prepared };
const SWITCHING: World = {
  ...{ rotation: rotationIn('Switching', WRITTEN), reads: phases.switched },
  presents: [B, B, B],
};
const OVERLAP: World = {
  ...SWITCHING,
  rotation: rotationIn('Overlap', WRITTEN),
  reads: phases.overlapped,
};
const COMPLETING: World = {
  ...{
    ...SWITCHING,
    reads: phases.completed,
    trusts: [
      [B, C],
      [B, C],
      [B, C],
    ],
  },
  rotation: rotationIn('Completing', { ...WRITTEN, next: C }),
  startedAt: NOW - 10 * MINUTE,
};

describe('the round of a rotation of etcd-ca', () => {
  it.each<[string, World, readonly string[], string | undefined]>([
    ['records a request', REQUESTED, ['recordRotation'], undefined],
    [
      'begins by itself after two thirds of the validity period of the CA',
      { rotationSpec: AUTOMATIC, age: 2_500 * DAY },
      ['recordRotation'],
      undefined,
    ],
    ['does not begin by itself before', { rotationSpec: AUTOMATIC }, [], undefined],
    ['does not begin without a request by default', { age: 2_500 * DAY }, [], undefined],
    [
      'records a request for an etcd with one member',
      { ...REQUESTED, local: { ...THREE, replicas: 1 } },
      ['recordRotation'],
      undefined,
    ],
    [
      'waits while a member is to restart',
      { ...REQUESTED, outdated: 1 },
      [],
      'OtherChangeInProgress',
    ],
    [
      'stores a leaf of the former CA',
      { rotation: rotationIn('Preparing'), reads: phases.installed },
      ['issueCertificates'],
      'Preparing',
    ],
    ['switches when each member accepts the new CA', PREPARING, ['recordRotation'], 'Preparing'],
    [
      'waits for one member that refuses the new CA',
      { ...PREPARING, trusts: [[A, B], [A], [A, B]] },
      [],
      'Preparing',
    ],
    [
      'waits for one member that does not respond',
      { ...PREPARING, trusts: [[A, B], [A, B], undefined] },
      [],
      'Preparing',
    ],
    [
      'waits for clients after the switch',
      { ...SWITCHING, rotation: rotationIn('Switching', { writtenAt: NOW - MINUTE }) },
      [],
      'Switching',
    ],
    [
      'asks for a restart of one member that presents the former CA',
      { ...SWITCHING, presents: [B, B, A] },
      [],
      'RotationRestartRequired',
    ],
    [
      'begins the overlap when each member presents the new CA',
      SWITCHING,
      ['recordRotation'],
      'Switching',
    ],
    ['completes without a confirmation', OVERLAP, ['recordRotation'], 'Overlap'],
    [
      'does not complete while one member presents the former CA',
      { ...OVERLAP, presents: [A, B, B] },
      [],
      'RotationRestartRequired',
    ],
    [
      'does not complete while a PVC names the former CA',
      { ...OVERLAP, stamps: [B, A, B] },
      [],
      'Overlap',
    ],
    [
      'does not end while one member accepts the former CA',
      {
        ...COMPLETING,
        trusts: [
          [B, C],
          [A, B],
          [B, C],
        ],
      },
      [],
      'Completing',
    ],
    [
      'does not end while one member refuses both CAs',
      { ...COMPLETING, trusts: [[B, C], [], [B, C]] },
      [],
      'Completing',
    ],
    [
      'does not end while a PVC names the former CA',
      { ...COMPLETING, stamps: [A] },
      [],
      'Completing',
    ],
    ['ends when each member refuses the former CA', COMPLETING, ['recordRotation'], 'Completing'],
  ])('%s', async (_, world, actions, reason) => {
    const found = await run(world);
    expect([found.actions.map(({ kind }) => kind), found.condition?.reason]).toEqual([
      actions,
      reason,
    ]);
  });

  it.each<[string, World, string, string]>([
    [
      'for an external etcd',
      { ...REQUESTED, inputs: { ...INPUT, etcd: 'external' } },
      'RotationRequestInvalid',
      'take the name out of the value',
    ],
    [
      'for members whose data a restart would lose',
      { ...REQUESTED, local: { volumeData: { emptyDir: {} } } },
      'RotationUnsupported',
      'restore a backup into a control plane whose etcd has a volume; take the annotation operator.karmada.io/rotate off the Karmada',
    ],
  ])('refuses a request %s, and names the remedy', async (_, world, reason, remedy) => {
    const { actions, condition } = await run(world);
    expect(actions).toEqual([]);
    expect(condition?.reason).toBe(reason);
    expect(condition?.message).toContain(remedy);
  });

  it('names the command for members and clients that may have started before their Secrets had the new CA, as those of an adopted etcd', async () => {
    const { actions, condition } = await run({
      ...PREPARING,
      ...{ secretsAge: 300 * 24 * 60 * MINUTE, trusts: [[A], [A], [A]] },
    });
    expect(actions).toEqual([]);
    expect(condition?.reason).toBe('RotationRestartRequired');
    expect(condition?.message).toContain(
      'restart karmada-demo etcd karmada-apiserver karmada-aggregated-apiserver',
    );
  });

  it('restarts clients that started with the former CA', async () => {
    const { actions, condition, restarts } = await run({
      ...COMPLETING,
      clientsStartedAt: NOW - 25 * MINUTE,
    });
    expect(actions).toEqual([]);
    expect(condition?.reason).toBe('Completing');
    expect([...(restarts?.keys() ?? [])]).toEqual([
      'karmada-apiserver',
      'karmada-aggregated-apiserver',
    ]);
  });
});
