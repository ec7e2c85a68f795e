/**
 * Budgets of requests: an installation, and a restart of the operator. Each control plane costs as many, so the rate limit of the
 * operator decides how long many of them take.
 *
 * @size medium
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { disturbedKarmada, disturbedName } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { servingAfter } from '../../stubs/api/serve.ts';
import { StubApi } from '../../stubs/api/stub-api.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import { OperatorProcess } from '../../stubs/operator/operator-process.ts';
import { StubCluster } from '../../stubs/stub-cluster.ts';

const NAMESPACE = 'counted';
/** Time without a request after which the operator is at rest. */
const QUIET_MS = 3_000;

/**
 * Most requests besides watches and those about leases and Events. How often the status changes, and how often the API server is asked
 * whether it is ready, depends on the load of the machine. Fifteen requests of a start concern no control plane.
 */
const BUDGET = {
  install: { host: 41, status: 16, inside: 84, ready: 5 },
  restart: { host: 17, status: 0, inside: 14, ready: 2 },
};

type Place = keyof (typeof BUDGET)['install'];

/** Requests since the last call of `take`, such as `GET /api/v1/…`. */
class Requests {
  readonly #sent: Record<Place, string[]> = { host: [], status: [], inside: [], ready: [] };
  /** Requests that the operator may send at any time. */
  static readonly #OTHERS = /\/(leases|events)\b/;

  record(
    place: 'host' | 'inside',
    { method, url }: { readonly method: string; readonly url: string },
  ): void {
    if (StubApi.isWatch({ method, url }) || Requests.#OTHERS.test(url)) return;
    const isStatus = place === 'host' && /\/karmadas\/[^/]+\/status\b/.test(url);
    const isReady = place === 'inside' && url.startsWith('/readyz');
    this.#sent[isStatus ? 'status' : isReady ? 'ready' : place].push(`${method} ${url}`);
  }

  get count(): number {
    return Object.values(this.#sent).flat().length;
  }

  /** Waits for the first requests, and until none follow. */
  async untilQuiet(): Promise<void> {
    for (let before = 0; before === 0 || before !== this.count;) {
      before = this.count;
      await pause(QUIET_MS);
    }
  }

  take(): Record<Place, readonly string[]> {
    const { host, status, inside, ready } = this.#sent;
    const taken = { host: host.splice(0), status: status.splice(0), inside: inside.splice(0) };
    return { ...taken, ready: ready.splice(0) };
  }
}

/** Before etcd has a quorum, an API server accepts no connection; that of the stubs responds with 503. */
const isServed = (): boolean => cluster.karmadaApi(NAMESPACE, disturbedName) !== undefined;

const requests = new Requests();
const ends: (() => unknown)[] = [];
let cluster: StubCluster;
let start: () => Promise<OperatorProcess>;

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  ends.push(
    () => build.remove(),
    () => addresses.release(),
  );
  cluster = await StubCluster.start({
    addresses,
    serving: (place) =>
      servingAfter((request) => {
        if (place !== 'inside') requests.record('host', request);
        else if (isServed()) requests.record('inside', request);
        return Promise.resolve();
      }),
  });
  ends.unshift(() => cluster.stop());
  start = async () => {
    const { access } = cluster;
    const operator = await OperatorProcess.start({
      build,
      access,
      flags: ['--leader-elect=false'],
    });
    ends.unshift(() => operator.stop('SIGKILL'));
    return operator;
  };
}, 300_000);

afterAll(async () => {
  for (const end of ends) await end();
});

/** Whether a request changes something: a review of permissions is a POST, too. */
const isWrite = (request: string): boolean =>
  !request.startsWith('GET ') && !/selfsubject\w*reviews|dryRun=All/.test(request);

/** Requests by method and resource, for the message of a failed expectation. */
const summary = (sent: readonly string[]): Readonly<Record<string, number>> => {
  const names = sent.map((request) => {
    const [method = '', url = ''] = request.split(' ');
    const parts = new URL(url, 'https://host').pathname.replace(/\/namespaces\/[^/]+\//, '/');
    return `${method} ${parts}`;
  });
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.length]));
};

function expectWithin(sent: Record<Place, readonly string[]>, budget: Record<Place, number>): void {
  for (const place of ['host', 'status', 'inside', 'ready'] as const)
    expect({
      ...(sent[place].length > budget[place] && { [place]: summary(sent[place]) }),
      isWithin: sent[place].length <= budget[place],
    }).toEqual({ isWithin: true });
}

describe('requests of the operator', () => {
  let operator: OperatorProcess;
  let status: unknown;

  const statusOf = async (): Promise<KubernetesObject | undefined> =>
    cluster.client.find(karmadas, { namespace: NAMESPACE, name: disturbedName });

  it('stay within the budget of an installation', async () => {
    const { client } = cluster;
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    operator = await start();
    await requests.untilQuiet();
    requests.take();
    await client.create(disturbedKarmada(NAMESPACE) as KubernetesObject);
    await poll(
      'the control plane is Ready',
      async (seen) => {
        const found = await statusOf();
        seen(JSON.stringify(found?.['status']));
        return found !== undefined && saysReady(found as Karmada) ? true : undefined;
      },
      { deadlineMs: 300_000 },
    );
    await requests.untilQuiet();
    status = (await statusOf())?.['status'];
    expectWithin(requests.take(), BUDGET.install);
  }, 400_000);

  it('stay within the budget of a restart, which writes nothing', async () => {
    await operator.stop();
    requests.take();
    const before = cluster.api.store.version;
    operator = await start();
    await requests.untilQuiet();
    const sent = requests.take();
    expectWithin(sent, BUDGET.restart);
    expect(Object.values(sent).flat().filter(isWrite)).toEqual([]);
    expect((await statusOf())?.['status']).toEqual(status);
    expect(cluster.api.store.version).toBe(before);
  }, 300_000);
});
