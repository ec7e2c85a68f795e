import { describe, expect, it } from '@jest/globals';
import { ofKind } from '../action.ts';
import { etcdClientSecret } from '../../api/external-etcd.ts';
import { defaultSpec } from '../../api/defaults.ts';
import type {
  Components,
  Condition,
  ExternalEtcd,
  KarmadaSpec,
  KarmadaStatus,
} from '../../api/karmada.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import type { Step } from '../../components/component.ts';
import type { EtcdCheck } from '../../external-etcd/check.ts';
import type { Access } from '../../external-etcd/credentials.ts';
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { ARCHIVE, karmadaOf, live, NOW, snapshotOf, VIEW } from '../__fixtures__/instance.ts';
import { assess, isComplete } from '../status/assessment.ts';
import { desired, type Desired } from '../desired.ts';
import { dueAccess } from './etcd-copy.ts';
import { isUsed, withPresentAccess } from './etcd-access.ts';
import { obstacleOf, trustOf } from './external-etcd.ts';
import { secretOf } from '../../api/labels.ts';
import { CERTIFICATES_FIRST, planInstance, type Plan } from '../plan.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../snapshot.ts';
import { statusOf } from '../status/status.ts';
import { stepStates } from '../steps.ts';

const BESIDE: ExternalEtcd = {
  endpoints: ['https://10.0.0.1:2379'],
  secretRef: { name: 'karmada-demo-etcd-cert' },
};
const ELSEWHERE: ExternalEtcd = { ...BESIDE, secretRef: { name: 'etcd', namespace: 'storage' } };
const OTHER: ExternalEtcd = { ...BESIDE, endpoints: ['https://10.0.0.2:2379'] };

const hashes = { 'ca.crt': 'a', 'tls.crt': 'b', 'tls.key': 'c' };
const ACCESS: Access = { hashes, trust: 'trusted', notAfter: NOW + 90 * 86_400_000 };
const PROBLEM = { reason: 'EtcdUnreachable', message: 'https://10.0.0.1:2379 refuses connections' };
const MISSING = { reason: 'EtcdSecretMissing', message: 'Secret team/x does not exist' };

const SERVED: EtcdCheck = { outcome: 'served', access: ACCESS, version: '3.6.6' };
const UNSERVED: EtcdCheck = { outcome: 'unserved', access: ACCESS, problem: PROBLEM };
const UNUSABLE: EtcdCheck = { outcome: 'unusable', problem: MISSING };
const UNREAD: EtcdCheck = {
  outcome: 'unread',
  problem: { ...MISSING, reason: 'EtcdSecretUnread' },
};

const specOf = (external: ExternalEtcd): KarmadaSpec => ({ components: { etcd: { external } } });

const appliedHash = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.annotations?.[APPLIED_HASH];

function wishFor(external: ExternalEtcd, etcdTrust = 'trusted', components?: Components): Desired {
  return desired(TEMPLATES, {
    name: 'karmada-demo',
    namespace: 'team',
    spec: defaultSpec(components ? { components } : specOf(external), {
      defaultStorageClass: false,
    }),
    certificates: VIEW,
    archive: ARCHIVE,
    etcdTrust,
  });
}

interface Scene {
  readonly external?: ExternalEtcd;
  readonly check?: EtcdCheck;
  readonly more?: Partial<ExternalEtcdSnapshot>;
  /** What runs; absent for a new instance. */
  readonly running?: Desired;
  readonly objects?: readonly KubernetesObject[];
}

function sceneOf({ external = BESIDE, check, more, running, objects = [] }: Scene): Snapshot {
  const karmada = karmadaOf(specOf(external));
  const secret = etcdClientSecret(karmada.metadata, external);
  const steps = running === undefined ? [] : [...running.steps];
  const snapshot = snapshotOf(running ?? wishFor(external), steps as Step[], {
    karmada,
    externalEtcd: { secret, check, ...more },
  });
  return {
    ...snapshot,
    host: { ...snapshot.host, objects: [...snapshot.host.objects, ...objects] },
  };
}

const RUNNING = wishFor(BESIDE);

function planFor(snapshot: Snapshot, wish: Desired): Plan {
  const access = withPresentAccess(wish, snapshot);
  const states = stepStates(access.desired, snapshot);
  const holds = access.hold ? [access.hold] : [];
  return planInstance({ snapshot, desired: access.desired, states, holds }, VIEW);
}

function statusFor(snapshot: Snapshot, wish?: Desired, before: KarmadaStatus = {}): KarmadaStatus {
  const plan = wish ? planFor(snapshot, wish) : CERTIFICATES_FIRST;
  const outcome = { live: new Map(), problems: [], errors: [], holds: [], writes: 0 };
  const view = wish && VIEW;
  const present = wish && withPresentAccess(wish, snapshot).desired;
  const seen = { snapshot, desired: present, view, plan, outcome, certificateProblem: undefined };
  return statusOf(assess(seen), before);
}

