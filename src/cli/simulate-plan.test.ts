import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { EtcdClusterStatus } from '../api/karmada.ts';
import type { KarmadaSpec } from '../api/karmada.ts';
import { karmadaOf, pod, snapshotOf, VIEW, wishOf } from '../instance/__fixtures__/instance.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { Snapshot } from '../instance/snapshot.ts';
import { simulatePlan, asReconciled, type PlanSimulation } from './simulate-plan.ts';
import type { Replaced } from './plan-restarts.ts';
import { hasChanges, planText } from './plan-text.ts';
import { PAUSE_REPAIR } from '../instance/pause.ts';

const FACTS = {
  next: [],
  name: 'karmada-demo',
  namespace: 'team',
  from: {},
  to: {},
  restarted: new Map<string, Replaced>(),
  issued: [],
  ungranted: [],
  backup: [],
  failure: [],
  remarks: [],
  suspended: false,
};

/** Snapshot of a control plane that matches this spec. */
function running(spec: KarmadaSpec): Snapshot {
  const desiredState = wishOf(spec);
  const snapshot = snapshotOf(desiredState, []);
  const of = (cluster: string) =>
    desiredState.objects.filter((item) => item.cluster === cluster).map(asReconciled);
  return {
    ...snapshot,
    host: { ...snapshot.host, objects: of('host') },
    controlPlane: { ...snapshot.controlPlane, objects: of('controlPlane') },
  };
}

function forecastOf(
  from: KarmadaSpec,
  to: KarmadaSpec,
  blockedChanges: readonly BlockedChange[] = [],
): PlanSimulation {
  const spec = defaultSpec(to, { defaultStorageClass: false });
  const snapshot = { ...running(from), karmada: karmadaOf(to), spec };
  return simulatePlan({ snapshot, desired: wishOf(to), view: VIEW, blockedChanges });
}

/** Names of the workloads in each round. */
const workloads = ({ rounds }: PlanSimulation): readonly string[] =>
  rounds
    .map((changes) =>
      changes
        .filter(({ object }) => /Deployment|StatefulSet/.test(object.kind))
        .map(({ what, object }) => `${what} ${object.metadata.name.replace('karmada-demo-', '')}`)
        .sort()
        .join(', '),
    )
    .filter(Boolean);

