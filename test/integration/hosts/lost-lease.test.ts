/**
 * An operator with many control planes whose API server no longer responds. The API server is a stub.
 *
 * @size medium
 * @tier all
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { specOf } from '../../../src/kubernetes/objects/lease.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startFleet, type FleetScene } from '../../harness/load/fleet-scene.ts';
import { runsAll } from '../../harness/sample.ts';

jest.setTimeout(600_000);

const COUNT = runsAll ? 500 : 100;

let scene: FleetScene;

beforeEach(async () => {
  scene = await startFleet(COUNT);
});

afterEach(() => scene.stop());

const lease = async () =>
  specOf(
    await scene.client.find(resources.Lease, { namespace: 'default', name: 'karmada-operator' }),
  );

/** Waits until the operator writes objects of its control planes, so that many calls are in progress. */
const installs = (): Promise<unknown> =>
  poll('control planes are being installed', async (seen) => {
    const { items } = await scene.client.list(resources.Secret);
    if (!scene.operator.isRunning()) throw new Error(scene.operator.lines.slice(-5).join('\n'));
    seen(`${String(items.length)} Secrets; ${scene.operator.lines.slice(-3).join('\n')}`);
    return items.length > COUNT / 5 ? true : undefined;
  });

describe(`operator with ${String(COUNT)} control planes whose API server accepts calls and does not respond`, () => {
  it.each<[string, number]>([
    ['many calls are in progress', 0],
    ['the event loop is busy', 1_500],
  ])('ends before its lease expires while %s', async (_, blockMs) => {
    await installs();
    scene.stub.freeze();
    if (blockMs > 0) scene.operator.makeBusy(blockMs);
    expect(await scene.operator.ended).toBe(1);
    const endedAt = Date.now();
    scene.stub.thaw();
    const { renewTime = '', leaseDurationSeconds = 0 } = await lease();
    const expiresAt = Date.parse(renewTime) + leaseDurationSeconds * 1_000;
    process.stderr.write(
      `ended ${String(expiresAt - endedAt)} ms before the lease expires (event loop: ${String(blockMs)} ms)\n`,
    );
    expect(endedAt).toBeLessThan(expiresAt);
    expect(scene.operator.lines.join('\n')).toContain('leader lease lost');
  });
});
