import { Command } from 'commander';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { startEnvironment } from '../harness/hosts/environment.ts';
import { allWell, measurePhase, type Pace } from './hosts/measure.ts';
import { phaseLine, report, type Phase, type State } from './hosts/report.ts';
import { describeMachine, machineText } from './install/machine.ts';

const NEAR = 15;
const FAR = 5;
/** Flags without a practical rate limit. Otherwise the benchmark would measure the default rate limit. */
const UNBOUND = ['--kube-api-qps=1000', '--kube-api-burst=1000'];

const progress = createProgress(process.stderr);

async function measure(rounds: number, pace: Pace): Promise<readonly Phase[]> {
  const environment = await startEnvironment({ near: NEAR, far: FAR, flags: UNBOUND });
  const phases: Phase[] = [];
  try {
    await progress.step('install', () => allWell(environment));
    for (let round = 0; round <= rounds; round += 1) {
      // Alternate the order, so that a drift of the machine affects both states equally.
      const states: State[] = round % 2 === 0 ? ['dead', 'well'] : ['well', 'dead'];
      for (const state of states) {
        const phase = await measurePhase(environment, { state, round }, pace);
        phases.push(phase);
        progress.note(phaseLine(phase));
      }
    }
    return phases;
  } finally {
    await environment.stop();
  }
}

const program = new Command('npm run bench:hosts --')
  .description(
    `Measure reconciles of ${String(NEAR)} control planes in the management cluster while ${String(FAR)} host clusters are alternately reachable and unreachable. The control planes are stubs: objects in an API server, without Pods.`,
  )
  .option('--rounds <number>', 'number of measured rounds, after one warm-up round', '5')
  .option('--seconds <number>', 'duration of a phase; a round has two phases', '25')
  .option(
    '--every <milliseconds>',
    'interval in which one object of each control plane is deleted',
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