const told = (status: KarmadaStatus, wanted: string): string | undefined => {
  const found = status.conditions?.find(({ type }) => type === wanted);
  return found && `${found.status} ${found.reason}: ${found.message}`;
};

const names = (plan: Plan): string[] =>
  ofKind(plan.actions, 'apply')
    .filter(({ target }) => target.object.kind === 'Deployment')
    .map(({ target }) => target.object.metadata.name)
    .sort();

const CLIENTS = ['karmada-demo-aggregated-apiserver', 'karmada-demo-apiserver'];

describe('a new instance with an external etcd', () => {
  it.each<[string, Scene, object | string | undefined]>([
    ['waits while it is asked', {}, 'pending'],
    ['waits for one that does not serve', { check: UNSERVED }, PROBLEM],
    ['waits for its Secret', { check: UNUSABLE }, MISSING],
    [
      'waits for a copy that cannot be made',
      { check: SERVED, more: { copyProblem: MISSING } },
      MISSING,
    ],
    [
      'gives way to an older one on the same keys',
      { check: SERVED, more: { elder: 'a/b' } },
      expect.objectContaining({ reason: 'EtcdShared' }),
    ],
    ['is begun on one that serves', { check: SERVED }, undefined],
    [
      'is begun when Secrets are left of a former one, and only then',
      { check: UNSERVED, objects: [secretOf(karmadaOf().metadata, 'x', {})] },
      PROBLEM,
    ],
    ['that has begun goes on', { check: UNSERVED, running: RUNNING }, undefined],
  ])('%s', (_, scene, expected) => {
    expect(obstacleOf(sceneOf(scene))).toEqual(expected);
  });

  it('names etcd and remedy in Ready and in the conditions of etcd', () => {
    const status = statusFor(sceneOf({ check: UNSERVED }));
    const text = `False EtcdUnreachable: ${PROBLEM.message}`;
    expect(told(status, 'Ready')).toBe(`False Failed: ${PROBLEM.message}`);
    expect([told(status, 'EtcdReady'), told(status, 'EtcdHealthy')]).toEqual([text, text]);
    expect(told(status, 'CertificatesValid')).toMatch(/^Unknown Pending/);
    expect(status).toMatchObject({ phase: 'Failed', etcd: 'external' });
  });

  it('says that it is asked before anything else', () => {
    const status = statusFor(sceneOf({}));
    expect(told(status, 'Ready')).toBe(
      'False Progressing: the external etcd is being asked how it is',
    );
    expect(told(status, 'EtcdReady')).toMatch(/^False Progressing/);
    expect(told(status, 'EtcdHealthy')).toMatch(/^Unknown Pending/);
    expect(status.phase).toBe('Installing');
  });

  it('a Secret that cannot be used says nothing of the etcd', () => {
    const status = statusFor(sceneOf({ check: UNUSABLE }));
    expect(told(status, 'EtcdReady')).toBe(`False EtcdSecretMissing: ${MISSING.message}`);
    expect(told(status, 'EtcdHealthy')).toBe(`Unknown EtcdSecretMissing: ${MISSING.message}`);
  });
});

