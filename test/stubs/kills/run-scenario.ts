/** Runs a scenario in a cluster of its own, with an operator that is killed after one of its writes. */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { changedAuthorities, watchAuthorities } from '../../harness/authorities.ts';
import type { EndState } from '../../harness/compare-states.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import type { InstalledObjects } from '../../harness/owned-state.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { endStateOf, objectsOf } from '../end-state.ts';
import type { Addresses } from '../network/addresses.ts';
import type { OperatorBuild } from '../operator/build.ts';
import { OperatorProcess, type Kills, type OperatorOptions } from '../operator/operator-process.ts';
import { StubCluster, type StubClusterOptions } from '../stub-cluster.ts';
import { killPoint } from './kill-points.ts';
import { NAMESPACE, type Scenario, type Step } from './scenario.ts';

const INTERVAL_MS = 20;
/** Time without a write after which nothing follows, in milliseconds. */
const QUIET_MS = 1_000;
/** The same for a run that others are compared with: a busy machine delays the last writes. */
const UNDISTURBED_QUIET_MS = 5_000;
/**
 * Time limit of a step, in milliseconds. With faults, requests time out after 10 to 60 seconds, and some depend on earlier
 * ones.
 */
const DEADLINE_MS = 600_000;
/** Time limit of the last writes, in milliseconds. */
const END_MS = 120_000;
/** Interval at which a step that is not done says what it sees, in milliseconds: a killed test prints nothing. */
const REPORT_MS = 60_000;
/** The operator would wait for the Lease of a killed process. All stubs are on the loopback interface, also a remote host cluster. */
const FLAGS = ['--leader-elect=false', '--allow-addresses=127.0.0.0/8'];

export interface Setting {
  readonly addresses: Addresses;
  readonly build: OperatorBuild;
  /** State of an undisturbed run, which this one must reach. */
  readonly expected?: EndState;
  /** See `StubClusterOptions`. */
  readonly serving?: StubClusterOptions['serving'];
  /** Changes the options of the operator process of the steps. */
  readonly operator?: (options: OperatorOptions) => OperatorOptions;
}

/** What a run left. */
export interface Outcome {
  readonly objects: InstalledObjects;
  /** The objects, normalized to compare two runs. */
  readonly endState: EndState;
  /** Writes in order, see `killPoint`. */
  readonly points: readonly string[];
  /** Number of processes that were killed. */
  readonly killed: number;
  /** Keys of Secrets whose CA was replaced. */
  readonly changedAuthorities: readonly string[];
  readonly log: readonly string[];
}

/** Returns a function that must be called while a wait lasts. @throws Error after the time limit, with what it sees */
function waiting(what: string, seen: () => Promise<string>): () => Promise<void> {
  const begin = Date.now();
  let reportAt = begin + REPORT_MS;
  return async () => {
    const now = Date.now();
    if (now < reportAt) return;
    reportAt = now + REPORT_MS;
    const text = `${what} after ${String(Math.round((now - begin) / 1_000))} s: ${await seen()}`;
    if (now > begin + DEADLINE_MS) throw new Error(text);
    process.stderr.write(`${text}\n`);
  };
}

async function complete(step: Step, cluster: StubCluster): Promise<void> {
  await step.change(cluster);
  const wait = waiting('not done', () => step.seen(cluster));
  while (!(await step.isDone(cluster))) {
    await wait();
    await pause(INTERVAL_MS);
  }
}

/** Waits until neither the operator nor a controller writes any more. */
export async function untilQuiet(
  { api: { store } }: StubCluster,
  quietMs = QUIET_MS,
): Promise<void> {
  const wait = waiting('not quiet', () => Promise.resolve(newestIn(store)));
  for (let version = -1; version !== store.version;) {
    ({ version } = store);
    await wait();
    await pause(quietMs);
  }
}

/** The object that was written last. */
function newestIn(store: StubCluster['api']['store']): string {
  const all = store.resources.flatMap((resource) => store.list(resource));
  const [newest] = all.toSorted((one, other) => versionIn(other) - versionIn(one));
  return JSON.stringify(newest ?? 'no object');
}

const versionIn = ({ metadata }: KubernetesObject): number => Number(metadata.resourceVersion);

const stateOf = (cluster: StubCluster): EndState =>
  endStateOf(objectsOf(cluster, name, NAMESPACE), NAMESPACE);

/** Waits until the objects are those of an undisturbed run, if there is one, or until a limit, and no more writes follow. */
async function untilEnd(cluster: StubCluster, expected: EndState | undefined): Promise<void> {
  if (expected === undefined) return untilQuiet(cluster, UNDISTURBED_QUIET_MS);
  const deadline = Date.now() + END_MS;
  while (!isDeepStrictEqual(stateOf(cluster), expected) && Date.now() < deadline)
    await untilQuiet(cluster);
  await untilQuiet(cluster);
}

/** Starts operators of a run, and ends them with it. */
class Operators {
  readonly #started: OperatorProcess[] = [];

  async start(options: OperatorOptions, kills?: Kills): Promise<OperatorProcess> {
    const operator = await OperatorProcess.start(options, kills);
    this.#started.push(operator);
    return operator;
  }

  /** End of the log of the last one. */
  get tail(): string {
    return this.#started.at(-1)?.lines.slice(-30).join('\n') ?? '';
  }

  async end(): Promise<void> {
    await Promise.all(this.#started.map((operator) => operator.stop('SIGKILL')));
  }
}

/** Runs all steps. @throws Error with the log of the operator if a step does not end */
export async function runScenario(
  scenario: Scenario,
  setting: Setting,
  kills: Kills = { afterWrite: Infinity },
): Promise<Outcome> {
  const { addresses, serving } = setting;
  const cluster = await StubCluster.start({ addresses, ...(serving && { serving }) });
  const authorities = watchAuthorities(cluster.client, NAMESPACE);
  const operators = new Operators();
  try {
    const operator = await runSteps(scenario, { ...setting, cluster, operators }, kills);
    const objects = objectsOf(cluster, name, NAMESPACE);
    return {
      objects,
      endState: endStateOf(objects, NAMESPACE),
      points: operator.writes.map((write) => killPoint(write, NAMESPACE)),
      killed: operator.killed,
      changedAuthorities: changedAuthorities(authorities),
      log: operator.lines,
    };
  } catch (error) {
    const text = `${scenario.title}: ${String(error)}\n${operators.tail}`;
    throw new Error(text, { cause: error });
  } finally {
    await operators.end();
    await authorities.stop();
    await cluster.stop();
  }
}

interface Run extends Setting {
  readonly cluster: StubCluster;
  readonly operators: Operators;
}

/** @returns the operator of the steps */
async function runSteps(
  { before, between, steps }: Scenario,
  { build, cluster, operators, ...setting }: Run,
  kills: Kills,
): Promise<OperatorProcess> {
  const options = { build, access: cluster.access, flags: FLAGS };
  if (before.length > 0) {
    const first = await operators.start(options);
    for (const step of before) await complete(step, cluster);
    await untilQuiet(cluster);
    await first.stop();
  }
  await between?.(cluster);
  const operator = await operators.start(setting.operator?.(options) ?? options, kills);
  for (const step of steps) await complete(step, cluster);
  await untilEnd(cluster, setting.expected);
  return operator;
}
