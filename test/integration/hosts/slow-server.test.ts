/**
 * An operator with many control planes, whose API server answers a tenth of the load, or nothing but Leases. It is a stub.
 *
 * @size medium
 * @tier all
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startFleet, type FleetScene } from '../../harness/load/fleet-scene.ts';
import { runsAll } from '../../harness/sample.ts';

jest.setTimeout(900_000);

const COUNT = runsAll ? 500 : 150;
const QPS = 500;
/** MiB. With all control planes the operator holds their 7,000 Secrets in some 400 MiB of memory. */
const HEAP = 512;
/** MiB of memory while the server is slow: 200 are usual. A queue that grows with the calls that wait exceeds it. */
const MAX_WHILE_SLOW = 320;
/** Renewals of the two Leases, each every two seconds, for which the server is slow. */
const RENEWALS = 30;
/** Reconciles of one host cluster in progress, times the calls that one of them sends at once. */
const MAX_OPEN = 64 * 16;

let scene: FleetScene;

beforeEach(async () => {
  const flags = [
    `--kube-api-qps=${String(QPS)}`,
    `--kube-api-burst=${String(2 * QPS)}`,
    // Long enough for a machine that runs other suites meanwhile.
    '--leader-elect-lease-duration=120s',
    '--leader-elect-renew-deadline=90s',
  ];
  scene = await startFleet(COUNT, { flags, heap: HEAP });
});

afterEach(() => scene.stop());

/** Waits until this many control planes have a Secret. */
const installed = (count: number): Promise<unknown> =>
  poll(
    `${String(count)} control planes have Secrets`,
    async (seen) => {
      const { items } = await scene.client.list(resources.Secret);
      if (!scene.operator.isRunning()) throw new Error(scene.operator.lines.slice(-20).join('\n'));
      const namespaces = new Set(items.map(({ metadata }) => metadata.namespace));
      seen(`${String(namespaces.size)}; ${scene.operator.lines.slice(-3).join('\n')}`);
      return namespaces.size >= count ? true : undefined;
    },
    { deadlineMs: 300_000 },
  );

describe(`operator with ${String(COUNT)} control planes and a heap of ${String(HEAP)} MiB`, () => {
  it.each<[string, number]>([
    ['answers a tenth of the load', QPS / 10],
    ['answers only requests for the Lease', 0],
  ])('keeps its lease and its memory while the API server %s', async (_, perSecond) => {
    await installed(COUNT / 5);
    scene.stub.slow(perSecond);
    const load = await poll(
      'the Lease is renewed often enough',
      async (seen) => {
        if (!scene.operator.isRunning())
          throw new Error(scene.operator.lines.slice(-20).join('\n'));
        const now = await scene.stub.load();
        seen(JSON.stringify(now));
        return now.renewals >= RENEWALS ? now : undefined;
      },
      { deadlineMs: 180_000 },
    );
    const { peak, now } = await scene.operator.memory();
    process.stderr.write(
      `${String(perSecond)} requests per second: ${JSON.stringify(load)}, ${String(peak)} MiB at most, ${String(now)} MiB now\n`,
    );
    expect(load.mostOpen).toBeLessThanOrEqual(MAX_OPEN);
    expect(peak).toBeLessThanOrEqual(MAX_WHILE_SLOW);
    scene.stub.slow(Infinity);
    await installed(COUNT);
  });
});