describe('a running instance with an external etcd', () => {
  it('is Ready when it serves, with what was seen of it', () => {
    const snapshot = sceneOf({ check: SERVED, running: RUNNING });
    const status = statusFor(snapshot, RUNNING);
    expect(told(status, 'Ready')).toMatch(/^True Completed/);
    expect(told(status, 'EtcdReady')).toBe('True Available: ');
    expect(told(status, 'EtcdHealthy')).toBe('True Quorum: etcd 3.6.6 serves with a quorum');
    expect(status.versions?.etcd).toBe('3.6.6');
    expect(told(status, 'Warning')).toBeUndefined();
  });

  it.each<[string, EtcdCheck | undefined]>([
    ['one that does not serve for now', UNSERVED],
    ['a Secret that cannot be read for now', UNREAD],
    ['nobody having looked since the operator started', undefined],
  ])('loses nothing to %s, and everything else is repaired', (_, check) => {
    const snapshot = sceneOf({ ...(check && { check }), running: RUNNING });
    const plan = planFor(snapshot, RUNNING);
    expect(plan.holds).toEqual([]);
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
    expect(names(plan)).toEqual(
      names(planFor(sceneOf({ check: SERVED, running: RUNNING }), RUNNING)),
    );
    const status = statusFor(snapshot, RUNNING);
    expect(told(status, 'Ready')).toMatch(/^True Completed/);
    expect(told(status, 'EtcdHealthy')).toMatch(
      check === UNSERVED ? /^False EtcdUnreachable/ : /^Unknown/,
    );
  });

  it('says what it said until somebody has looked after a restart of the operator', () => {
    const before = statusFor(sceneOf({ check: SERVED, running: RUNNING }), RUNNING);
    const status = statusFor(sceneOf({ running: RUNNING }), RUNNING, before);
    const plain = (conditions: readonly Condition[] = []): unknown =>
      conditions.map(({ type, status: value, reason, message }) => [type, value, reason, message]);
    expect(plain(status.conditions)).toEqual(plain(before.conditions));
  });

  it('whose Secret is gone or broken is not Ready, and keeps running as it is', () => {
    const snapshot = sceneOf({ check: UNUSABLE, running: RUNNING });
    expect(trustOf(snapshot)).toBe('trusted');
    const status = statusFor(snapshot, RUNNING);
    expect(told(status, 'Ready')).toBe(`False Failed: ${MISSING.message}`);
    expect(ofKind(planFor(snapshot, RUNNING).actions, 'remove')).toEqual([]);
  });

  it.each<[string, ExternalEtcd, string]>([
    ['other endpoints', OTHER, 'trusted'],
    ['another Secret', ELSEWHERE, 'trusted'],
    ['another CA', BESIDE, 'another'],
  ])('takes %s up only when seen to work, and keeps all else up', (_, external, trust) => {
    const wish = wishFor(external, trust);
    const written = (scene: Scene): unknown => {
      const { actions } = planFor(sceneOf({ external, running: RUNNING, ...scene }), wish);
      return ofKind(actions, 'apply')
        .filter(({ target, cached }) => target.hash !== (cached && appliedHash(cached)))
        .map(({ target }) => target.object.metadata.name);
    };
    expect(written({ check: SERVED })).toEqual([CLIENTS[1]]);
    const all = names(planFor(sceneOf({ check: SERVED, running: RUNNING }), RUNNING));
    for (const check of [UNSERVED, UNREAD, undefined]) {
      const scene = check ? { check } : {};
      expect(written(scene)).toEqual([]);
      expect(names(planFor(sceneOf({ external, running: RUNNING, ...scene }), wish))).toEqual(all);
    }
    const held = statusFor(sceneOf({ external, check: UNSERVED, running: RUNNING }), wish);
    const message =
      'the API servers keep their present access to etcd until the new one is seen to work';
    expect(told(held, 'Ready')).toBe(`False Held: ${message}: ${PROBLEM.message}`);
    expect(told(held, 'EtcdReady')).toMatch(/^False EtcdUnreachable/);
    const asked = statusFor(sceneOf({ external, running: RUNNING }), wish);
    expect(told(asked, 'Ready')).toBe(
      `False Held: ${message}: the external etcd is being asked how it is`,
    );
  });

  it('gets other changes of its API servers with the access that they have', () => {
    const external = { ...ELSEWHERE, ...OTHER, secretRef: ELSEWHERE.secretRef };
    const extraArgs = { v: '4', 'etcd-prefix': '/other' };
    const components = { ...specOf(external).components, karmadaAPIServer: { extraArgs } };
    const wish = wishFor(external, 'another', components);
    const snapshot = sceneOf({ external, check: UNSERVED, running: RUNNING });
    const server = ofKind(planFor(snapshot, wish).actions, 'apply').find(
      ({ target: { object } }) =>
        object.kind === 'Deployment' && object.metadata.name === CLIENTS[1],
    );
    const text = JSON.stringify(server?.target.object);
    expect(text).toContain('"--v=4"');
    expect(text).toContain('"--etcd-servers=https://10.0.0.1:2379"');
    expect(text).toContain('"secretName":"karmada-demo-etcd-cert"');
    expect(text).toContain('"operator.karmada.io/etcd-trust-hash":"trusted"');
    expect(text).not.toMatch(/etcd-prefix|10\.0\.0\.2|karmada-demo-etcd-client|another/);
  });

  it('gets back an API server that somebody deleted, whatever its etcd does', () => {
    const snapshot = sceneOf({ check: UNSERVED, running: RUNNING });
    const objects = snapshot.host.objects.filter(({ metadata }) => metadata.name !== CLIENTS[1]);
    const without = { ...snapshot, host: { ...snapshot.host, objects } };
    expect(names(planFor(without, RUNNING))).toContain(CLIENTS[1]);
  });

  it('warns of members that do not serve, of a certificate that ends and of shared keys', () => {
    const check: EtcdCheck = {
      ...SERVED,
      access: { ...ACCESS, notAfter: NOW + 86_400_000 },
      down: PROBLEM,
    };
    const snapshot = sceneOf({ check, running: RUNNING, more: { elder: 'other/demo' } });
    const status = statusFor(snapshot, RUNNING);
    expect(told(status, 'Ready')).toMatch(/^True/);
    expect(told(status, 'EtcdHealthy')).toBe(
      `True Quorum: etcd 3.6.6 serves with a quorum; ${PROBLEM.message}`,
    );
    const warning = told(status, 'Warning') ?? '';
    expect(warning).toMatch(
      /^True EtcdShared: .*Karmada other\/demo keeps its data in the same etcd/,
    );
    expect(warning).toContain(PROBLEM.message);
    expect(warning).toContain(
      'Secret team/karmada-demo-etcd-cert: the certificate in tls.crt ends at 2026-01-02T00:00:00.000Z',
    );
  });

  it('is complete only when its access is', () => {
    const outcome = { live: new Map(), problems: [], errors: [], holds: [], writes: 0 };
    const complete = (scene: Scene): boolean => {
      const snapshot = sceneOf(scene);
      const plan = planFor(snapshot, RUNNING);
      const seen = { snapshot, desired: RUNNING, view: VIEW, plan, outcome };
      return isComplete(assess({ ...seen, certificateProblem: undefined }));
    };
    expect(complete({ check: SERVED, running: RUNNING })).toBe(true);
    expect(complete({ check: UNUSABLE, running: RUNNING })).toBe(false);
  });
});

