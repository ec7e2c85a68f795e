/**
 * Clusters that take a right away from the operator, after its caches were full, and give it back: a host, and the
 * operator's own.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { karmadas } from '../../../src/hosts/host.ts';
import { poll } from '../../cluster/poll.ts';
import { revoke, RIGHTS, type RightsFile } from '../../harness/hosts/rights.ts';
import { startWorld, type World } from '../../harness/hosts/world.ts';

jest.setTimeout(300_000);

const LONG = { deadlineMs: 60_000, intervalMs: 50 };

/** A Karmada, the cluster that has its control plane, and what is told when that cannot be observed. */
interface Case {
  readonly name: string;
  readonly file: RightsFile;
  readonly cluster: (world: World) => KubernetesClient;
  readonly told: readonly RegExp[];
}

const CASES: readonly Case[] = [
  {
    name: 'far-01',
    file: RIGHTS.away,
    cluster: ({ away }) => away,
    told: [
      /^Ready Unknown HostAccessDenied /,
      /^HostReachable False HostAccessDenied the host cluster at https:.* watch pods: 403 Forbidden: .*config\/remote-host\/rights\.yaml/,
    ],
  },
  {
    name: 'near-01',
    file: RIGHTS.home,
    cluster: ({ home }) => home,
    told: [
      /^Ready Unknown ClusterAccessDenied the operator's own cluster .* watch pods: 403 Forbidden: .*config\/deploy\/2-rights\.yaml/,
    ],
  },
];

describe('a cluster in which the operator loses a right', () => {
  let world: World;

  beforeAll(async () => {
    const watchTimes = { watchSeconds: 2, deadlineMs: 5_000 };
    world = await startWorld({ near: 1, far: 1, restricted: true, watchTimes });
  }, 120_000);

  afterAll(() => world.stop(), 60_000);

  const keyOf = (name: string) => ({ namespace: name, name });

  const karmada = async (name: string): Promise<Karmada> =>
    (await world.home.get(karmadas, keyOf(name))) as unknown as Karmada;

  /** The conditions, without their times; warnings of rights follow within a minute. */
  async function conditionsOf(name: string): Promise<readonly string[]> {
    const { conditions = [] } = (await karmada(name)).status ?? {};
    return conditions
      .filter(({ type }) => type !== 'Warning')
      .map(({ type, status, reason, message }) => [type, status, reason, message].join(' '));
  }

  /** The same without their words. */
  const statesOf = async (name: string): Promise<readonly string[]> =>
    (await conditionsOf(name)).map((condition) => condition.split(' ', 3).join(' '));

  let touched = 0;

  const until = (name: string, ...patterns: readonly RegExp[]): Promise<readonly string[]> =>
    poll(
      `${name}: ${patterns.join()}`,
      async (seen) => {
        const conditions = await conditionsOf(name);
        seen(JSON.stringify([conditions, world.log.lines.slice(-5)]));
        const fits = patterns.every((pattern) => conditions.some((one) => pattern.test(one)));
        return fits ? conditions : undefined;
      },
      LONG,
    );

  /** Does something that asks for a pass, and waits until one has ended that began after it was done. */
  async function withPass<T>(name: string, action: () => Promise<T>): Promise<T> {
    const before = world.operator().passes.length;
    const result = await action();
    await poll(
      `a pass over ${name} has ended`,
      (seen) => {
        const passes = world.operator().passes.slice(before);
        seen(JSON.stringify(passes));
        const over = passes.some(({ key, ended }) => key === `${name}/${name}` && ended);
        return Promise.resolve(over || undefined);
      },
      LONG,
    );
    return result;
  }

  const touch = (name: string): Promise<KubernetesObject> =>
    world.home.patch(karmadas, keyOf(name), {
      metadata: { annotations: { touched: String((touched += 1)) } },
    });

  /** It is worked on, as far as that goes without a kubelet. */
  const MADE = /^Ready False Progressing .*no pod of karmada-apiserver runs yet/;

  it.each(CASES)(
    'reports call and remedy for $name and changes nothing, until the right is back',
    async ({ name, file, cluster, told }) => {
      const api = cluster(world);
      await until(name, MADE);
      // As if it had been ready once: only then it is unknown, and not just unfinished.
      const secretRef = { name: `${name}-admin-config`, namespace: name };
      const status = { secretRef };
      await world.home.patch(karmadas, keyOf(name), { status }, { subresource: 'status' });
      await until(name, MADE);
      const before = await statesOf(name);
      const service = { namespace: name, name: `${name}-karmada-webhook` };
      const made = () =>
        poll('its Service is there', () => api.find(resources.Service, service), LONG);
      await made();

      await revoke(api, file, 'pods');
      await until(name, ...told);
      await withPass(name, () => api.delete(resources.Service, service));
      expect(await api.find(resources.Service, service)).toBeUndefined();

      await revoke(api, file);
      await until(name, MADE);
      await made();
      expect(await statesOf(name)).toEqual(before);
      await poll(
        'a pass writes nothing',
        async (seen) => {
          const { metadata } = await withPass(name, () => touch(name));
          const { resourceVersion } = (await karmada(name)).metadata;
          seen(JSON.stringify(await conditionsOf(name)));
          return resourceVersion === metadata.resourceVersion || undefined;
        },
        LONG,
      );
    },
  );
});
