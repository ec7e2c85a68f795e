/** Measures one operator with many control planes of stubs. Needs no cluster. */
import { Command } from 'commander';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { buildOperator } from '../stubs/operator/build.ts';
import { measureFleet, type FleetFigures } from './fleet/measure.ts';
import { report } from './fleet/report.ts';
import { describeMachine, machineText } from './install/machine.ts';

const progress = createProgress(process.stderr);

async function measure(counts: readonly number[], restSeconds: number): Promise<void> {
  const build = await progress.step('operator', () => buildOperator());
  const fleets: FleetFigures[] = [];
  try {
    for (const count of counts)
      fleets.push(await measureFleet({ build, count, restSeconds, progress }));
  } finally {
    await build.remove();
  }
  process.stdout.write(`${report(fleets)}\n${machineText(describeMachine())}\n`);
}

const program = new Command('npm run bench:fleet --')
  .description(
    'Install many control planes of stubs with one operator, leave them at rest, and restart the operator. The operator is the program of the image with its flags and heap limit, in a process of its own; it shares the machine with the stubs.',
  )
  .option('--count <numbers>', 'numbers of control planes, separated by commas', '1,10,100')
  .option('--rest <seconds>', 'idle time before the memory is measured', '120')
  .action(({ count, rest }: { count: string; rest: string }) =>
    measure(count.split(',').filter(Boolean).map(Number), Number(rest)),
  );

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