describe('the copy of the Secret of an external etcd', () => {
  const marked = Object.fromEntries(
    Object.entries(hashes).map(([key, hash]) => [key, `sha256:${hash}`]),
  );
  const copy = secretOf(karmadaOf().metadata, 'karmada-demo-etcd-client', marked);
  const old = { ...copy, data: { ...marked, 'tls.crt': 'sha256:old' } };
  const copied = wishFor(ELSEWHERE);

  it.each<[string, Scene, boolean]>([
    ['is made before a new instance', { external: ELSEWHERE, check: SERVED }, true],
    ['is not made of what nobody took', { external: ELSEWHERE, check: UNSERVED }, false],
    [
      'is not made beside an older instance on the same keys',
      { external: ELSEWHERE, check: SERVED, more: { elder: 'a/b' } },
      false,
    ],
    ['is not made of a Secret that is mounted as it is', { check: SERVED }, false],
    [
      'is left alone when it is right',
      { external: ELSEWHERE, check: SERVED, running: copied, objects: [copy] },
      false,
    ],
    ['is put right', { external: ELSEWHERE, check: SERVED, running: copied, objects: [old] }, true],
    [
      'is not replaced by what nobody took',
      { external: ELSEWHERE, check: UNSERVED, running: copied, objects: [old] },
      false,
    ],
    [
      'that is gone is made of what there is',
      { external: ELSEWHERE, check: UNSERVED, running: copied },
      true,
    ],
    [
      'stays when the Secret is gone',
      { external: ELSEWHERE, check: UNUSABLE, running: copied, objects: [old] },
      false,
    ],
  ])('%s', (_, scene, due) => {
    const snapshot = sceneOf(scene);
    const { externalEtcd } = snapshot;
    const found = externalEtcd && dueAccess(snapshot, externalEtcd);
    expect(found).toEqual(due ? ACCESS : undefined);
  });

  it('stays as long as it is wanted or mounted, and goes then', () => {
    const removed = (scene: Scene, wish: Desired): string[] =>
      ofKind(planFor(sceneOf(scene), wish).actions, 'remove').map(
        ({ object }) => object.metadata.name,
      );
    const own = { external: ELSEWHERE, check: SERVED, objects: [copy] };
    expect(removed({ ...own, running: copied }, copied)).toEqual([]);
    const moved = { check: SERVED, objects: [copy] };
    expect(removed({ ...moved, running: copied }, RUNNING)).toEqual([]);
    expect(removed({ ...moved, running: RUNNING }, RUNNING)).toEqual(['karmada-demo-etcd-client']);
  });

  it('is used until the last pod that mounts it is replaced', () => {
    const workloads = RUNNING.objects
      .filter(({ object }) => object.kind === 'Deployment')
      .map(live);
    const rolling = workloads.map((workload) => ({
      ...workload,
      status: { ...(workload['status'] as object), updatedReplicas: 0 },
    }));
    expect([isUsed(copy, workloads), isUsed(copy, rolling)]).toEqual([false, true]);
  });

  it("a user's Secret is never pruned, not even with our labels", () => {
    const theirs = secretOf(karmadaOf().metadata, 'karmada-demo-etcd-cert', {});
    const snapshot = sceneOf({ check: SERVED, running: RUNNING, objects: [theirs] });
    expect(ofKind(planFor(snapshot, RUNNING).actions, 'remove')).toEqual([]);
  });
});
