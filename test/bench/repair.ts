import { Command } from 'commander';
import { karmadas } from '../../src/host-clusters/host.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { demoImages } from '../../tools/embedded-cluster/images.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import {
  deleting,
  editing,
  isEditable,
  restored,
  subjectsOf,
  type Damage,
  type Subject,
} from '../harness/repair.ts';
import { spread } from '../harness/sample.ts';
import { onBenchCluster } from './install/bench-cluster.ts';
import { instancesOf, karmadaOf, type Instance } from './install/instance.ts';
import { describeMachine, machineText } from './install/machine.ts';
import { prepareOperator, startOperator } from './install/operators.ts';
import { apply, remove, type Session } from './install/session.ts';
import { summarise } from './install/statistics.ts';
import { measureWithoutApiServer } from './repair/without-api-server.ts';

const INSTANCES = 3;
const progress = createProgress(process.stderr);

type Kind = readonly [string, (subject: Subject) => Promise<Damage>, (subject: Subject) => boolean];

/** With the StatefulSet of etcd its Pods end, and with these its data, because their volumes are emptyDirs. */
const isDeletable = ({ object }: Subject): boolean => object.kind !== 'StatefulSet';

const KINDS: readonly Kind[] = [
  ['edited', editing, isEditable],
  ['deleted', deleting, isDeletable],
];

/** Returns the repair times in milliseconds. Damages one object after the other while the control plane is Ready. */
async function repairs(
  { cluster }: Session,
  instance: Instance,
  [what, damage, applies]: Kind,
  count: number,
): Promise<number[]> {
  const { name, namespace } = instance;
  /** Lists the objects again, because a recreated Service has a new address. Retries while there is no API server. */
  const list = (): Promise<Subject[]> =>
    poll(
      `the objects of ${namespace} are listed`,
      async (seen) => {
        try {
          const plane = await openControlPlane(cluster, name, namespace);
          return await subjectsOf(cluster, plane, { name, namespace });
        } catch (error) {
          return void seen(String(error));
        }
      },
      { deadlineMs: 180_000 },
    );
  const subjects = await list();
  const times: number[] = [];
  for (const { object } of spread(subjects.filter(applies), count)) {
    const same = ({ object: other }: Subject): boolean =>
      other.kind === object.kind &&
      other.metadata.name === object.metadata.name &&
      other.metadata.namespace === object.metadata.namespace;
    const subject = (await list()).find(same);
    if (subject === undefined) throw new Error(`${object.kind} ${object.metadata.name} is gone`);
    times.push(await restored(subject, await damage(subject)));
    await untilReady(cluster, name, namespace);
  }
  progress.note(`${namespace}: ${String(times.length)} objects ${what}`);
  return times;
}

interface Flags {
  readonly objects: string;
  readonly keep: boolean;
  readonly withoutApiServer: boolean;
}

async function measure(
  session: Session,
  { objects: count, withoutApiServer }: Flags,
): Promise<void> {
  const objects = Number(count);
  const operator = await progress.step('install', () => prepareOperator(session, 'ours'));
  await startOperator(session, operator);
  const instances = instancesOf('five').slice(0, INSTANCES);
  for (const instance of instances) {
    const metadata = { name: instance.namespace };
    await apply(session, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await session.client.create(karmadaOf(instance));
  }
  for (const { name, namespace } of instances)
    await untilReady(session.cluster, name, namespace, 600_000);
  if (withoutApiServer) await measureWithoutApiServer(session, instances, objects);
  else await measureReady(session, instances, objects);
  process.stdout.write(`\n${machineText(describeMachine())}\n`);
  for (const instance of instances) await remove(session, karmadas, instance);
}

/** Damages objects in the host cluster and in the control planes, which are Ready. */
async function measureReady(
  session: Session,
  instances: readonly Instance[],
  objects: number,
): Promise<void> {
  for (const kind of KINDS) {
    const times: number[] = [];
    for (const instance of instances)
      times.push(...(await repairs(session, instance, kind, objects)));
    const { median, max } = summarise(times.map((time) => time / 1000));
    process.stdout.write(
      `${String(times.length)} objects ${kind[0]}: median ${median.toFixed(2)} s, longest ${max.toFixed(1)} s\n`,
    );
  }
}

const program = new Command('npm run bench:repair --')
  .description(
    `Edit and delete objects of ${String(INSTANCES)} control planes, one at a time, and measure the time until they are restored.`,
  )
  .option(
    '--objects <number>',
    'number of objects of each control plane, spread over all its objects',
    '40',
  )
  .option(
    '--without-api-server',
    'damage only objects in the host cluster, while the API servers of the control planes are down',
    false,
  )
  .option('--keep', 'keep the cluster', false)
  .action((flags: Flags) =>
    onBenchCluster({ images: demoImages, keep: flags.keep, progress }, (session) =>
      measure(session, flags),
    ),
  );

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
