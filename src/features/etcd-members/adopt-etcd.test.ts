/** An etcd of the Go operator, from its objects to the plan, and back through the record. */
import { describe, expect, it } from '@jest/globals';
import { ADOPT_ETCD_ANNOTATION } from '../../api/validation/adopt-etcd.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { EFFECTIVE_HASH } from '../../components/etcd/effective-hash.ts';
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, VIEW } from '../../instance/__fixtures__/instance.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  answersOf,
  podAt,
  RECORD,
  setIn,
  snapshotWith,
} from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import {
  GO_OPERATOR,
  recordIn,
  RECORD_ANNOTATION,
  type EtcdRecord,
} from '../../etcd-cluster/identity/record.ts';
import { hashIn } from '../../etcd-cluster/pods/membership.ts';
import { specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { bootstrapOfLive, bornRecord } from '../etcd-bootstrap/bootstrap.ts';
import { desiredStateOf } from '../components/desired-state.ts';
import { planEtcd } from '../etcd-plan/etcd-actions.ts';
import { notesOf } from '../etcd-plan/record-notes.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { etcdAdoption } from './adopt-etcd.ts';
import { etcdAdoptionConditions } from './adoption-conditions.ts';
import { RECOVER_ANNOTATION } from '../../etcd-cluster/recovery/survivors.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';
import { withRecovery } from '../etcd-recovery/recovery-bootstrap.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import { viewOfPods } from './etcd-members.ts';
import { memberStep } from './read-facts.ts';

const CLUSTER = 'c0ffee';
const RECORDED = { ...RECORD, token: 'etcd-cluster', origin: GO_OPERATOR };

/** The object as the Go operator writes it: http, no token, no user, no hash of this operator. */
function ofGo(object: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(object, (key, value: unknown) =>
    key === 'securityContext' || key === EFFECTIVE_HASH || key === APPLIED_HASH || key === 'args'
      ? undefined
      : Array.isArray(value)
        ? value.filter((item) => !/^--(initial-cluster-token|peer-)/.test(String(item)))
        : value,
  );
  return JSON.parse(
    text
      .replaceAll('peer-urls=https:', 'peer-urls=http:')
      .replaceAll('-state=existing', '-state=new'),
  ) as KubernetesObject;
}

const answersFrom = (ordinals: readonly number[]) =>
  answersOf(ordinals).map((answer) => ({
    ...answer,
    clusterId: CLUSTER,
    members: answer.members.map((member) => ({
      ...member,
      peerURLs: member.peerURLs.map((url) => url.replace('https:', 'http:')),
    })),
  }));

interface Given {
  readonly isConfirmed?: boolean;
  readonly record?: object | null;
  readonly statefulSet?: KubernetesObject;
  readonly local?: object;
  readonly secret?: object;
  readonly count?: number;
}

/** Snapshot of three members that the Go operator created. */
function goSnapshot({ isConfirmed = false, record = RECORDED, ...more }: Given = {}): Snapshot {
  const noted = record === null ? null : JSON.stringify(record);
  const { count = 3 } = more;
  const ordinals = [0, 1, 2].slice(0, count);
  const base = snapshotWith({
    record: noted,
    members: count,
    local: { replicas: count, ...more.local },
  });
  const pods = ordinals.map((ordinal) => ofGo(podAt(ordinal)));
  const secret: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'karmada-demo-etcd-cert', namespace: 'team' },
    data: { 'etcd-peer.crt': 'hash' },
    ...more.secret,
  };
  const objects = base.host.objects.map((object) =>
    object.kind === 'StatefulSet' ? (more.statefulSet ?? ofGo(object)) : object,
  );
  const annotations = { ...(isConfirmed && { [ADOPT_ETCD_ANNOTATION]: 'Automatic' }) };
  const claims = base.host.claims.map((claim) => ({
    ...claim,
    metadata: {
      ...claim.metadata,
      labels: { 'app.kubernetes.io/instance': 'karmada-demo', 'app.kubernetes.io/name': 'etcd' },
    },
  }));
  const snapshot: Snapshot = {
    ...base,
    karmada: { ...base.karmada, metadata: { ...base.karmada.metadata, annotations } },
    host: { ...base.host, objects: [...objects, secret], pods, claims },
    etcd: viewOfPods(answersFrom(ordinals), pods, AT),
  };
  return { ...snapshot, etcdBootstrap: bootstrapOfLive(stateOf(snapshot)) };
}

