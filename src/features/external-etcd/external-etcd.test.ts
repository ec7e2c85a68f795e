import { describe, expect, it } from '@jest/globals';
import { ofKind } from '../../actions/action.ts';
import { etcdClientSecret } from '../../api/external-etcd.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
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
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  ARCHIVE,
  karmadaOf,
  live,
  NOW,
  snapshotOf,
  VIEW,
} from '../../instance/__fixtures__/instance.ts';
import { isComplete } from '../../assessment/assessment.ts';
import { assess } from '../../controllers/karmada/assess.ts';
import { renderDesiredObjects, type DesiredObjects } from '../../instance/desired-objects.ts';
import { dueAccess } from './client-secret-copy.ts';
import { isUsed, keepCurrentConnection } from './external-etcd-rollout-gate.ts';
import { obstacleOf, trustOf } from './external-etcd.ts';
import { secretOf } from '../../api/labels.ts';
import { planInstance } from '../components/plan.ts';
import type { Plan } from '../../actions/planner.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../../instance/snapshot.ts';
import { statusOf } from '../../controllers/karmada/status.ts';
import { stepStates } from '../components/steps.ts';

const BESIDE: ExternalEtcd = {
  endpoints: ['https://10.0.0.1:2379'],
  secretRef: { name: 'karmada-demo-etcd-cert' },
};
const ELSEWHERE: ExternalEtcd = { ...BESIDE, secretRef: { name: 'etcd', namespace: 'storage' } };
const OTHER: ExternalEtcd = { ...BESIDE, endpoints: ['https://10.0.0.2:2379'] };

const hashes = { 'ca.crt': 'a', 'tls.crt': 'b', 'tls.key': 'c' };
const ACCESS: Access = { hashes, trust: 'trusted', notAfter: NOW + 90 * 86_400_000 };
const PROBLEM = {
  reason: 'EtcdUnreachable',
  message: 'https://10.0.0.1:2379 refuses connections',
} as const;
const MISSING = { reason: 'EtcdSecretMissing', message: 'Secret team/x does not exist' } as const;

const SERVED: EtcdCheck = {
  outcome: 'served',
  access: ACCESS,
  version: '3.6.6',
  data: { kind: 'none', clusterID: 'c1' },
};
const UNSERVED: EtcdCheck = { outcome: 'unserved', access: ACCESS, problem: PROBLEM };
const UNUSABLE: EtcdCheck = { outcome: 'unusable', problem: MISSING };
const UNREAD: EtcdCheck = {
  outcome: 'unread',
  problem: { ...MISSING, reason: 'EtcdSecretReadFailed' },
};

const specOf = (external: ExternalEtcd): KarmadaSpec => ({ components: { etcd: { external } } });

const appliedHash = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.annotations?.[APPLIED_HASH];

