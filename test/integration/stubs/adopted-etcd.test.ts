/**
 * An etcd of the Go operator in a control plane of stubs: it does not change without consent, and its only member restarts once.
 *
 * @size medium
 * @tier always
 * @job stubs
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runScenario, type Setting } from '../../stubs/kills/run-scenario.ts';
import { ADOPTED_ETCD, type Step } from '../../stubs/kills/scenario.ts';
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
  points.filter((point) => /(statefulsets|pods)\/karmada-etcd/.test(point));

it('restarts its only member once, with https', async () => {
  const { points } = await runScenario(ADOPTED_ETCD, setting);
  const at = (path: string): string => `host ${path}`;
  const set = at('/apis/apps/v1/namespaces/NAMESPACE/statefulsets/karmada-etcd');
  expect(ofEtcd(points)).toEqual([
    `PATCH ${set}`,
    `PATCH ${set}`,
    `DELETE ${at('/api/v1/namespaces/NAMESPACE/pods/karmada-etcd-0')}`,
  ]);
}, 900_000);

it('changes nothing without consent', async () => {
  const steps: readonly Step[] = [
    {
      change: () => Promise.resolve(),
      isDone: async (cluster) =>
        (await ADOPTED_ETCD.steps[0]?.seen(cluster))?.includes('EtcdAdoptionPending') === true,
      seen: () => Promise.resolve('the condition EtcdAdopted is not reported'),
    },
  ];
  const { points } = await runScenario({ ...ADOPTED_ETCD, steps }, setting);
  expect(ofEtcd(points)).toEqual([]);
}, 900_000);
