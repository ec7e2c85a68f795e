import { Command } from 'commander';
import { createProgress } from '../cluster/progress.ts';
import { startWorld } from '../harness/hosts/world.ts';
import { allWell, measurePhase, type Pace } from './hosts/measure.ts';
import { phaseLine, report, type Phase, type State } from './hosts/report.ts';
import { describeMachine, machineText } from './install/machine.ts';

const NEAR = 15;
const FAR = 5;
/** The operator's own bound of calls would be what is measured. */
const UNBOUND = ['--kube-api-qps=1000', '--kube-api-burst=1000'];

const progress = createProgress(process.stderr);

async function measure(rounds: number, pace: Pace): Promise<readonly Phase[]> {
  const world = await startWorld({ near: NEAR, far: FAR, flags: UNBOUND });
  const phases: Phase[] = [];
  try {
    await progress.step('install', () => allWell(world));
    for (let round = 0; round <= rounds; round += 1) {
      // What drifts must not meet the same one first each time.
      const states: State[] = round % 2 === 0 ? ['dead', 'well'] : ['well', 'dead'];
      for (const state of states) {
        const phase = await measurePhase(world, { state, round }, pace);
        phases.push(phase);
        progress.note(phaseLine(phase));
      }
    }
    return phases;
  } finally {
    await world.stop();
  }
}

const program = new Command('npm run bench:hosts --')
  .description(
    `Reconciles of ${String(NEAR)} instances beside ${String(FAR)} on hosts that are healthy and dead in turns. The control planes are stubs: objects in an API server, of which nothing runs.`,
  )
  .option('--rounds <number>', 'besides one that warms up', '5')
  .option('--seconds <number>', 'length of a phase, of which a round has two', '25')
  .option(
    '--every <milliseconds>',
    'one object of each instance is deleted once in this time',
    '500',
  )
  .action(async (given: { rounds: string; seconds: string; every: string }) => {
    const pace = { seconds: Number(given.seconds), everyMs: Number(given.every) };
    const phases = await measure(Number(given.rounds), pace);
    process.stdout.write(`${report(phases)}\n${machineText(describeMachine())}\n`);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