describe('forecast', () => {
  it('returns no changes when the control plane matches the spec', () => {
    const found = forecastOf({ version: 'v1.17.1' }, { version: 'v1.17.1' });
    expect(found).toEqual({ rounds: [], blockedChanges: [], waiting: [] });
    expect(planText(found, FACTS)).toBe('Karmada team/karmada-demo\n\nNo changes.\n');
  });

  it('returns the workloads of an upgrade in stage order', () => {
    expect(workloads(forecastOf({ version: 'v1.16.0' }, { version: 'v1.17.1' }))).toEqual([
      'change apiserver',
      'change aggregated-apiserver, change metrics-adapter, change webhook',
      'change kube-controller-manager',
      'change controller-manager',
      'change scheduler',
    ]);
  });

  it('creates an enabled add-on and removes a disabled add-on in order', () => {
    const search = { components: { karmadaSearch: {} } };
    expect(workloads(forecastOf({}, search))).toEqual(['create search']);
    const gone = forecastOf(search, {});
    expect(workloads(gone)).toEqual(['remove search']);
    const kinds = gone.rounds.map((round) => round.map(({ object }) => object.kind));
    expect(kinds).toEqual([
      ['Service', 'APIService'],
      ['Service', 'Deployment'],
      ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
    ]);
    expect(gone.blockedChanges).toEqual([]);
  });

  it('reports blocked changes and continues with the others', () => {
    const to = {
      components: {
        etcd: { local: { imageTag: '3.6.7-0' } },
        karmadaWebhook: { labels: { 'example.com/a': 'b' } },
      },
    };
    const found = forecastOf({}, to);
    expect(found.blockedChanges.map(({ reason }) => reason)).toEqual(['EtcdRestartBlocked']);
    expect(workloads(found)).toEqual(['change webhook']);
    const restarted = new Map([['Deployment team/karmada-demo-webhook', 'all' as const]]);
    const text = planText(found, { ...FACTS, restarted, issued: ['apiserver: other names'] });
    expect(text).toMatch(
      /^ {2}1 {2}change Deployment team\/karmada-demo-webhook, restarts its Pods$/m,
    );
    expect(text).toMatch(/^Blocked:\n {2}EtcdRestartBlocked: StatefulSet team\/karmada-demo-etcd/m);
    expect(text).toMatch(/^Reissued certificates:\n {2}apiserver: other names$/m);
  });

  it('prints which steps wait for a paused object', () => {
    const before = running({ version: 'v1.16.0' });
    const objects = before.host.objects.map((object) =>
      object.kind === 'Deployment' && object.metadata.name.endsWith('-webhook')
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [PAUSE_REPAIR]: 'true' },
            },
          }
        : object,
    );
    const found = simulatePlan({
      snapshot: { ...before, host: { ...before.host, objects } },
      desired: wishOf({ version: 'v1.17.1' }),
      view: VIEW,
      blockedChanges: [],
    });
    expect(workloads(found)).toEqual([
      'change apiserver',
      'change aggregated-apiserver, change metrics-adapter',
    ]);
    const text = planText(found, FACTS);
    expect(text).toMatch(/^Blocked:\n {2}RepairPaused: Deployment team\/karmada-demo-webhook: /m);
    expect(text).toMatch(/^Waiting:\n/m);
    expect(text).toContain(
      '  karmada-scheduler waits for karmada-webhook, kube-controller-manager, karmada-controller-manager\n',
    );
  });

  it.each<[Replaced, string]>([
    ['all', ', restarts its Pods'],
    [['etcd-1'], ', restarts its Pod etcd-1'],
    [['etcd-1', 'etcd-2'], ', restarts its Pods etcd-1 and etcd-2'],
    [[], ''],
  ])('prints the restarted Pods %j of a workload', (replaced, words) => {
    const found = forecastOf({}, { components: { karmadaWebhook: { labels: { a: 'b' } } } });
    const restarted = new Map([['Deployment team/karmada-demo-webhook', replaced]]);
    expect(planText(found, { ...FACTS, restarted })).toContain(
      `change Deployment team/karmada-demo-webhook${words}\n`,
    );
  });

  it('recreates the etcd StatefulSet and its unbound PVC when the StorageClass is corrected', () => {
    const onClass = (storageClassName: string): KarmadaSpec => ({
      components: {
        etcd: { local: { volumeData: { volumeClaim: { spec: { storageClassName } } } } },
      },
    });
    const before = running(onClass('typo'));
    const member = pod('etcd', { name: 'karmada-demo-etcd-0' });
    const status = { conditions: [{ type: 'PodScheduled', status: 'False' }] };
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...member.metadata, name: 'etcd-data-karmada-demo-etcd-0' },
      spec: { storageClassName: 'typo' },
      status: { phase: 'Pending' },
    };
    const host = { ...before.host, pods: [{ ...member, status }], claims: [claim] };
    const found = simulatePlan({
      snapshot: { ...before, host },
      desired: wishOf(onClass('fast')),
      view: VIEW,
      blockedChanges: [],
    });
    const name = 'StatefulSet team/karmada-demo-etcd';
    const text = planText(found, { ...FACTS, restarted: new Map([[name, 'all' as const]]) });
    expect(text.split('\n').slice(2)).toEqual([
      `  1  remove ${name}`,
      '  2  remove PersistentVolumeClaim team/etcd-data-karmada-demo-etcd-0',
      `  3  create ${name}, restarts its Pods`,
      '',
    ]);
  });

  it('prints the present etcd members and the time of their observation', () => {
    const nothing = { rounds: [], blockedChanges: [], waiting: [] };
    const etcdCluster: EtcdClusterStatus = {
      clusterID: 'c',
      quorum: 'True',
      leader: 'etcd-0',
      observedTime: '2026-01-01T00:00:00Z',
      members: [{ name: 'etcd-0', id: '1', role: 'Voter', version: '3.6.14', dbSize: '16Mi' }],
    };
    expect(
      planText(nothing, { ...FACTS, etcdCluster })
        .split('\n')
        .slice(2),
    ).toEqual([
      'No changes.',
      '',
      'Present etcd members (2026-01-01T00:00:00Z):',
      '  etcd-0: voter, leader, 3.6.14, 16Mi',
      '',
    ]);
  });

  it('reports whether something changes, is blocked or is rejected', () => {
    const nothing = { rounds: [], blockedChanges: [], waiting: [] };
    const problem = { reason: 'DowngradeBlocked', message: 'no' } as const;
    const held: BlockedChange = { ...problem, step: 'etcd' };
    expect(hasChanges(nothing, FACTS)).toBe(false);
    expect(planText({ ...nothing, blockedChanges: [held] }, FACTS)).toBe(
      'Karmada team/karmada-demo\n\nNo changes of objects.\n\nBlocked:\n  DowngradeBlocked: no\n',
    );
    const changes = [
      hasChanges({ ...nothing, blockedChanges: [held] }, FACTS),
      hasChanges({ ...nothing, members: ['add'] }, FACTS),
      hasChanges(nothing, { ...FACTS, issued: ['apiserver: other names'] }),
      hasChanges(nothing, { ...FACTS, next: ['v1.18.2'] }),
      hasChanges(nothing, { ...FACTS, ungranted: ['Secret other/a'] }),
    ];
    expect(new Set(changes)).toEqual(new Set([true]));
  });

  it('prints version changes, and counts objects of one kind instead of listing many', () => {
    const found = forecastOf({ version: 'v1.16.0' }, { version: 'v1.17.1' });
    const [first] = found.rounds;
    const many = Array.from({ length: 4 }, () => first?.[0]).flatMap((item) => item ?? []);
    const from = { karmada: 'v1.16.0', etcd: '3.6.6' };
    const text = planText(
      {
        rounds: [many.map((item) => ({ ...item, object: { ...item.object, kind: 'Role' } }))],
        blockedChanges: [],
        waiting: [],
      },
      { ...FACTS, from, to: { karmada: 'v1.17.1', etcd: '3.6.6' } },
    );
    expect(text).toBe(
      'Karmada team/karmada-demo: Karmada v1.16.0 to v1.17.1\n\n  1  change 4 Roles\n',
    );
  });
});
