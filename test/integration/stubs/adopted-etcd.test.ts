/**
 * An etcd of the Go operator in a control plane of stubs: it does not change without consent, one member restarts once and
 * three members twice, one after the other, and afterwards it accepts other settings as an etcd of this operator does.
 *
 * @size medium
 * @job stubs
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { runScenario, type Setting } from '../../stubs/kills/run-scenario.ts';
import { adoptedEtcd, NAMESPACE, SETTINGS_OF_ETCD, type Step } from '../../stubs/kills/scenario.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';

let setting: Setting;

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  setting = { addresses, build };
}, 600_000);

afterAll(async () => {
  setting.addresses.release();
  await setting.build.remove();
});

const OTHER_SETTINGS = {
  replicas: 5,
  imageTag: '3.6.99-0',
  quotaBackendBytes: 3_000_000_000,
  volumeData: { volumeClaim: { spec: { resources: { requests: { storage: '64Gi' } } } } },
};

const specOfEtcd = (local: object): object => ({ components: { etcd: { local } } });

/** Writes of objects of etcd, besides the record. */
const ofEtcd = (points: readonly string[]): readonly string[] =>
  points.filter((point) => /(statefulsets|pods)\/karmada-etcd|MemberUpdate/.test(point));

const SET = 'PATCH host /apis/apps/v1/namespaces/NAMESPACE/statefulsets/karmada-etcd';
const UPDATE = 'POST etcd /etcdserverpb.Cluster/MemberUpdate';
const recorded = (ordinal: number): string =>
  `PATCH host /api/v1/namespaces/NAMESPACE/persistentvolumeclaims/etcd-data-karmada-etcd-${String(ordinal)}`;
const restart = (ordinal: number): string =>
  `DELETE host /api/v1/namespaces/NAMESPACE/pods/karmada-etcd-${String(ordinal)}`;

it('restarts its only member once, with https', async () => {
  const { points } = await runScenario(adoptedEtcd(1), setting);
  expect(ofEtcd(points)).toEqual([SET, SET, restart(0), UPDATE]);
}, 900_000);

it('restarts each of three members twice, and lists both URLs in between', async () => {
  const { points } = await runScenario(adoptedEtcd(3), setting);
  const changes = ofEtcd(points).filter((point) => point !== SET);
  const parts = [0, 3, 6, 9].map((from) => changes.slice(from, from + 3).toSorted());
  const restarts = [0, 1, 2].map(restart);
  const updates = [UPDATE, UPDATE, UPDATE];
  expect(parts).toEqual([restarts, updates, restarts, updates]);
  expect(changes).toHaveLength(12);
}, 900_000);

it('changes nothing without consent, whatever the spec asks for, also when the operator starts again', async () => {
  const scenario = adoptedEtcd(3);
  const told =
    (...reasons: readonly string[]): Step['isDone'] =>
    async (cluster) => {
      const text = (await scenario.steps[0]?.seen(cluster)) ?? '';
      return reasons.every((reason) => text.includes(`"${reason}"`));
    };
  const seen = scenario.steps[0]?.seen ?? (() => Promise.resolve('no step'));
  const steps: readonly Step[] = [
    { change: () => Promise.resolve(), isDone: told('EtcdAdoptionPending'), seen },
    {
      change: ({ client }) =>
        client.patch(
          karmadas,
          { namespace: NAMESPACE, name },
          { spec: specOfEtcd(OTHER_SETTINGS) },
        ),
      isDone: told('EtcdAdoptionPending', 'EtcdMembersBlocked'),
      seen,
    },
  ];
  const kills = { afterWrite: 5 };
  const { points, killed } = await runScenario({ ...scenario, steps }, setting, kills);
  expect(killed).toBe(1);
  expect(ofEtcd(points)).toEqual([]);
  // Annotations record which data a PVC has.
  const ofVolumes = points.filter((point) => point.includes('persistentvolumeclaims'));
  expect(new Set(ofVolumes)).toEqual(new Set([0, 1, 2].map(recorded)));
  expect(ofVolumes).toHaveLength(3);
}, 900_000);

it('changes its size, its settings and its version after the last step', async () => {
  const scenario = adoptedEtcd(1);
  const steps = [...scenario.steps, ...SETTINGS_OF_ETCD];
  const { changedAuthorities } = await runScenario({ ...scenario, steps }, setting);
  expect(changedAuthorities).toEqual([]);
}, 900_000);
