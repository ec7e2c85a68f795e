/** The cases of the suites with many control planes. None of them depends on the speed of the machine. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildOperator, type OperatorBuild } from '../operator/build.ts';
import { Fleet } from './fleet.ts';
import type { FleetSample } from './questions.ts';
import { totalOf, writesOf, type Target } from './request-counts.ts';

export interface FleetCases {
  readonly count: number;
  /** Idle time without a write. */
  readonly restMs: number;
  /** Whether the host cluster has a real API server. */
  readonly hasRealHost: boolean;
}

interface Budget extends Readonly<Record<Target, number>> {
  /** Requests to the host cluster that concern no control plane. */
  readonly shared: number;
}

/**
 * Most requests for each control plane. How many reconciles an installation has, and so how many requests, depends on the load of the
 * machine.
 */
const BUDGET: Readonly<Record<'install' | 'restart', Budget>> = {
  install: { host: 66, inside: 110, shared: 0 },
  restart: { host: 3, inside: 20, shared: 20 },
};

const START_MS = 300_000;
/** Long enough for a machine that is several times slower. */
const EACH_MS = 5_000;

/** Defines the cases. */
export function describeFleet({ count, restMs, hasRealHost }: FleetCases): void {
  const installMs = START_MS + count * EACH_MS;
  const quietMs = 120_000 + count * 1_000;
  let build: OperatorBuild;
  let fleet: Fleet;
  /** Transitions of the Lease after the first start; a lost Lease would be another one. */
  let transitions: number | undefined;

  beforeAll(async () => {
    build = await buildOperator();
    fleet = await Fleet.start({ build, hasRealHost });
    await fleet.startOperator();
    await fleet.untilQuiet(START_MS);
  }, 2 * START_MS);

  afterAll(async () => {
    await fleet.stop();
    await build.remove();
  }, START_MS);

  /** The requests are part of the value, so that a failure shows them. */
  function expectWithin({ requests }: FleetSample, budget: Budget): void {
    for (const target of ['host', 'inside'] as const) {
      const shared = target === 'host' ? budget.shared : 0;
      const each = (totalOf(requests[target]) - shared) / count;
      process.stderr.write(`${target}: ${each.toFixed(1)} requests for each control plane\n`);
      expect({
        ...(each > budget[target] && { [target]: requests[target] }),
        isWithin: each <= budget[target],
      }).toEqual({ isWithin: true });
    }
  }

  function expectNoWrites({ requests, readiness }: FleetSample): void {
    expect(writesOf(requests.host)).toEqual({});
    expect(writesOf(requests.inside)).toEqual({});
    expect(readiness).toMatchObject({ total: count, ready: count, lost: 0, statusChanges: 0 });
  }

  describe(`${String(count)} control planes of one operator`, () => {
    it(
      'become Ready within the budget of requests',
      async () => {
        await fleet.ask('reset');
        ({ leaseTransitions: transitions } = await fleet.ask('sample'));
        await fleet.create(0, count);
        await fleet.untilReady(count, installMs);
        await fleet.untilQuiet(quietMs);
        const sample = await fleet.ask('sample');
        expect(sample.readiness.lost).toBe(0);
        expectWithin(sample, BUDGET.install);
      },
      installMs + quietMs,
    );

    it(
      'cause no write while they are at rest',
      async () => {
        await fleet.ask('reset');
        expectNoWrites(await fleet.rest(restMs));
      },
      restMs + START_MS,
    );

    it('never cost the operator its lease or its process', async () => {
      const { processes, log } = fleet;
      expect({ processes, log: processes === 1 ? [] : log }).toEqual({ processes: 1, log: [] });
      expect((await fleet.ask('sample')).leaseTransitions).toBe(transitions);
    });

    it(
      'stay Ready without a write when the operator restarts, within the budget of requests',
      async () => {
        await fleet.stopOperator();
        await fleet.ask('reset');
        await fleet.startOperator();
        await fleet.untilQuiet(quietMs);
        const sample = await fleet.ask('sample');
        expectNoWrites(sample);
        expectWithin(sample, BUDGET.restart);
        expect(fleet.processes).toBe(1);
      },
      quietMs + START_MS,
    );
  });
}
