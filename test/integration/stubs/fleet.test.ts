/**
 * One operator with many control planes of stubs, with the default flags and the heap limit of its Pod: 1,000, and 20 in a sample.
 * Nothing in this suite depends on the speed of the machine; `npm run bench:fleet` measures times and memory.
 *
 * @size enormous
 * @sample medium
 * @tier always
 * @job fleet
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runsAll } from '../../harness/sample.ts';
import { Fleet } from '../../stubs/fleet/fleet.ts';
import type { FleetSample } from '../../stubs/fleet/questions.ts';
import { totalOf, writesOf, type Target } from '../../stubs/fleet/request-counts.ts';
import { buildOperator, type OperatorBuild } from '../../stubs/operator/build.ts';

const count = runsAll ? 1_000 : 20;
const REST_MS = runsAll ? 600_000 : 10_000;
const INSTALL_MS = runsAll ? 3_000_000 : 200_000;
const QUIET_MS = runsAll ? 600_000 : 60_000;

/** Most requests for each control plane. Those of the process itself, about 15, are shared by all. */
const BUDGET = {
  install: { host: 66, inside: 95 },
  restart: { host: 20, inside: 38 },
} as const;

let build: OperatorBuild;
let fleet: Fleet;

beforeAll(async () => {
  build = await buildOperator();
  fleet = await Fleet.start({ build });
  await fleet.startOperator();
  await fleet.untilQuiet(60_000);
}, 300_000);

afterAll(async () => {
  await fleet.stop();
  await build.remove();
});

/** The requests are part of the value, so that a failure shows them. */
function expectWithin({ requests }: FleetSample, budget: Readonly<Record<Target, number>>): void {
  for (const target of ['host', 'inside'] as const) {
    const each = totalOf(requests[target]) / count;
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
  /** Transitions of the Lease after the first start; a lost Lease would be another one. */
  let transitions: number | undefined;

  it(
    'become Ready within the budget of requests',
    async () => {
      await fleet.ask('reset');
      ({ leaseTransitions: transitions } = await fleet.ask('sample'));
      await fleet.create(0, count);
      await fleet.untilReady(count, INSTALL_MS);
      await fleet.untilQuiet(QUIET_MS);
      const sample = await fleet.ask('sample');
      expect(sample.readiness.lost).toBe(0);
      expectWithin(sample, BUDGET.install);
    },
    INSTALL_MS + QUIET_MS + 60_000,
  );

  it(
    'cause no write while they are at rest',
    async () => {
      await fleet.ask('reset');
      expectNoWrites(await fleet.rest(REST_MS));
    },
    REST_MS + 60_000,
  );

  it('never cost the operator its lease or its process', async () => {
    expect({ processes: fleet.processes, log: fleet.processes === 1 ? [] : fleet.log }).toEqual({
      processes: 1,
      log: [],
    });
    expect((await fleet.ask('sample')).leaseTransitions).toBe(transitions);
  });

  it(
    'stay Ready without a write when the operator restarts, within the budget of requests',
    async () => {
      await fleet.stopOperator();
      await fleet.ask('reset');
      await fleet.startOperator();
      await fleet.untilQuiet(QUIET_MS);
      const sample = await fleet.ask('sample');
      expectNoWrites(sample);
      expectWithin(sample, BUDGET.restart);
      expect(fleet.processes).toBe(1);
    },
    QUIET_MS + 60_000,
  );
});
