/** Measures one operator with a number of control planes of stubs: installation, rest, restart. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Progress } from '../../../tools/embedded-cluster/progress.ts';
import { Fleet } from '../../stubs/fleet/fleet.ts';
import { bucketsSince, quantileBound, type Buckets } from '../../stubs/fleet/histogram.ts';
import type { FleetSample } from '../../stubs/fleet/questions.ts';
import { totalOf, writesOf, type Target } from '../../stubs/fleet/request-counts.ts';
import type { OperatorBuild } from '../../stubs/operator/build.ts';

/** What is measured in each phase. */
export interface PhaseFigures {
  readonly seconds: number;
  /** Requests for each control plane besides watches, and those about Leases and Events. */
  readonly requests: Readonly<Record<Target, number>>;
  readonly writes: number;
  readonly statusChanges: number;
  /** Control planes that were no longer Ready. */
  readonly lost: number;
  /** Processor seconds of the operator. */
  readonly processorSeconds: number;
  /** Highest anonymous memory of the operator in MiB, read every second. */
  readonly peak: number;
  /** Upper bounds of the buckets of a reconcile and of a wait for the rate limit, in seconds; undefined without values. */
  readonly reconcile: Quantiles;
  /** Milliseconds until deleted objects of another control plane existed again. */
  readonly repairsMs: readonly number[];
}

interface Quantiles {
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}

export interface FleetFigures {
  readonly count: number;
  /** Anonymous memory of the operator without control planes, in MiB. */
  readonly emptyMemory: number;
  readonly restMemory: number;
  /** `seconds` is the time from the last creation until all are Ready. */
  readonly install: PhaseFigures;
  /** Seconds from each creation until Ready. */
  readonly timesMs: readonly number[];
  readonly rest: PhaseFigures;
  /** `seconds` is the time from the first request of the process until it only makes its periodic checks. */
  readonly restart: PhaseFigures;
  /** Processes of the operator; more than two if it lost its Lease or failed. */
  readonly processes: number;
}

export interface FleetMeasurement {
  readonly build: OperatorBuild;
  readonly count: number;
  /** Idle time before the memory is read, and in which writes are counted. */
  readonly restSeconds: number;
  readonly progress: Progress;
}

const START_MS = 120_000;
/** For each control plane, besides the time of the first one. */
const EACH_MS = 4_000;
/** Time in which the operator frees memory after a start, if the idle time is not shorter. */
const SETTLE_MS = 30_000;

/** Measures a fleet of its own. @throws Error if the control planes do not become Ready */
export async function measureFleet(given: FleetMeasurement): Promise<FleetFigures> {
  const { build, count, restSeconds, progress } = given;
  const deadlineMs = START_MS + count * EACH_MS;
  const fleet = await Fleet.start({ build });
  const step = <T>(name: string, action: () => Promise<T>): Promise<T> =>
    progress.step(`${String(count)} control planes: ${name}`, action);
  try {
    await fleet.startOperator();
    await fleet.createDamaged();
    await fleet.untilReady(1, START_MS);
    await fleet.untilQuiet(START_MS);
    await pause(Math.min(SETTLE_MS, restSeconds * 1_000));
    const { anonymous: emptyMemory } = await fleet.usage();
    const phases = new Phases(fleet, count);
    const install = await step('install', () => phases.install(deadlineMs));
    const { timesMs } = (await fleet.ask('sample')).readiness;
    await fleet.untilQuiet(deadlineMs);
    const rest = await step('rest', () => phases.rest(restSeconds * 1_000));
    const { anonymous: restMemory } = await fleet.usage();
    const { processes } = fleet;
    const restart = await step('restart', () => phases.restart(deadlineMs));
    const ended = processes + fleet.processes;
    return { count, emptyMemory, restMemory, install, timesMs, rest, restart, processes: ended };
  } finally {
    await fleet.stop();
  }
}

/** State of the operator at the start of a phase. */
interface Before {
  readonly buckets: Buckets;
  readonly seconds: number;
}

class Phases {
  readonly #fleet: Fleet;
  readonly #count: number;

  constructor(fleet: Fleet, count: number) {
    this.#fleet = fleet;
    this.#count = count;
  }

  async install(deadlineMs: number): Promise<PhaseFigures> {
    const before = await this.#begin(true);
    await this.#fleet.ask('start repairs');
    await this.#fleet.create(0, this.#count);
    await this.#fleet.untilReady(this.#count + 1, deadlineMs);
    await this.#fleet.ask('stop repairs');
    const sample = await this.#fleet.ask('sample');
    return this.#figures(before, sample, sample.readiness.sinceLastMs / 1_000);
  }

  async rest(ms: number): Promise<PhaseFigures> {
    const before = await this.#begin(true);
    return this.#figures(before, await this.#fleet.rest(ms), ms / 1_000);
  }

  async restart(deadlineMs: number): Promise<PhaseFigures> {
    await this.#fleet.stopOperator();
    const before = await this.#begin(false);
    await this.#fleet.startOperator();
    await this.#fleet.untilFirstRequest(START_MS);
    await this.#fleet.ask('start repairs');
    const seconds = await this.#fleet.untilQuiet(deadlineMs);
    await this.#fleet.ask('stop repairs');
    return this.#figures(before, await this.#fleet.ask('sample'), seconds);
  }

  /** @param runs whether the operator runs */
  async #begin(runs: boolean): Promise<Before> {
    this.#fleet.takeHighest();
    await this.#fleet.ask('reset');
    if (!runs) return { buckets: [], seconds: 0 };
    const { seconds } = await this.#fleet.usage();
    return { buckets: await this.#reconciles(), seconds };
  }

  async #figures(
    before: Before,
    { requests, readiness, repairsMs }: FleetSample,
    seconds: number,
  ): Promise<PhaseFigures> {
    const buckets = bucketsSince(await this.#reconciles(), before.buckets);
    const each = (target: Target): number => totalOf(requests[target]) / this.#count;
    const writes = totalOf(writesOf(requests.host)) + totalOf(writesOf(requests.inside));
    const { statusChanges, lost } = readiness;
    return {
      seconds,
      requests: { host: each('host'), inside: each('inside') },
      writes,
      statusChanges,
      lost,
      processorSeconds: (await this.#fleet.usage()).seconds - before.seconds,
      peak: this.#fleet.takeHighest(),
      reconcile: { p50: quantileBound(buckets, 0.5), p99: quantileBound(buckets, 0.99) },
      repairsMs,
    };
  }

  #reconciles(): Promise<Buckets> {
    return this.#fleet.buckets('reconcile_seconds');
  }
}
