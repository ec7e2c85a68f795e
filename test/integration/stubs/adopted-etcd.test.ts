/**
 * An etcd of the Go operator in a control plane of stubs: it does not change without consent, one member restarts once and
 * three members twice, one after the other, and afterwards it accepts other settings as an etcd of this operator does.
 *
 * @size medium
 * @job stubs
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runScenario, type Setting } from '../../stubs/kills/run-scenario.ts';
import { adoptedEtcd, SETTINGS_OF_ETCD, type Step } from '../../stubs/kills/scenario.ts';
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

/** Writes of objects of etcd, besides the record. */
const ofEtcd = (points: readonly string[]): readonly string[] =>
  points.filter((point) => /(statefulsets|pods)\/karmada-etcd|MemberUpdate/.test(point));

const SET = 'PATCH host /apis/apps/v1/namespaces/NAMESPACE/statefulsets/karmada-etcd';
const UPDATE = 'POST etcd /etcdserverpb.Cluster/MemberUpdate';
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

it('changes nothing without consent', async () => {
  const scenario = adoptedEtcd(3);
  const steps: readonly Step[] = [
    {
      change: () => Promise.resolve(),
      isDone: async (cluster) =>
        (await scenario.steps[0]?.seen(cluster))?.includes('EtcdAdoptionPending') === true,
      seen: () => Promise.resolve('the condition EtcdAdopted is not reported'),
    },
  ];
  const { points } = await runScenario({ ...scenario, steps }, setting);
  expect(ofEtcd(points)).toEqual([]);
}, 900_000);

it('changes its size, its settings and its version after the last step', async () => {
  const scenario = adoptedEtcd(1);
  const steps = [...scenario.steps, ...SETTINGS_OF_ETCD];
  const { changedAuthorities } = await runScenario({ ...scenario, steps }, setting);
  expect(changedAuthorities).toEqual([]);
}, 900_000);
