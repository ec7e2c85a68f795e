import { Command, Option } from 'commander';
import { demoImages } from '../../tools/embedded-cluster/images.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { onBenchCluster } from './install/bench-cluster.ts';
import {
  number,
  restOf,
  runProgram,
  withSeriesOptions,
  type SeriesChoice,
} from './install/command.ts';
import { prepareOperator } from './install/operators.ts';
import { createRecord, print } from './install/record.ts';
import { grantHostAccess, sidesOf, ways } from './install/remote.ts';
import { report } from './install/report.ts';
import { measureRounds } from './install/rounds.ts';
import type { Session } from './install/session.ts';
import { controlPlaneCrdNames } from '../harness/go-operator.ts';

interface Choice extends SeriesChoice {
  readonly rounds: number;
  readonly only?: readonly string[];
}

const progress = createProgress(process.stderr);

async function measure(management: Session, host: Session, choice: Choice): Promise<void> {
  const operator = await progress.step('install', () => prepareOperator(management, 'ours'));
  const hostCluster = await grantHostAccess(management, host);
  const { only = ways, rounds, warmUp } = choice;
  const all = sidesOf({ management, host, hostCluster }, operator);
  const sides = all.filter(({ label }) => only.includes(label));
  const record = createRecord('core, on two clusters', choice.json);
  const crds = await controlPlaneCrdNames();
  const series = { sides, rounds, warmUp, crds, rest: restOf(choice) };
  for await (const run of measureRounds(series)) await record.add(run);
  const [local, ...others] = ways;
  print(
    `\n${report(
      record.results,
      others.map((of) => ({ of, to: local })),
    )}`,
  );
}

async function main(choice: Choice): Promise<void> {
  const common = { images: demoImages, keep: choice.keep, progress };
  await onBenchCluster(common, (management) =>
    onBenchCluster({ ...common, name: 'bench-host' }, (host) => measure(management, host, choice)),
  );
}

const program = new Command('npm run bench:remote --')
  .description(
    'Measure install and deletion of a core control plane, alternately in the management cluster and in a remote host cluster with a direct connection and through its API server.',
  )
  .option('--rounds <number>', 'number of measured rounds', number, 5)
  .addOption(new Option('--only <ways...>', 'measure these connections only').choices(ways))
  .action(main);

await runProgram(withSeriesOptions(program));