function stateOf(snapshot: Snapshot): Parameters<typeof bootstrapOfLive>[0] {
  const { host } = snapshot;
  const backup = host.objects.find(({ metadata }) => metadata.name.endsWith('-ca-backup'));
  const record = recordIn(backup?.metadata.annotations);
  const live = etcdWorkload(snapshot);
  if (live === undefined) throw new Error('no StatefulSet');
  return {
    live,
    record: typeof record === 'object' ? record : undefined,
    members: host.pods,
    clusterIdentity: {
      kind: 'agreed' as const,
      clusterID: CLUSTER,
      members: host.pods.length,
      pods: host.pods.map(({ metadata }) => metadata.name),
    },
    hasServed: true,
    claims: host.claims,
    hasQuorum: true,
  };
}

interface Planned {
  readonly wanted: DesiredObject;
  readonly isUntouched: boolean;
  readonly actions: readonly string[];
}

function planned(snapshot: Snapshot): Planned {
  const { desired } = desiredStateOf(TEMPLATES, snapshot, VIEW);
  const wanted = desired.objects.find(({ object }) => object.kind === 'StatefulSet');
  if (wanted === undefined) throw new Error('no desired StatefulSet');
  const plan = planEtcd({ snapshot, desired }, () => etcdWorkload(snapshot), new Set());
  return {
    wanted,
    isUntouched: plan.isUntouched(wanted),
    actions: plan.actions.map(({ kind }) => kind),
  };
}

const containerOf = ({ object }: DesiredObject) => specOf(object).template?.spec?.containers?.[0];
const reasonOf = (snapshot: Snapshot): string | undefined =>
  etcdAdoptionConditions(snapshot)[0]?.reason;

