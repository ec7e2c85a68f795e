/**
 * The time of each pure function that the objects of etcd members run through grows in proportion to their number. A host cluster may
 * report as many Pods, PVCs and Nodes as it likes, with any text in their fields.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { COMPONENT, INSTANCE } from '../../src/api/labels.ts';
import { NOTHING_SEEN } from '../../src/etcd/view.ts';
import { HOSTNAME } from '../../src/kubernetes/node.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import type { Agreement } from '../../src/etcd-cluster/identity/agreement.ts';
import { bornRecord } from '../../src/features/etcd-bootstrap/birth.ts';
import { missingClaimAnnotations } from '../../src/etcd-cluster/identity/claim-annotations.ts';
import { dataLossOf } from '../../src/etcd-cluster/identity/data-loss.ts';
import { restartsOf } from '../../src/etcd-cluster/pods/etcd-pods.ts';
import {
  claimAt,
  desiredSet,
  nameOf,
  podAt,
  RECORD,
  setIn,
  snapshotWith,
} from '../../src/etcd-cluster/members/__fixtures__/objects.ts';
import { memberFacts } from '../../src/features/etcd-members/read-facts.ts';
import { nodesNamedIn, readVolumes } from '../../src/etcd-cluster/pods/read-volumes.ts';
import { volumeNodes } from '../../src/etcd-cluster/storage/volume-nodes.ts';
import { storageReplacement } from '../../src/features/etcd-storage/plan-storage.ts';
import { growthOf, LARGEST_GROWTH } from './growth.ts';

/** Number of objects of each kind. */
const COUNT = 4_000;

const SNAPSHOT = snapshotWith();
const SET = setIn(SNAPSHOT);
const POD = podAt(0);
const SINCE = { status: 'False', lastTransitionTime: '2026-11-01T10:00:00Z' };
const CRASHED = {
  conditions: [{ type: 'Ready', ...SINCE }],
  containerStatuses: [{ restartCount: 5, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
};
const UNSCHEDULED = { conditions: [{ type: 'PodScheduled', ...SINCE }] };

interface Host {
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
  readonly volume: KubernetesObject;
  readonly nodes: readonly KubernetesObject[];
}

const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `n${String(index)}`);

/** Pods in this state, the PVC of each one, and one volume that all Nodes can mount. */
function hostWith(count: number, status: object, claim: object): Host {
  const ordinals = Array.from({ length: count }, (_, index) => index);
  const pods = ordinals.map((ordinal) => {
    const metadata = { ...POD.metadata, name: nameOf(ordinal), uid: `p-${String(ordinal)}` };
    return { ...POD, status, metadata };
  });
  const labels = { [INSTANCE]: 'karmada-demo', [COMPONENT]: 'etcd' };
  const claims = ordinals.map((ordinal) =>
    claimAt(ordinal, { ...claim, metadata: { annotations: {}, labels } }),
  );
  const values = namesOf(count);
  const nodeSelectorTerms = [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values }] }];
  const volume = {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' } },
    spec: { nodeAffinity: { required: { nodeSelectorTerms } } },
  };
  const nodes = values.map((name) => ({
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [HOSTNAME]: name } } },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  }));
  return { pods, claims: claims.toReversed(), volume, nodes };
}

const BOUND = { spec: { volumeName: 'pv' } };
const PENDING = { spec: { storageClassName: 'typo' }, status: { phase: 'Pending' } };

const down = (count: number): Host => hostWith(count, CRASHED, BOUND);
const unscheduled = (count: number): Host => hostWith(count, UNSCHEDULED, PENDING);

const agreed = (pods: readonly KubernetesObject[]): Agreement => ({
  ...{ kind: 'agreed', clusterID: RECORD.clusterID ?? '', members: pods.length },
  pods: pods.map(({ metadata }) => metadata.name),
});

const clientWith = (volume: KubernetesObject): Parameters<typeof readVolumes>[0] => ({
  list: async () => ({ resourceVersion: '1', items: [volume] }),
});

type Stage = readonly [(count: number) => Host, (host: Host) => unknown];

const factsWith = ({ pods, claims }: Host, volumes: object): unknown =>
  memberFacts(SNAPSHOT, {
    ...{ statefulSet: SET, pods, claims, view: NOTHING_SEEN, now: 0 },
    volumes: { volumes: [], nodes: [], ...volumes },
  });

const STAGES: Readonly<Record<string, Stage>> = {
  'facts of members': [down, (host) => factsWith(host, {})],
  'facts of members with one volume': [
    down,
    (host) => factsWith(host, { volumes: [host.volume], nodes: host.nodes }),
  ],
  'lost data': [
    down,
    ({ pods: members, claims }) =>
      dataLossOf({ live: SET, record: RECORD, members, claims, hasQuorum: true }),
  ],
  'record of a cluster': [
    down,
    ({ pods: members, claims }) => {
      const context = { ca: 'a1', token: 't', storage: 'volumeClaim', claims } as const;
      return bornRecord({ record: undefined, members, agreement: agreed(members) }, context);
    },
  ],
  'annotations of PVCs': [
    down,
    ({ pods: members, claims }) => {
      const seen = { live: SET, record: RECORD, members, agreement: agreed(members) };
      return missingClaimAnnotations('karmada-demo', claims, {
        ...seen,
        hasServed: true,
        ca: 'a1',
      });
    },
  ],
  'replacement of unbound PVCs': [
    unscheduled,
    ({ pods, claims }) => {
      const spec = { storageClassName: 'fast' };
      const wanted = desiredSet({ local: { volumeData: { volumeClaim: { spec } } } });
      return storageReplacement('karmada-demo', wanted, { statefulSet: SET, pods, claims });
    },
  ],
  'volumes of members': [
    down,
    (host) => readVolumes(clientWith(host.volume), host, nodesNamedIn(host.nodes)),
  ],
  'nodes of a volume': [down, ({ volume, nodes }) => volumeNodes(volume, nodes)],
};

describe('functions of the objects of etcd members', () => {
  it.each(Object.entries(STAGES))(
    'take time in proportion to the objects: %s',
    async (_, [input, run]) => {
      expect(await growthOf({ input, run, length: COUNT })).toBeLessThanOrEqual(LARGEST_GROWTH);
    },
    300_000,
  );

  it('count the restarts of any number of containers', () => {
    const containerStatuses = Array.from({ length: 300_000 }, (_, restartCount) => ({
      restartCount,
    }));
    expect(restartsOf({ ...POD, status: { containerStatuses } })).toBe(299_999);
  });
});
