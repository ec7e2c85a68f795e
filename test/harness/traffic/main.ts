/**
 * Sends calls to a control plane until standard input ends, and prints a report. Runs on a node, where Services can
 * be reached. The first input line contains the target.
 */
import { createInterface } from 'node:readline';
import { freshCaller, KeptConnection, type Answer, type Call, type Caller } from './calls.ts';
import type { Target } from './calls.ts';
import type { ClientKind, TrafficReport, Way } from './report.ts';
import { Failures, summaryOf } from './summary.ts';

const NAMESPACE = 'traffic';
/** Interval between attempts of the watch in milliseconds. */
const WATCH_AGAIN_MS = 1000 / 24;
/**
 * Calls of a client without a response, after which it sends no further one: usually those of a third of a second. Otherwise the
 * calls of a slow machine would accumulate, and exceed the 3 seconds that API servers wait for a webhook. A call that
 * fails or times out counts in any case.
 */
const MAX_PENDING = 8;

/** HTTP status of a resourceVersion that has expired. */
const GONE = 410;

const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const CLUSTERS = '/apis/cluster.karmada.io/v1alpha1/clusters?limit=5';
const POLICIES = `/apis/policy.karmada.io/v1alpha1/namespaces/${NAMESPACE}/propagationpolicies?dryRun=All`;

const configMap = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE },
  data: { name },
});

const policy = (name: string): object => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace: NAMESPACE },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name }] },
});

/** Calls of a client in rotation, one per API component, with the expected status. */
function callOf(way: Way, name: string): { call: Call; expected: number } {
  switch (way) {
    case 'apiserver':
      return { call: { method: 'POST', path: CONFIG_MAPS, body: configMap(name) }, expected: 201 };
    case 'aggregated':
      return { call: { method: 'GET', path: CLUSTERS }, expected: 200 };
    case 'webhook':
      return { call: { method: 'POST', path: POLICIES, body: policy(name) }, expected: 201 };
  }
}

const WAYS: readonly Way[] = ['apiserver', 'aggregated', 'webhook'];

class Traffic {
  /** Number of calls, see `TrafficReport`. */
  readonly calls: Record<string, number> = {};
  readonly failures = new Failures();
  repeated = 0;
  readonly acknowledged = new Set<string>();
  readonly seen = new Set<string>();
  /** Stops the calls. */
  readonly stop = new AbortController();
  /** Stops the watch. */
  readonly watched = new AbortController();
  /** Part of the object names, because objects of an earlier run still exist. */
  readonly began = Date.now();
  /** Interval between the calls of a client. */
  readonly #paceMs: number;

  constructor({ callsPerSecond }: Target) {
    this.#paceMs = 1_000 / callsPerSecond;
  }