function wishFor(
  external: ExternalEtcd,
  etcdTrust = 'trusted',
  components?: Components,
): DesiredObjects {
  return renderDesiredObjects(TEMPLATES, {
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
  /** Running objects; absent for a new control plane. */
  readonly running?: DesiredObjects;
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

function planFor(snapshot: Snapshot, desiredState: DesiredObjects): Plan {
  const access = keepCurrentConnection(desiredState, snapshot);
  const states = stepStates(access.desired, snapshot);
  const blockedChanges = access.blockedChange ? [access.blockedChange] : [];
  return planInstance({ snapshot, desired: access.desired, states, blockedChanges }, VIEW);
}

function statusFor(
  snapshot: Snapshot,
  desiredState?: DesiredObjects,
  before: KarmadaStatus = {},
): KarmadaStatus {
  const plan = desiredState ? planFor(snapshot, desiredState) : { actions: [], blockedChanges: [] };
  const outcome = { live: new Map(), problems: [], errors: [], blockedChanges: [], writes: 0 };
  const view = desiredState && VIEW;
  const present = desiredState && keepCurrentConnection(desiredState, snapshot).desired;
  const seen = { snapshot, desired: present, view, plan, outcome, certificateProblem: undefined };
  return statusOf(assess(seen), before);
}

const reported = (status: KarmadaStatus, wanted: string): string | undefined => {
  const found = status.conditions?.find(({ type }) => type === wanted);
  return found && `${found.status} ${found.reason}: ${found.message}`;
};

const names = (plan: Plan): string[] =>
  ofKind(plan.actions, 'apply')
    .filter(({ target }) => target.object.kind === 'Deployment')
    .map(({ target }) => target.object.metadata.name)
    .sort();

const CLIENTS = ['karmada-demo-aggregated-apiserver', 'karmada-demo-apiserver'];

describe('new control plane with an external etcd', () => {
  it.each<[string, Scene, object | string | undefined]>([
    ['waits during the first health check', {}, 'pending'],
    ['waits when the etcd is unhealthy', { check: UNSERVED }, PROBLEM],
    ['waits when the Secret is missing', { check: UNUSABLE }, MISSING],
    [
      'waits when the Secret cannot be copied',
      { check: SERVED, more: { copyProblem: MISSING } },
      MISSING,
    ],
    [
      'waits when a Karmada created earlier uses the same key prefix',
      { check: SERVED, more: { older: 'a/b' } },
      expect.objectContaining({ reason: 'EtcdShared' }),
    ],
    ['starts when the etcd is healthy', { check: SERVED }, undefined],
    [
      'waits when only Secrets of an earlier control plane exist',
      { check: UNSERVED, objects: [secretOf(karmadaOf().metadata, 'x', {})] },
      PROBLEM,
    ],
    [
      'waits when only a NetworkPolicy of an earlier control plane exists',
      {
        check: UNSERVED,
        objects: [{ ...secretOf(karmadaOf().metadata, 'x', {}), kind: 'NetworkPolicy' }],
      },
      PROBLEM,
    ],
    [
      'continues when the installation has started',
      { check: UNSERVED, running: RUNNING },
      undefined,
    ],
  ])('%s', (_, scene, expected) => {
    expect(obstacleOf(sceneOf(scene))).toEqual(expected);
  });

  const foreign = { ...SERVED, data: { kind: 'cluster', prefix: '/registry', uid: 'u' } } as const;
  const unread: EtcdCheck = { outcome: 'served', access: ACCESS };

  it.each<[string, EtcdCheck, string]>([
    ['has data of another cluster', foreign, 'EtcdDataForeign'],
    ['has data that could not be read', unread, 'EtcdDataUnread'],
  ])('waits when the etcd %s, and a running one never does', (_title, check, reason) => {
    const { metadata } = karmadaOf();
    const secrets = sceneOf({ check, objects: [secretOf(metadata, 'x', {})] });
    expect(obstacleOf(secrets)).toMatchObject({ reason });
    expect(obstacleOf(sceneOf({ check, running: RUNNING }))).toBeUndefined();
    // As after an adoption from the Go operator, whose Deployments this operator has not applied yet.
    const { karmada, ...scene } = sceneOf({ check, running: RUNNING });
    const objects = scene.host.objects
      .filter(({ kind }) => kind === 'Deployment')
      .map((object) => ({ ...object, metadata: { ...object.metadata, annotations: {} } }));
    expect(obstacleOf({ ...scene, karmada, host: { ...scene.host, objects } })).toBeUndefined();
    const status = { secretRef: { name: 'karmada-demo-admin-config', namespace: 'team' } };
    const host = { ...scene.host, objects: [] };
    expect(obstacleOf({ ...scene, karmada: { ...karmada, status }, host })).toBeUndefined();
  });

  it('reports the etcd error in Ready and in the etcd conditions', () => {
    const status = statusFor(sceneOf({ check: UNSERVED }));
    const text = `False EtcdUnreachable: ${PROBLEM.message}`;
    expect(reported(status, 'Ready')).toBe(`False Failed: ${PROBLEM.message}`);
    expect([reported(status, 'EtcdReady'), reported(status, 'EtcdHealthy')]).toEqual([text, text]);
    expect(reported(status, 'CertificatesValid')).toMatch(/^Unknown Pending/);
    expect(status).toMatchObject({ phase: 'Failed', etcd: 'external' });
  });

  it('reports the health check in progress when it has no result yet', () => {
    const status = statusFor(sceneOf({}));
    expect(reported(status, 'Ready')).toBe(
      'False Progressing: external etcd: health check in progress',
    );
    expect(reported(status, 'EtcdReady')).toMatch(/^False Progressing/);
    expect(reported(status, 'EtcdHealthy')).toMatch(/^Unknown Pending/);
    expect(status.phase).toBe('Installing');
  });

  it('reports EtcdHealthy Unknown when the Secret is unusable', () => {
    const status = statusFor(sceneOf({ check: UNUSABLE }));
    expect(reported(status, 'EtcdReady')).toBe(`False EtcdSecretMissing: ${MISSING.message}`);
    expect(reported(status, 'EtcdHealthy')).toBe(`Unknown EtcdSecretMissing: ${MISSING.message}`);
  });
});

describe('running control plane with an external etcd', () => {
  it('is Ready and reports the etcd version when the etcd is healthy', () => {
    const snapshot = sceneOf({ check: SERVED, running: RUNNING });
    const status = statusFor(snapshot, RUNNING);
    expect(reported(status, 'Ready')).toMatch(/^True Completed/);
    expect(reported(status, 'EtcdReady')).toBe('True Available: ');
    expect(reported(status, 'EtcdHealthy')).toBe(
      'True Quorum: external etcd 3.6.6: healthy, quorum available',
    );
    expect(status.versions?.etcd).toBe('3.6.6');
    expect(reported(status, 'Warning')).toBeUndefined();
  });

  it.each<[string, EtcdCheck | undefined]>([
    ['a temporarily unhealthy etcd', UNSERVED],
    ['a temporarily unreadable Secret', UNREAD],
    ['a missing check after an operator start', undefined],
  ])('deletes nothing and repairs drift despite %s', (_, check) => {
    const snapshot = sceneOf({ ...(check && { check }), running: RUNNING });
    const plan = planFor(snapshot, RUNNING);
    expect(plan.blockedChanges).toEqual([]);
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
    expect(names(plan)).toEqual(
      names(planFor(sceneOf({ check: SERVED, running: RUNNING }), RUNNING)),
    );
    const status = statusFor(snapshot, RUNNING);
    expect(reported(status, 'Ready')).toMatch(/^True Completed/);
    expect(reported(status, 'EtcdHealthy')).toMatch(
      check === UNSERVED ? /^False EtcdUnreachable/ : /^Unknown/,
    );
  });

  it('keeps its conditions after an operator restart until the first health check', () => {
    const before = statusFor(sceneOf({ check: SERVED, running: RUNNING }), RUNNING);
    const status = statusFor(sceneOf({ running: RUNNING }), RUNNING, before);
    const plain = (conditions: readonly Condition[] = []): unknown =>
      conditions.map(({ type, status: value, reason, message }) => [type, value, reason, message]);
    expect(plain(status.conditions)).toEqual(plain(before.conditions));
  });

  it('changes a workload of the Go operator only after the first health check', () => {
    const applied = (check?: EtcdCheck): string[] => {
      const snapshot = sceneOf({ running: RUNNING, ...(check && { check }) });
      const objects = snapshot.host.objects.map(({ metadata, ...object }) => ({
        ...object,
        metadata: { ...metadata, annotations: {} },
      }));
      const seen = { ...snapshot, host: { ...snapshot.host, objects } } as Snapshot;
      return names(planFor(seen, RUNNING)).filter((name) => CLIENTS.includes(name));
    };
    expect(applied()).toEqual([]);
    expect(applied(SERVED)).not.toEqual([]);
  });

  it('is not Ready and keeps its objects when the Secret is missing or invalid', () => {
    const snapshot = sceneOf({ check: UNUSABLE, running: RUNNING });
    expect(trustOf(snapshot)).toBe('trusted');
    const status = statusFor(snapshot, RUNNING);
    expect(reported(status, 'Ready')).toBe(`False Failed: ${MISSING.message}`);
    expect(ofKind(planFor(snapshot, RUNNING).actions, 'remove')).toEqual([]);
  });

  it.each<[string, ExternalEtcd, string]>([
    ['other endpoints', OTHER, 'trusted'],
    ['another Secret', ELSEWHERE, 'trusted'],
    ['another CA', BESIDE, 'another'],
  ])(
    'applies %s only after a successful health check, and other changes at once',
    (_, external, trust) => {
      const desiredState = wishFor(external, trust);
      const written = (scene: Scene): unknown => {
        const { actions } = planFor(
          sceneOf({ external, running: RUNNING, ...scene }),
          desiredState,
        );
        return ofKind(actions, 'apply')
          .filter(({ target, cached }) => target.hash !== (cached && appliedHash(cached)))
          .map(({ target }) => target.object.metadata.name);
      };
      expect(written({ check: SERVED })).toEqual([CLIENTS[1]]);
      const all = names(planFor(sceneOf({ check: SERVED, running: RUNNING }), RUNNING));
      for (const check of [UNSERVED, UNREAD, undefined]) {
        const scene = check ? { check } : {};
        expect(written(scene)).toEqual([]);
        expect(
          names(planFor(sceneOf({ external, running: RUNNING, ...scene }), desiredState)),
        ).toEqual(all);
      }
      const blocked = statusFor(
        sceneOf({ external, check: UNSERVED, running: RUNNING }),
        desiredState,
      );
      const message =
        'external etcd: new connection settings not applied; the API servers keep the current ones until a health check succeeds';
      expect(reported(blocked, 'Ready')).toBe(
        `False ChangeBlocked: ${message}: ${PROBLEM.message}`,
      );
      expect(reported(blocked, 'EtcdReady')).toMatch(/^False EtcdUnreachable/);
      const isRequested = statusFor(sceneOf({ external, running: RUNNING }), desiredState);
      expect(reported(isRequested, 'Ready')).toBe(
        `False ChangeBlocked: ${message}: external etcd: health check in progress`,
      );
    },
  );

  it('keeps the endpoints and the credentials of its etcd when the new one has other data', () => {
    const external = { ...OTHER, secretRef: ELSEWHERE.secretRef };
    const data = { kind: 'cluster', prefix: '/registry', uid: 'other' } as const;
    const check = { ...SERVED, data };
    const running = wishFor({ ...BESIDE, secretRef: ELSEWHERE.secretRef });
    const old = secretOf(karmadaOf().metadata, 'karmada-demo-etcd-client', { 'tls.crt': 'old' });
    const { karmada, ...scene } = sceneOf({ external, check, running, objects: [old] });
    const snapshot = { ...scene, karmada: { ...karmada, status: { etcdDataUID: 'own' } } };
    const desiredState = wishFor(external);
    const { desired, blockedChange } = keepCurrentConnection(desiredState, snapshot);
    expect(JSON.stringify(desired.objects)).not.toContain('10.0.0.2');
    expect(blockedChange).toMatchObject({ step: 'etcd', reason: 'EtcdDataForeign' });
    expect(blockedChange?.message).toMatch(
      /^external etcd: new connection settings not applied; the API servers keep the current ones: spec\./,
    );
    expect(dueAccess(snapshot, snapshot.externalEtcd as ExternalEtcdSnapshot)).toBeUndefined();
    const status = { etcdDataUID: 'other' };
    const same = { ...snapshot, karmada: { ...karmada, status } };
    expect(keepCurrentConnection(desiredState, same).blockedChange).toBeUndefined();
    expect(dueAccess(same, same.externalEtcd as ExternalEtcdSnapshot)).toEqual(ACCESS);
  });

  it('applies other API server changes with the current connection settings', () => {
    const external = { ...ELSEWHERE, ...OTHER, secretRef: ELSEWHERE.secretRef };
    const extraArgs = { v: '4', 'etcd-prefix': '/other' };
    const components = { ...specOf(external).components, karmadaAPIServer: { extraArgs } };
    const desiredState = wishFor(external, 'another', components);
    const snapshot = sceneOf({ external, check: UNSERVED, running: RUNNING });
    const server = ofKind(planFor(snapshot, desiredState).actions, 'apply').find(
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

  it('recreates a deleted API server when the etcd is unhealthy', () => {
    const snapshot = sceneOf({ check: UNSERVED, running: RUNNING });
    const objects = snapshot.host.objects.filter(({ metadata }) => metadata.name !== CLIENTS[1]);
    const without = { ...snapshot, host: { ...snapshot.host, objects } };
    expect(names(planFor(without, RUNNING))).toContain(CLIENTS[1]);
  });

  it('warns about unhealthy members, an expiring certificate and a shared key prefix', () => {
    const check: EtcdCheck = {
      ...SERVED,
      access: { ...ACCESS, notAfter: NOW + 86_400_000 },
      down: PROBLEM,
    };
    const snapshot = sceneOf({ check, running: RUNNING, more: { older: 'other/demo' } });
    const status = statusFor(snapshot, RUNNING);
    expect(reported(status, 'Ready')).toMatch(/^True/);
    expect(reported(status, 'EtcdHealthy')).toBe(
      `True Quorum: external etcd 3.6.6: healthy, quorum available; ${PROBLEM.message}`,
    );
    const warning = reported(status, 'Warning') ?? '';
    expect(warning).toMatch(
      /^True EtcdShared,EtcdUnreachable,EtcdClientCertificateExpiring: EtcdShared: .*Karmada other\/demo uses the same etcd/,
    );
    expect(warning).toContain(PROBLEM.message);
    expect(warning).toContain(
      'Secret team/karmada-demo-etcd-cert: the certificate in tls.crt expires at 2026-01-02T00:00:00.000Z',
    );
  });

  it('is complete only when the etcd connection works', () => {
    const outcome = { live: new Map(), problems: [], errors: [], blockedChanges: [], writes: 0 };
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

describe('copied client Secret of an external etcd', () => {
  const marked = Object.fromEntries(
    Object.entries(hashes).map(([key, hash]) => [key, `sha256:${hash}`]),
  );
  const copy = secretOf(karmadaOf().metadata, 'karmada-demo-etcd-client', marked);
  const old = { ...copy, data: { ...marked, 'tls.crt': 'sha256:old' } };
  const copied = wishFor(ELSEWHERE);

  it.each<[string, Scene, boolean]>([
    ['is created before a new control plane', { external: ELSEWHERE, check: SERVED }, true],
    [
      'is not created when the health check failed',
      { external: ELSEWHERE, check: UNSERVED },
      false,
    ],
    [
      'is not created when a Karmada created earlier uses the same key prefix',
      { external: ELSEWHERE, check: SERVED, more: { older: 'a/b' } },
      false,
    ],
    ['is not created when the Pods mount the source Secret', { check: SERVED }, false],
    [
      'is not written when it is up to date',
      { external: ELSEWHERE, check: SERVED, running: copied, objects: [copy] },
      false,
    ],
    [
      'is updated when it is outdated',
      { external: ELSEWHERE, check: SERVED, running: copied, objects: [old] },
      true,
    ],
    [
      'is not updated when the health check failed',
      { external: ELSEWHERE, check: UNSERVED, running: copied, objects: [old] },
      false,
    ],
    [
      'is recreated although the health check failed when it was deleted',
      { external: ELSEWHERE, check: UNSERVED, running: copied },
      true,
    ],
    [
      'is kept when the source Secret is missing',
      { external: ELSEWHERE, check: UNUSABLE, running: copied, objects: [old] },
      false,
    ],
  ])('%s', (_, scene, due) => {
    const snapshot = sceneOf(scene);
    const { externalEtcd } = snapshot;
    const found = externalEtcd && dueAccess(snapshot, externalEtcd);
    expect(found).toEqual(due ? ACCESS : undefined);
  });

  it('is deleted when it is neither desired nor mounted', () => {
    const removed = (scene: Scene, desiredState: DesiredObjects): string[] =>
      ofKind(planFor(sceneOf(scene), desiredState).actions, 'remove').map(
        ({ object }) => object.metadata.name,
      );
    const own = { external: ELSEWHERE, check: SERVED, objects: [copy] };
    expect(removed({ ...own, running: copied }, copied)).toEqual([]);
    const moved = { check: SERVED, objects: [copy] };
    expect(removed({ ...moved, running: copied }, RUNNING)).toEqual([]);
    expect(removed({ ...moved, running: RUNNING }, RUNNING)).toEqual(['karmada-demo-etcd-client']);
  });

  it('is in use until the last Pod that mounts it is replaced', () => {
    const workloads = RUNNING.objects
      .filter(({ object }) => object.kind === 'Deployment')
      .map(live);
    const rolling = workloads.map((workload) => ({
      ...workload,
      status: { ...(workload['status'] as object), updatedReplicas: 0 },
    }));
    expect([isUsed(copy, workloads), isUsed(copy, rolling)]).toEqual([false, true]);
  });

  it('never prunes a Secret of the user, even with owner labels', () => {
    const theirs = secretOf(karmadaOf().metadata, 'karmada-demo-etcd-cert', {});
    const snapshot = sceneOf({ check: SERVED, running: RUNNING, objects: [theirs] });
    expect(ofKind(planFor(snapshot, RUNNING).actions, 'remove')).toEqual([]);
  });
});