describe('an etcd of the Go operator', () => {
  it('does not change without consent', () => {
    const snapshot = goSnapshot();
    expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
    expect(reasonOf(snapshot)).toBe('EtcdAdoptionPending');
  });

  it('gets the template of this operator, still with http, as root, and with the image that runs', () => {
    const snapshot = goSnapshot({ isConfirmed: true, local: { imageTag: '3.6.99-0' } });
    const [running] = specOf(stateOf(snapshot).live).template?.spec?.containers ?? [];
    const image = running?.image?.replace('3.6.99-0', '3.6.6-0');
    const older = JSON.parse(
      JSON.stringify(etcdWorkload(snapshot)).replaceAll('3.6.99-0', '3.6.6-0'),
    ) as KubernetesObject;
    const { wanted, isUntouched, actions } = planned(
      goSnapshot({ isConfirmed: true, local: { imageTag: '3.6.99-0' }, statefulSet: older }),
    );
    expect([isUntouched, actions]).toEqual([false, []]);
    expect(peerSchemeOf(wanted.object)).toBe('http');
    const etcd = containerOf(wanted);
    expect(etcd?.['securityContext']).toMatchObject({ runAsUser: 0 });
    expect(etcd?.image).toBe(image);
    expect(etcd?.command).toEqual(
      expect.arrayContaining([
        '--initial-cluster-state=existing',
        '--initial-cluster-token=etcd-cluster',
      ]),
    );
  });

  it('restarts its members one at a time when it has the template', () => {
    const before = goSnapshot({ isConfirmed: true });
    const written = live(planned(before).wanted);
    const statefulSet = {
      ...written,
      status: { ...(written['status'] as object), updateRevision: 'r2' },
    };
    const after = goSnapshot({ isConfirmed: true, statefulSet });
    expect(planned(after)).toMatchObject({
      isUntouched: false,
      actions: expect.arrayContaining(['restartEtcdMember']),
    });
    expect(reasonOf(after)).toBe('EtcdAdopting');
    const [first] = after.host.claims;
    const claims = after.host.claims.map((claim) =>
      claim === first
        ? { ...claim, metadata: { ...claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
        : claim,
    );
    const unsafe = { ...after, host: { ...after.host, claims } };
    expect(planned(unsafe).actions).not.toContain('restartEtcdMember');
    expect(reasonOf(unsafe)).toBe('EtcdVolumeUnproven');
  });

  it('gets https before its only member restarts', () => {
    const before = goSnapshot({ isConfirmed: true, count: 1 });
    const first = planned(before);
    expect(first).toMatchObject({ isUntouched: false, actions: [] });
    const written = live(first.wanted);
    const statefulSet = {
      ...written,
      status: { ...(written['status'] as object), updateRevision: 'r2' },
    };
    const after = planned(goSnapshot({ isConfirmed: true, count: 1, statefulSet }));
    expect(peerSchemeOf(after.wanted.object)).toBe('https');
    expect(after.actions).toEqual([]);
  });

  /** The StatefulSet of the Go operator after the write of the desired template. */
  const writtenIn = (snapshot: Snapshot): KubernetesObject => {
    const written = live(planned(snapshot).wanted);
    const status = { ...(written['status'] as object), updateRevision: 'r2' };
    return { ...written, status };
  };

  it('keeps running as root when its record is lost after the first write', () => {
    const statefulSet = writtenIn(goSnapshot({ isConfirmed: true }));
    const lost = goSnapshot({ isConfirmed: true, statefulSet, record: null });
    expect(containerOf(planned(lost).wanted)?.['securityContext']).toMatchObject({ runAsUser: 0 });
    expect(notesOf(lost, statefulSet)).toEqual({
      origin: GO_OPERATOR,
      peers: 'http',
      listsHttp: true,
    });
  });

  it('still runs as root after a recovery, also when the record is lost', () => {
    const own = JSON.stringify(writtenIn(goSnapshot({ isConfirmed: true })));
    const recovered = own
      .replaceAll('token=etcd-cluster', 'token=karmada-demo-etcd.team.abc')
      .replaceAll('etcd-data', 'r1-etcd-data');
    const statefulSet = JSON.parse(recovered) as KubernetesObject;
    const lost = goSnapshot({ isConfirmed: true, statefulSet, record: null });
    expect(containerOf(planned(lost).wanted)?.['securityContext']).toMatchObject({ runAsUser: 0 });
    expect(notesOf(lost, statefulSet)).toMatchObject({
      origin: GO_OPERATOR,
      volume: 'r1-etcd-data',
    });
    const other = JSON.parse(
      recovered.replace('"runAsUser":0', '"runAsUser":65532'),
    ) as KubernetesObject;
    expect(notesOf(lost, other)).not.toHaveProperty('origin');
  });

  it('keeps its template while a Pod with another user could be created from it', () => {
    const statefulSet = writtenIn(goSnapshot({ isConfirmed: true }));
    const after = goSnapshot({ isConfirmed: true, statefulSet });
    const podSettings = [
      { components: ['etcd' as const], securityContext: { runAsUser: 65532, runAsNonRoot: true } },
    ];
    const other = { ...after, spec: { ...after.spec, podSettings } };
    expect(reasonOf(other)).toBe('EtcdRootForbidden');
    expect(planned(other)).toMatchObject({ isUntouched: true, actions: [] });
  });

  it('keeps its member list while something blocks the steps', () => {
    const statefulSet = writtenIn(goSnapshot({ isConfirmed: true }));
    const after = goSnapshot({ isConfirmed: true, statefulSet });
    const pods = after.host.pods.map((one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        annotations: { [EFFECTIVE_HASH]: hashIn(statefulSet) ?? '' },
      },
      spec: specOf(statefulSet).template?.spec ?? {},
    }));
    const restarted = { ...after, host: { ...after.host, pods } };
    expect(memberStep(restarted).kind).toBe('updatePeerURLs');
    expect(planned(restarted).actions).toEqual(['changeEtcdMembers']);
    const blocked = { ...restarted, missingRights: ['delete pods'] };
    expect(reasonOf(blocked)).toBe('HostRightsMissing');
    expect(planned(blocked).actions).toEqual([]);
  });

  describe('whose only member has restarted with https', () => {
    const restarted = (record: object): Snapshot => {
      const given = { isConfirmed: true, count: 1, record } as const;
      const native = JSON.parse(
        JSON.stringify(etcdWorkload(snapshotWith({ members: 1 }))).replaceAll(
          '3.6.14-0',
          '3.6.6-0',
        ),
      ) as KubernetesObject;
      const seen = goSnapshot({ ...given, statefulSet: native, local: { imageTag: '3.6.99-0' } });
      const pods = seen.host.pods.map((one) => ({
        ...one,
        spec: specOf(native).template?.spec ?? {},
      }));
      return {
        ...seen,
        host: { ...seen.host, pods },
        etcd: viewOfPods([], pods, AT),
      };
    };

    it('keeps its version, and its last step, until it tells that it is listed with https', () => {
      const silent = restarted({ ...RECORDED, members: 1, listsHttp: true });
      expect(etcdAdoption(silent)).toMatchObject({ kind: 'step', step: { kind: 'endHttp' } });
      expect(containerOf(planned(silent).wanted)?.image).toContain(':3.6.6-0');
    });

    it('has the version of the spec after the last step, also while it does not respond', () => {
      const silent = restarted({ ...RECORDED, members: 1 });
      expect(etcdAdoption(silent)).toBeUndefined();
      expect(containerOf(planned(silent).wanted)?.image).toContain(':3.6.99-0');
    });
  });

  it('keeps the size of its volumes until the last step', () => {
    const resources = { requests: { storage: '64Gi' } };
    const volumeData = { volumeClaim: { spec: { resources } } };
    const { live: statefulSet } = stateOf(goSnapshot());
    const snapshot = goSnapshot({ isConfirmed: true, statefulSet, local: { volumeData } });
    const { wanted, isUntouched, actions } = planned(snapshot);
    expect([isUntouched, actions]).toEqual([false, []]);
    expect(JSON.stringify(wanted.object)).not.toContain('64Gi');
  });

  it('keeps its number of members until the last step', () => {
    const after = goSnapshot({ isConfirmed: true, local: { replicas: 5 } });
    expect(planned(after)).toMatchObject({ isUntouched: false, actions: [] });
  });

  it.each<[string, Given, string]>([
    ['without a record', { record: null }, 'record'],
    ['with a record', {}, 'template'],
  ])('%s is at the step %s', (_, given, kind) => {
    expect(etcdAdoption(goSnapshot({ isConfirmed: true, ...given }))).toMatchObject({
      kind: 'step',
      step: { kind },
    });
  });

  it.each<[string, object, string]>([
    [
      'another owner',
      {
        metadata: {
          name: 'karmada-demo-etcd-cert',
          namespace: 'team',
          ownerReferences: [{ kind: 'ExternalSecret', name: 'x' }],
        },
      },
      'EtcdSecretShared',
    ],
    ['no peer certificate', { data: {} }, 'EtcdAdopting'],
  ])('keeps its template while its Secret has %s', (_, secret, reason) => {
    const snapshot = goSnapshot({ isConfirmed: true, secret });
    expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
    expect(reasonOf(snapshot)).toBe(reason);
  });

  describe('with the consent', () => {
    type Change = (snapshot: Snapshot) => Snapshot;
    const withHost = (change: (host: Snapshot['host']) => Partial<Snapshot['host']>): Change => {
      return (snapshot) => {
        const { host } = snapshot;
        return { ...snapshot, host: { ...host, ...change(host) } };
      };
    };
    /** Changes one object of a list. */
    const first = <T extends KubernetesObject>(items: readonly T[], change: (item: T) => T): T[] =>
      items.map((item, index) => (index === 0 ? change(item) : item));
    const annotated = <T extends KubernetesObject>(item: T): T => ({
      ...item,
      metadata: { ...item.metadata, annotations: { [PAUSE_REPAIR]: 'true' } },
    });
    const answers =
      (seen: Parameters<typeof viewOfPods>[0]): Change =>
      (snapshot) => ({ ...snapshot, etcd: viewOfPods(seen, snapshot.host.pods, AT) });
    const [own, ...others] = answersFrom([0, 1, 2]);
    if (own === undefined) throw new Error('no response');

    it.each<readonly [string, Change, string, string]>([
      [
        'a PVC without labels',
        withHost(({ claims }) => ({
          claims: first(claims, (claim) => ({
            ...claim,
            metadata: without(claim.metadata, 'labels'),
          })),
        })),
        'EtcdObjectsNotOwned',
        'PersistentVolumeClaim team/etcd-data-karmada-demo-etcd-0',
      ],
      [
        'a Service that is not ours',
        withHost(({ objects }) => ({
          objects: objects.filter(({ metadata }) => metadata.name !== 'karmada-demo-etcd-client'),
        })),
        'EtcdObjectsNotOwned',
        'Service team/karmada-demo-etcd-client',
      ],
      [
        'a Pod without labels',
        withHost(({ pods }) => ({ pods: pods.slice(1) })),
        'EtcdQuorumUnproven',
        'lacks the labels',
      ],
      [
        'a paused Pod',
        withHost(({ pods }) => ({ pods: first(pods, annotated) })),
        'RepairPaused',
        'Pod team/karmada-demo-etcd-0',
      ],
      [
        'a paused PVC',
        withHost(({ claims }) => ({ claims: first(claims, annotated) })),
        'RepairPaused',
        'PersistentVolumeClaim team/etcd-data-karmada-demo-etcd-0',
      ],
      [
        'a paused StatefulSet',
        withHost(({ objects }) => ({
          objects: objects.map((one) => (one.kind === 'StatefulSet' ? annotated(one) : one)),
        })),
        'RepairPaused',
        'StatefulSet team/karmada-demo-etcd',
      ],
      [
        'a missing permission',
        (snapshot) => ({ ...snapshot, missingRights: ['delete pods'] }),
        'HostRightsMissing',
        'delete pods',
      ],
      [
        'a PVC that does not exist, or that the cache lacks without labels',
        withHost(({ claims }) => ({ claims: claims.slice(1) })),
        'EtcdVolumeUnproven',
        'etcd-data-karmada-demo-etcd-0 (not found with the labels app.kubernetes.io/name=etcd',
      ],
      [
        'a record of another cluster',
        () => goSnapshot({ isConfirmed: true, record: { ...RECORDED, clusterID: 'dead' } }),
        'EtcdRecordForeign',
        'names etcd cluster dead, but the members belong to cluster c0ffee',
      ],
      [
        'a record that is not valid',
        () => goSnapshot({ isConfirmed: true, record: { state: 'born' } }),
        'EtcdRecordUnreadable',
        'etcd-record-',
      ],
      [
        'a PVC that is not bound',
        withHost(({ claims }) => ({
          claims: first(claims, (claim) => ({ ...claim, status: { phase: 'Pending' } })),
        })),
        'EtcdVolumeUnproven',
        'etcd-data-karmada-demo-etcd-0',
      ],
      ['a member that does not respond', answers(others), 'EtcdUnobserved', 'karmada-demo-etcd-0'],
      [
        'a member without a leader',
        answers([{ ...own, leaderId: '0', confirmed: false }, ...others]),
        'EtcdQuorumUnproven',
        'karmada-demo-etcd-0',
      ],
      [
        'members that are listed only with https',
        answers(answersOf([0, 1, 2]).map((answer) => ({ ...answer, clusterId: CLUSTER }))),
        'EtcdQuorumUnproven',
        'kubectl delete statefulset karmada-demo-etcd --namespace team',
      ],
    ])('keeps its template because of %s', (_, change, reason, named) => {
      const snapshot = change(goSnapshot({ isConfirmed: true }));
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
      const [condition] = etcdAdoptionConditions(snapshot);
      expect(condition).toMatchObject({ reason });
      expect(condition?.message).toContain(named);
    });

    const separated = (local: object = {}): Snapshot =>
      answers(answersOf([0, 1, 2]).map((answer) => ({ ...answer, clusterId: CLUSTER })))(
        goSnapshot({ isConfirmed: true, local }),
      );

    it('names no StatefulSet to delete whose PVCs Kubernetes would delete with it', () => {
      const deleted = { whenDeleted: 'Delete', whenScaled: 'Retain' };
      const snapshot = withHost(({ objects }) => ({
        objects: objects.map((one) =>
          one.kind === 'StatefulSet' && isObject(one['spec'])
            ? { ...one, spec: { ...one['spec'], persistentVolumeClaimRetentionPolicy: deleted } }
            : one,
        ),
      }))(separated());
      const [condition] = etcdAdoptionConditions(snapshot);
      expect(condition?.message).not.toContain('kubectl delete');
    });

    it.each<[string, Snapshot, string]>([
      ['in PVCs', separated(), 'the PersistentVolumeClaims keep the data'],
      [
        'in a hostPath',
        withHost(() => ({ claims: [] }))(
          separated({ volumeData: { hostPath: { path: '/var/lib/karmada' } } }),
        ),
        'a Pod that starts on another node does not find its data',
      ],
    ])('tells what keeps the data %s when the StatefulSet is deleted', (_, snapshot, text) => {
      expect(etcdAdoptionConditions(snapshot)).toMatchObject([
        { reason: 'EtcdQuorumUnproven', message: expect.stringContaining(text) },
      ]);
    });

    it('keeps its only member on a hostPath until the spec names its node', () => {
      const volumeData = { hostPath: { path: '/var/lib/karmada' } };
      const onNode = (local: object): Snapshot => {
        const snapshot = goSnapshot({ isConfirmed: true, count: 1, local });
        return withHost(({ pods }) => ({
          claims: [],
          pods: first(pods, (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'node-1' } })),
        }))(snapshot);
      };
      const loose = onNode({ volumeData });
      expect(planned(loose)).toMatchObject({ isUntouched: true, actions: [] });
      expect(etcdAdoptionConditions(loose)).toMatchObject([
        { reason: 'EtcdVolumeUnproven', message: expect.stringContaining('"node-1"') },
      ]);
      const nodeSelector = { 'kubernetes.io/hostname': 'node-1' };
      const bound = onNode({ volumeData, nodeSelector });
      expect(planned(bound).isUntouched).toBe(false);
      expect(reasonOf(bound)).toBe('EtcdAdopting');
      expect(reasonOf({ ...bound, etcdHostName: 'node-1' })).toBe('EtcdAdopting');
      const elsewhere = { ...bound, etcdHostName: 'host-1' };
      expect(planned(elsewhere)).toMatchObject({ isUntouched: true, actions: [] });
      expect(etcdAdoptionConditions(elsewhere)).toMatchObject([
        { reason: 'EtcdVolumeUnproven', message: expect.stringContaining('"host-1"') },
      ]);
      expect(reasonOf({ ...bound, podSecurity: 'privileged' })).toBe('EtcdAdopting');
      expect(reasonOf({ ...bound, podSecurity: 'baseline' })).toBe('PodSecurityRefused');
    });
  });

  it.each<[string, Partial<Snapshot>, object, string]>([
    ['a user without root', {}, { runAsNonRoot: true }, 'EtcdRootForbidden'],
    ['another user', {}, { runAsUser: 65532 }, 'EtcdRootForbidden'],
    ['root, and another setting', {}, { runAsUser: 0, runAsNonRoot: false }, 'EtcdAdopting'],
    ['only restricted Pods', { tenantPods: 'Restricted' }, {}, 'EtcdRootForbidden'],
    ['all Pods', { tenantPods: 'Any' }, {}, 'EtcdAdopting'],
    ['a restricted namespace', { podSecurity: 'restricted' }, {}, 'EtcdRootForbidden'],
    ['a namespace with the level baseline', { podSecurity: 'baseline' }, {}, 'EtcdAdopting'],
  ])('restarts members only as root: %s', (_, more, securityContext, expected) => {
    const base = goSnapshot({ isConfirmed: true });
    const podSettings = [{ components: ['etcd' as const], securityContext }];
    const snapshot = { ...base, ...more, spec: { ...base.spec, podSettings } };
    expect(reasonOf(snapshot)).toBe(expected);
    expect(planned(snapshot).isUntouched).toBe(expected === 'EtcdRootForbidden');
  });

  it('restarts its members when other components have another user', () => {
    const base = goSnapshot({ isConfirmed: true });
    const podSettings = [
      { components: ['karmadaScheduler' as const], securityContext: { runAsUser: 1000 } },
    ];
    expect(reasonOf({ ...base, spec: { ...base.spec, podSettings } })).toBe('EtcdAdopting');
  });

  describe('whose members never formed one cluster', () => {
    const VALUE = 'karmada-demo-etcd-0/c0ffee/1';

    /** The first member has a cluster of its own, the others another one. */
    function splitSnapshot(value: string | undefined): Snapshot {
      const base = goSnapshot({ record: null });
      const { karmada, host } = base;
      const answers = answersFrom([0, 1, 2]).map((answer, ordinal) => ({
        ...answer,
        clusterId: ordinal === 0 ? CLUSTER : 'b0b',
        members: ordinal === 0 ? answer.members.slice(0, 1) : answer.members,
      }));
      const annotations = { ...(value !== undefined && { [RECOVER_ANNOTATION]: value }) };
      const snapshot: Snapshot = {
        ...base,
        karmada: { ...karmada, metadata: { ...karmada.metadata, annotations } },
        etcd: viewOfPods(answers, host.pods, AT),
      };
      const input = { ...stateOf(snapshot), clusterIdentity: { kind: 'split' as const } };
      const { live: statefulSet, record } = input;
      const etcdBootstrap = withRecovery(bootstrapOfLive(input), snapshot, {
        live: statefulSet,
        record,
      });
      return { ...snapshot, etcdBootstrap };
    }

    it('names them, and the annotation that decides', () => {
      const snapshot = splitSnapshot(undefined);
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
      const [condition] = etcdAdoptionConditions(snapshot);
      expect(condition).toMatchObject({ reason: 'EtcdNeverOneCluster' });
      expect(condition?.message).toContain('karmada-demo-etcd-0: cluster c0ffee');
      expect(condition?.message).toContain(`${RECOVER_ANNOTATION}=MEMBER/CLUSTER_ID/REVISION`);
    });

    it('recovers from the named member', () => {
      const snapshot = splitSnapshot(VALUE);
      expect(snapshot.etcdBootstrap?.recovery).toEqual({ phase: 'requested', from: VALUE });
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: ['recoverEtcd'] });
    });

    it('changes nothing for a value that does not match', () => {
      const snapshot = splitSnapshot('karmada-demo-etcd-0/b0b/1');
      expect(snapshot.etcdBootstrap?.refusal).toContain('belongs to cluster c0ffee');
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
    });

    it('restores the data into a member with https, which runs as root', () => {
      const snapshot = splitSnapshot(VALUE);
      const { live: statefulSet } = stateOf(snapshot);
      const recovery = {
        from: VALUE,
        token: 't2',
        volume: 'r1-etcd-data',
        phase: 'restoring',
      } as const;
      const record: EtcdRecord = { ...RECORDED, origin: GO_OPERATOR, members: 1, recovery };
      const bootstrap = bootstrapOfLive({
        ...stateOf(snapshot),
        clusterIdentity: { kind: 'split' },
      });
      const etcdBootstrap = withRecovery(bootstrap, snapshot, { live: statefulSet, record });
      const { wanted, actions, isUntouched } = planned({ ...snapshot, etcdBootstrap });
      expect([isUntouched, actions]).toEqual([true, ['recoverEtcd']]);
      expect(peerSchemeOf(wanted.object)).toBe('https');
      const etcd = containerOf(wanted);
      expect(etcd?.['securityContext']).toMatchObject({ runAsUser: 0 });
      expect(etcd?.command).toContain('--initial-cluster-token=t2');
      expect(specOf(wanted.object).replicas).toBe(1);
    });
  });

  describe('with its data in its Pod', () => {
    const VALUE = 'karmada-demo-etcd-0/c0ffee/1';

    function inPod(value: string | undefined, local: object): Snapshot {
      const { live: claimed } = stateOf(goSnapshot({ count: 1 }));
      const spec = without(specOf(claimed), 'volumeClaimTemplates');
      const base = goSnapshot({
        isConfirmed: true,
        count: 1,
        local,
        statefulSet: { ...claimed, spec },
      });
      const { karmada, host } = base;
      const annotations = {
        ...karmada.metadata.annotations,
        ...(value !== undefined && { [RECOVER_ANNOTATION]: value }),
      };
      const snapshot: Snapshot = {
        ...base,
        karmada: { ...karmada, metadata: { ...karmada.metadata, annotations } },
        host: { ...host, claims: [] },
      };
      return withRequested(snapshot);
    }
    function withRequested(snapshot: Snapshot): Snapshot {
      const input = stateOf(snapshot);
      const { live: statefulSet, record } = input;
      const bootstrap = bootstrapOfLive(input);
      const etcdBootstrap = withRecovery(bootstrap, snapshot, { live: statefulSet, record });
      return { ...snapshot, etcdBootstrap };
    }
    const CLAIMED = {
      volumeData: { volumeClaim: { spec: { resources: { requests: { storage: '8Gi' } } } } },
    };

    it('keeps running until the user names the member', () => {
      const snapshot = inPod(undefined, CLAIMED);
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
      const [condition] = etcdAdoptionConditions(snapshot);
      expect(condition).toMatchObject({ reason: 'EtcdDataNotDurable' });
      expect(condition?.message).toContain('does not answer meanwhile');
    });

    it('is replaced with the data of the named member', () => {
      const snapshot = inPod(VALUE, CLAIMED);
      expect(snapshot.etcdBootstrap?.recovery).toEqual({ phase: 'requested', from: VALUE });
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: ['recoverEtcd'] });
    });

    it('is neither replaced nor called silent before the operator has queried its member', () => {
      const snapshot = inPod(VALUE, CLAIMED);
      const { pods } = snapshot.host;
      const asked = withRequested({ ...snapshot, etcd: viewOfPods([], pods, AT) });
      expect(asked.etcdBootstrap?.refusal).toBeUndefined();
      expect(asked.etcdBootstrap?.recovery).toBeUndefined();
      const failure = { pod: 'karmada-demo-etcd-0', podUid: pods[0]?.metadata.uid ?? '', at: AT };
      const results = [{ ...failure, cause: 'connection refused' }];
      const silent = withRequested({ ...snapshot, etcd: viewOfPods(results, pods, AT) });
      expect(silent.etcdBootstrap?.refusal).toBe('member karmada-demo-etcd-0 does not respond');
    });

    it.each<[string, Partial<Snapshot>]>([
      ['a namespace with the level restricted', { podSecurity: 'restricted' }],
      ['the flag for restricted Pods', { tenantPods: 'Restricted' }],
    ])(
      'keeps running if %s forbids the new member, unless the spec has another user',
      (_, more) => {
        const requested = (
          podSettings: Snapshot['spec']['podSettings'],
        ): Snapshot['etcdBootstrap'] => {
          const snapshot = { ...inPod(VALUE, CLAIMED), ...more };
          const input = stateOf(snapshot);
          const subject = {
            ...snapshot,
            spec: { ...snapshot.spec, ...(podSettings && { podSettings }) },
          };
          return withRecovery(bootstrapOfLive(input), subject, input);
        };
        expect(requested(undefined)).toMatchObject({
          refusal: expect.stringContaining('set runAsUser: 65532 and runAsNonRoot: true'),
        });
        const securityContext = { runAsUser: 65532, runAsNonRoot: true };
        expect(requested([{ components: ['etcd'], securityContext }])).toMatchObject({
          recovery: { phase: 'requested', from: VALUE },
        });
      },
    );

    it('needs a PVC in the spec', () => {
      const snapshot = inPod(VALUE, { volumeData: { emptyDir: {} } });
      expect(snapshot.etcdBootstrap?.refusal).toContain('set volumeClaim');
      expect(planned(snapshot)).toMatchObject({ isUntouched: true, actions: [] });
    });
  });

  describe('after the last step', () => {
    const SIZE = { spec: { resources: { requests: { storage: '8Gi' } } } };

    /** Members with https, whose live StatefulSet has other settings than the spec. */
    function afterwards(local: object): Snapshot {
      const given = { volumeData: { volumeClaim: SIZE } };
      const record = JSON.stringify(RECORDED);
      const statefulSet = setIn(snapshotWith({ record, local: given }));
      const base = snapshotWith({ record, local: { ...given, ...local } });
      const objects = base.host.objects.map((object) =>
        object.kind === 'StatefulSet' ? statefulSet : object,
      );
      const claims = base.host.claims.map((claim) => ({
        ...claim,
        spec: { ...SIZE.spec, storageClassName: 'standard' },
        metadata: {
          ...claim.metadata,
          labels: { [INSTANCE]: 'karmada-demo', [COMPONENT]: 'etcd' },
        },
      }));
      const storageClasses = [
        {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: 'standard' },
          allowVolumeExpansion: true,
        },
      ];
      const { host } = base;
      const snapshot: Snapshot = {
        ...base,
        host: { ...host, objects, claims, storageClasses },
        etcd: viewOfPods(answersOf([0, 1, 2]), host.pods, AT),
      };
      return { ...snapshot, etcdBootstrap: bootstrapOfLive(stateOf(snapshot)) };
    }

    it.each<[string, object, RegExp]>([
      ['version', { imageTag: '3.6.99-0' }, /:3\.6\.99-0"/],
      ['quota', { quotaBackendBytes: 3_000_000_000 }, /--quota-backend-bytes=3000000000"/],
    ])('has the %s of the spec, and keeps running as root', (_, local, text) => {
      const snapshot = afterwards(local);
      const { wanted, isUntouched } = planned(snapshot);
      expect([isUntouched, reasonOf(snapshot)]).toEqual([false, undefined]);
      expect(JSON.stringify(wanted.object)).toMatch(text);
      expect(containerOf(wanted)?.['securityContext']).toMatchObject({ runAsUser: 0 });
    });

    it.each([
      [5, 'scale'],
      [1, 'removeMember'],
    ])('changes to %i members', (replicas, kind) => {
      expect(memberStep(afterwards({ replicas })).kind).toBe(kind);
    });

    it('grows its volumes', () => {
      const storage = { spec: { resources: { requests: { storage: '64Gi' } } } };
      const snapshot = afterwards({ volumeData: { volumeClaim: storage } });
      expect(planned(snapshot).actions).toEqual(['growEtcdStorage']);
    });

    it('has its databases maintained', () => {
      const snapshot = afterwards({});
      const { host } = snapshot;
      const written = live(planned(snapshot).wanted);
      const objects = host.objects.map((object) =>
        object.kind === 'StatefulSet' ? written : object,
      );
      const sizes = { dbSize: '2000000000', dbSizeInUse: '100000000', dbSizeQuota: '2147483648' };
      const answers = answersOf([0, 1, 2]);
      const maintained = (seen: typeof answers) =>
        planned({
          ...snapshot,
          host: { ...host, objects },
          etcd: viewOfPods(seen, host.pods, AT),
        }).actions;
      expect(maintained(answers)).toEqual([]);
      expect(maintained(answers.map((answer) => ({ ...answer, ...sizes })))).toEqual([
        'maintainEtcd',
      ]);
    });
  });

  it('is recorded with the token of etcd, its origin and its scheme', () => {
    const snapshot = goSnapshot({ record: null });
    const born = bornRecord(stateOf(snapshot), {
      ca: 'a1',
      token: 'etcd-cluster',
      storage: 'volumeClaim',
      claims: snapshot.host.claims,
      seen: { origin: GO_OPERATOR, peers: 'http', listsHttp: true },
    });
    const text = JSON.stringify(born);
    expect(recordIn({ [RECORD_ANNOTATION]: text })).toEqual(born);
    expect(born).toMatchObject({
      ...{ origin: 'GoOperator', peers: 'http', listsHttp: true },
      token: 'etcd-cluster',
    });
    expect(snapshot.etcdBootstrap?.membership.token).toBe('etcd-cluster');
  });
});
