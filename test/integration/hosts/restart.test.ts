/**
 * Restarts an operator with a Karmada in a remote host cluster that the new process has not observed yet.
 *
 * @size medium
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { HostStandIn } from '../../harness/hosts/stand-in.ts';
import { startEnvironment, type Environment } from '../../harness/hosts/environment.ts';

jest.setTimeout(600_000);

const NAME = 'far-01';
const KEY = { namespace: NAME, name: NAME };
const LONG = { deadlineMs: 180_000, intervalMs: 50 };

describe('operator after a restart', () => {
  let environment: Environment;
  let host: HostStandIn;

  beforeAll(async () => {
    environment = await startEnvironment({ near: 0, far: 1 });
    const found = environment.hosts.get(NAME);
    if (found === undefined) throw new Error(`host cluster ${NAME} not found`);
    host = found;
  }, 600_000);

  afterAll(() => environment.stop());

  const until = (what: string, fits: () => Promise<unknown> | unknown): Promise<true> =>
    poll(
      what,
      async (seen) => {
        seen(
          JSON.stringify([
            await environment.management.get(karmadas, KEY),
            environment.log.lines.slice(-5),
          ]),
        );
        return (await fits()) ? true : undefined;
      },
      LONG,
    );

  /** Writes the status of a control plane that is Ready. */
  async function callReady(): Promise<KubernetesObject> {
    const { metadata, status } = (await environment.management.get(
      karmadas,
      KEY,
    )) as unknown as Karmada;
    const said = (type: string, value: Condition['status']): Condition => ({
      type,
      status: value,
      reason: 'Written',
      message: 'written before the restart',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: metadata.generation ?? 0,
    });
    const conditions = [
      said('Ready', 'True'),
      said('Degraded', 'False'),
      said('HostReachable', 'True'),
    ];
    const secretRef = { name: `${NAME}-admin-config`, namespace: NAME };
    const next = { status: { ...status, phase: 'Running', secretRef, conditions } };
    return environment.management.patch(karmadas, KEY, next, { subresource: 'status' });
  }

  it('keeps the status of a Karmada in a remote host cluster until it has observed that host cluster', async () => {
    await until('the host cluster is reachable', async () => {
      const found = await environment.condition(NAME, 'HostReachable');
      return found?.status === 'True' && (await environment.condition(NAME, 'Ready')) !== undefined;
    });
    await environment.operator().stop();
    const { metadata } = await callReady();
    const said: string[] = [];
    const stop = new AbortController();
    const following = follow(metadata.resourceVersion ?? '', said, stop.signal);
    environment.startOperator();
    await until('the observation is reported', () => said.length > 0);
    stop.abort();
    await following;
    // No Pod runs, so this is the only expected change.
    expect(said.join('\n')).toMatch(/^Updating, Ready False, HostReachable True$/m);
    expect(said.join('\n')).not.toContain('Unknown');
  });

  it('keeps the status while the host cluster has not responded yet, and then reports why it is unreachable', async () => {
    await environment.operator().stop();
    const { metadata } = await callReady();
    host.hold(({ what }) => what.endsWith('/version'));
    environment.startOperator();
    await until('the check of the host cluster is active', () => host.held().length > 0);
    // The reconcile that started the check has ended, because a reconcile does not wait.
    expect((await environment.management.get(karmadas, KEY)).metadata.resourceVersion).toBe(
      metadata.resourceVersion,
    );
    await until('the check has failed', async () => {
      const found = await environment.condition(NAME, 'HostReachable');
      return found?.reason === 'HostUnreachable';
    });
    expect(await environment.condition(NAME, 'Ready')).toMatchObject({ status: 'Unknown' });
    host.hold(() => false);
  });

  /** Phase and conditions of each version of the Karmada from now on. */
  async function follow(
    resourceVersion: string,
    said: string[],
    signal: AbortSignal,
  ): Promise<void> {
    const options = { namespace: NAME, resourceVersion, signal };
    try {
      for await (const { type, object } of environment.management.watch(karmadas, options)) {
        if (type !== 'MODIFIED') continue;
        const { phase, conditions = [] } = (object as unknown as Karmada).status ?? {};
        const heads = conditions.filter((one) => ['Ready', 'HostReachable'].includes(one.type));
        said.push([phase, ...heads.map((one) => `${one.type} ${one.status}`)].join(', '));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
});
