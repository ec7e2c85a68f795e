/** Measures what a scrape costs the operator, with few and with 1,000 control planes. Needs no cluster. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Command } from 'commander';
import type { Karmada } from '../../src/api/karmada.ts';
import type { EtcdResult } from '../../src/etcd/member-status.ts';
import { exposed } from '../../src/metrics/exposed.fixture.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import type { Metrics } from '../../src/metrics/metrics-interface.ts';
import type { ControlPlaneFacts } from '../../src/features/control-plane/control-plane-facts.ts';
import type { CertificatesView } from '../../src/instance/snapshot.ts';
import { describeMachine, machineText } from './install/machine.ts';

/** As many as a control plane with three etcd members has. */
const CONDITIONS = 14;
const CERTIFICATES = 30;
const MEMBERS = [0, 1, 2];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Facts of a control plane, with a new object for each fact. */
function factsOf(number: number, revision: number): ControlPlaneFacts {
  const name = `karmada-${String(number).padStart(4, '0')}`;
  const pods = MEMBERS.map((ordinal) => `${name}-etcd-${String(ordinal)}`);
  const time = '2026-01-01T00:00:00Z';
  const conditions = Array.from({ length: CONDITIONS }, (_, n) => ({
    type: `Condition${String(n)}`,
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: time,
  }));
  const members = pods.map((pod, n) => ({ name: pod, id: String(n), role: 'Voter' }));
  const status = {
    phase: 'Running',
    observedGeneration: revision,
    conditions,
    certificateExpiry: time,
    versions: { karmada: 'v1.18.2', kubernetes: 'v1.35.4', etcd: '3.6.14' },
    etcdCluster: { clusterID: 'c', quorum: 'True', leader: pods[0], observedTime: time, members },
  };
  const metadata = { namespace: `team-${String(number)}`, name, generation: revision };
  const expiries = Array.from({ length: CERTIFICATES }, (_, n) => ({
    name: `certificate-${String(n)}`,
    notAfter: n,
  }));
  const etcd = pods.map((pod) => ({
    pod,
    memberId: pod,
    dbSize: '1000',
    dbSizeInUse: '500',
    dbSizeQuota: '2000',
  }));
  return {
    karmada: { metadata, status } as unknown as Karmada,
    certificates: { expiries } as unknown as CertificatesView,
    blocked: [],
    etcd: etcd as unknown as readonly EtcdResult[],
  };
}

/** A registry of the leader with all label values that an operator process usually has. */
function metricsWith(facts: () => readonly ControlPlaneFacts[]): Metrics {
  const metrics = createMetrics('1', { aheadMs: () => 0 });
  metrics.leading(true);
  metrics.read({ controlPlanes: facts });
  for (const cluster of ['local', 'remote', 'control-plane', 'member'] as const)
    for (const verb of ['get', 'list', 'watch', 'create', 'apply', 'patch', 'delete'])
      for (const code of ['200', '201', '404', '409', '500', 'error'])
        metrics.called(cluster, { ...{ verb, code, resource: 'secrets' }, seconds: 0.01 });
  return metrics;
}

interface Measured {
  readonly controlPlanes: number;
  readonly series: number;
  readonly kilobytes: number;
  /** Processor time of one scrape in milliseconds. */
  readonly medianMs: number;
  readonly highestMs: number;
  /** The same when the facts of ten control planes have changed since the last scrape. */
  readonly changedMs: number;
  /** Growth of the heap over all scrapes in KiB. */
  readonly heapKiB: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

async function timesOf(
  scrapes: number,
  scrape: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < scrapes; n += 1) {
    const { user, system } = process.cpuUsage();
    await scrape(n);
    const after = process.cpuUsage();
    times.push((after.user + after.system - user - system) / 1_000);
  }
  return times;
}

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

async function measure(controlPlanes: number, scrapes: number): Promise<Measured> {
  const all = Array.from({ length: controlPlanes }, (_, n) => factsOf(n, 1));
  const metrics = metricsWith(() => all);
  const scrape = (): ReturnType<Metrics['expose']> => metrics.expose();
  await timesOf(scrapes, scrape);
  const before = heapUsed();
  const times = await timesOf(scrapes, scrape);
  const heapKiB = Math.round((heapUsed() - before) / 1024);
  const changed = await timesOf(scrapes, (round) => {
    for (let n = 0; n < 10; n += 1) {
      const index = (round * 10 + n) % controlPlanes;
      all[index] = factsOf(index, round + 2);
    }
    return scrape();
  });
  const body = await exposed(metrics);
  return {
    controlPlanes,
    heapKiB,
    series: body.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
    kilobytes: Math.round(body.length / 1000),
    medianMs: median(times),
    highestMs: Math.max(...times),
    changedMs: median(changed),
  };
}

const ms = (value: number): string => value.toFixed(1);

function report(rows: readonly Measured[]): string {
  const head = [
    '| Control planes | Series | Size | Scrape: median, highest | Ten changed: median | Heap growth |',
    '| -------------- | ------ | ---- | ----------------------- | ------------------- | ----------- |',
  ];
  const lines = rows.map(
    (row) =>
      `| ${String(row.controlPlanes)} | ${String(row.series)} | ${String(row.kilobytes)} kB | ${ms(row.medianMs)} ms, ${ms(row.highestMs)} ms | ${ms(row.changedMs)} ms | ${String(row.heapKiB)} KiB |`,
  );
  return [...head, ...lines].join('\n');
}

const program = new Command('npm run bench:metrics --')
  .description(
    'Measure the processor time of a scrape of the leader, and the growth of its heap over all scrapes, with 10 and with 1,000 control planes.',
  )
  .option(
    '--scrapes <number>',
    'number of measured scrapes, after as many without measurement',
    '300',
  )
  .action(async ({ scrapes }: { scrapes: string }) => {
    const rows: Measured[] = [];
    for (const controlPlanes of [10, 1_000])
      rows.push(await measure(controlPlanes, Number(scrapes)));
    process.stdout.write(`${report(rows)}\n\n${machineText(describeMachine())}\n`);
  });

await program.parseAsync();
