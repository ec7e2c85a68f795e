/**
 * Revokes an RBAC permission of the operator after its caches are filled, and grants it again: in a host cluster, and
 * in the management cluster.
 *
 * @size medium
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { revoke, RIGHTS, type RightsFile } from '../../harness/hosts/rights.ts';
import { startEnvironment, type Environment } from '../../harness/hosts/environment.ts';

const LONG = { deadlineMs: 60_000, intervalMs: 50 };

/** A Karmada, the cluster of its control plane, and the expected conditions while that cluster cannot be observed. */
interface Case {
  readonly name: string;
  readonly file: RightsFile;
  readonly cluster: (environment: Environment) => KubernetesClient;
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
    file: RIGHTS.management,
    cluster: ({ management }) => management,
    told: [
      /^Ready Unknown ClusterAccessDenied management cluster: .*watch pods: 403 Forbidden: .*config\/deploy\/2-rights\.yaml/,
    ],
  },
];

describe('operator that loses an RBAC permission', () => {
  let environment: Environment;

  beforeAll(async () => {
    const watchTimes = { watchSeconds: 2, deadlineMs: 5_000 };
    environment = await startEnvironment({ near: 1, far: 1, restricted: true, watchTimes });
  });

  afterAll(() => environment.stop());

  const keyOf = (name: string) => ({ namespace: name, name });

  const karmada = async (name: string): Promise<Karmada> =>
    (await environment.management.get(karmadas, keyOf(name))) as unknown as Karmada;

  /** Conditions without times. RBAC warnings are left out, because they are updated up to a minute later. */
  async function conditionsOf(name: string): Promise<readonly string[]> {
    const { conditions = [] } = (await karmada(name)).status ?? {};
    return conditions
      .filter(({ type }) => type !== 'Warning')
      .map(({ type, status, reason, message }) => [type, status, reason, message].join(' '));
  }

  /** Type, status and reason of the conditions. */
  const statesOf = async (name: string): Promise<readonly string[]> =>
    (await conditionsOf(name)).map((condition) => condition.split(' ', 3).join(' '));

  let touched = 0;

  const until = (name: string, ...patterns: readonly RegExp[]): Promise<readonly string[]> =>
    poll(
      `${name}: ${patterns.join()}`,
      async (seen) => {
        const conditions = await conditionsOf(name);
        seen(JSON.stringify([conditions, environment.log.lines.slice(-5)]));
        const fits = patterns.every((pattern) => conditions.some((one) => pattern.test(one)));
        return fits ? conditions : undefined;
      },
      LONG,
    );

  /** Runs an action that triggers a reconcile, and waits until a reconcile that began later has ended. */
  async function withPass<T>(name: string, action: () => Promise<T>): Promise<T> {
    const before = environment.operator().passes.length;
    const result = await action();
    await poll(
      `a reconcile of ${name} has ended`,
      (seen) => {
        const passes = environment.operator().passes.slice(before);
        seen(JSON.stringify(passes));
        const over = passes.some(({ key, ended }) => key === `${name}/${name}` && ended);
        return Promise.resolve(over || undefined);
      },
      LONG,
    );
    return result;
  }

  const touch = (name: string): Promise<KubernetesObject> =>
    environment.management.patch(karmadas, keyOf(name), {
      metadata: { annotations: { touched: String((touched += 1)) } },
    });

  /** Ready condition of a control plane whose Pods do not run, because there is no kubelet. */
  const MADE = /^Ready False Progressing .*no Pod of karmada-apiserver is running yet/;

  it.each(CASES)(
    'reports the forbidden call and the action for $name and changes nothing until the permission is granted again',
    async ({ name, file, cluster, told }) => {
      const api = cluster(environment);
      await until(name, MADE);
      // Marks the control plane as Ready once. Otherwise Ready would be False and not Unknown.
      const secretRef = { name: `${name}-admin-config`, namespace: name };
      const status = { secretRef };
      await environment.management.patch(
        karmadas,
        keyOf(name),
        { status },
        { subresource: 'status' },
      );
      await until(name, MADE);
      const before = await statesOf(name);
      const service = { namespace: name, name: `${name}-karmada-webhook` };
      const made = () =>
        poll('its Service exists', () => api.find(resources.Service, service), LONG);
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
        'a reconcile writes nothing',
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