  /** Sends calls at a fixed rate, unless too many have no response yet. */
  async client(client: ClientKind, caller: Caller): Promise<void> {
    const pending = new Set<Promise<void>>();
    for (let number = 0; !this.stop.signal.aborted; number += 1) {
      const way = WAYS[number % WAYS.length] ?? 'apiserver';
      const name = `${client}-${String(this.began)}-${String(number)}`;
      const call = this.#one({ client, way, name }, caller).finally(() => pending.delete(call));
      pending.add(call);
      if (pending.size >= MAX_PENDING) await Promise.race(pending);
      await new Promise((resolve) => setTimeout(resolve, this.#paceMs));
    }
    await Promise.all(pending);
  }

  async #one(
    { client, way, name }: { client: ClientKind; way: Way; name: string },
    caller: Caller,
  ): Promise<void> {
    const { call, expected } = callOf(way, name);
    this.#count(client, way);
    try {
      const answer = await this.#answered(caller, call);
      if (answer.status !== expected) {
        this.#fail(client, way, `HTTP ${String(answer.status)} ${answer.body}`);
      } else if (way === 'apiserver') this.acknowledged.add(name);
    } catch (error) {
      this.#fail(client, way, String(error));
    }
  }

  /** Sends a call, and sends it again if the server returns Retry-After. */
  async #answered(caller: Caller, call: Call): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await caller(call);
      if (answer.retryAfter === undefined || tries === 3) return answer;
      this.repeated += 1;
      await new Promise((resolve) => setTimeout(resolve, (answer.retryAfter ?? 0) * 1_000));
    }
  }

  /**
   * Watches all writes. A watch may end at any time and resumes at the last resourceVersion, after a pause: otherwise a watch that
   * fails at once would fail thousands of times per second. If that version has expired, because another API server has only later
   * ones in its watch cache, the watch starts again with the current objects, as informers do.
   */
  async watch(target: Target): Promise<void> {
    const connection = new KeptConnection(target);
    let version = '0';
    while (!this.watched.signal.aborted) {
      this.#count('watch', 'apiserver');
      let rest = '';
      const path = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
      const onData = (part: string): void => {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) version = this.#event(line) ?? version;
      };
      try {
        const { status, body } = await this.#answered(
          ({ path: at }) => connection.stream(at, onData, this.watched.signal),
          { method: 'GET', path },
        );
        if (status !== 200) this.#fail('watch', 'apiserver', `HTTP ${String(status)} ${body}`);
      } catch (error) {
        this.#fail('watch', 'apiserver', String(error));
      }
      await new Promise((resolve) => setTimeout(resolve, WATCH_AGAIN_MS));
    }
    connection.close();
  }

  #event(line: string): string | undefined {
    const event = JSON.parse(line) as {
      type: string;
      object: {
        metadata?: { name?: string; resourceVersion?: string };
        code?: number;
        message?: string;
      };
    };
    const { name, resourceVersion } = event.object.metadata ?? {};
    if (event.type === 'ERROR' && event.object.code === GONE) {
      this.repeated += 1;
      return '0';
    }
    if (event.type === 'ERROR') this.#fail('watch', 'apiserver', event.object.message ?? line);
    if (event.type === 'ADDED' && name !== undefined) this.seen.add(name);
    return resourceVersion;
  }

  #count(client: ClientKind, way: Way): void {
    const key = `${client} ${way}`;
    this.calls[key] = (this.calls[key] ?? 0) + 1;
  }

  #fail(client: ClientKind, way: Way, error: string): void {
    // Errors caused by the end of the traffic do not count.
    if (client === 'watch' && this.watched.signal.aborted) return;
    this.failures.add({ at: Date.now(), client, way, error });
  }
}

async function main(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  const input = lines[Symbol.asyncIterator]();
  const first = await input.next();
  const target = JSON.parse(String(first.value)) as Target;
  const fresh = freshCaller(target);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await fresh({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
  const traffic = new Traffic(target);
  const kept = new KeptConnection(target);
  const clients = [
    traffic.client('kept', (call) => kept.call(call)),
    traffic.client('fresh', fresh),
  ];
  const watch = traffic.watch(target);
  process.stdout.write('running\n');
  await input.next();
  traffic.stop.abort();
  await Promise.all(clients);
  // Gives the watch time to receive the last writes.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  traffic.watched.abort();
  await watch;
  const list = await fresh({ method: 'GET', path: CONFIG_MAPS });
  const { items } = JSON.parse(list.body) as { items: { metadata: { name: string } }[] };
  const there = new Set(items.map(({ metadata }) => metadata.name));
  const acknowledged = [...traffic.acknowledged];
  kept.close();
  const report: TrafficReport = {
    seconds: (Date.now() - traffic.began) / 1000,
    calls: traffic.calls,
    failed: traffic.failures.summary,
    repeated: traffic.repeated,
    written: acknowledged.length,
    lost: summaryOf(acknowledged.filter((name) => !there.has(name))),
    unseen: summaryOf(acknowledged.filter((name) => !traffic.seen.has(name))),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit());
}

await main();
