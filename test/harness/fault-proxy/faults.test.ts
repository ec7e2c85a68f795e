import { describe, expect, it } from '@jest/globals';
import type { Call } from './calls.ts';
import { createDecider, faultsOf, isDone, isLate, kindOf } from './faults.ts';
import { refusal } from './refusals.ts';

const read: Call = { what: 'host GET /a', sort: 'read' };
const write: Call = { what: 'host PATCH /a', sort: 'write' };

describe('fault proxy', () => {
  it('applies the fault of a rule once, to the n-th call', () => {
    const decide = createDecider({
      namespace: 'x',
      rules: [
        { what: write.what, occurrence: 2, fault: 'cut-done' },
        { what: read.what, occurrence: 1, fault: 'busy' },
      ],
    });
    const calls = [write, read, write, write, read];
    expect(calls.map(decide)).toEqual([
      { ...write, occurrence: 1 },
      { ...read, occurrence: 1, fault: 'busy' },
      { ...write, occurrence: 2, fault: 'cut-done' },
      { ...write, occurrence: 3 },
      { ...read, occurrence: 2 },
    ]);
  });

  it('applies random faults, and the same faults to the same calls when the numbers are equal', () => {
    const numbers = [0.5, 0, 0.0999, 0.1];
    const faults = [write, write, write, write, write].map(
      createDecider({ namespace: 'x', rules: [], chance: { share: 0.1, numbers } }),
    );
    expect(faults.map(({ fault }) => fault)).toEqual([
      undefined,
      faultsOf.write[0],
      faultsOf.write.at(-1),
      undefined,
      undefined,
    ]);
  });

  it('has faults before and after the execution of a write', () => {
    const done = faultsOf.write.filter(isDone).map(kindOf);
    const before = faultsOf.write.filter((fault) => !isDone(fault) && !isLate(fault));
    expect(done.toSorted()).toEqual(['cut', 'error', 'half', 'short', 'timeout']);
    expect(before).toEqual(expect.arrayContaining([...done, 'conflict', 'busy', 'delay']));
    expect(new Set(faultsOf.read.map(kindOf))).toEqual(new Set(before));
  });

  it('returns a Status like an API server when a call is rejected', () => {
    const { status, headers, body } = refusal('busy');
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(body)).toMatchObject({
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
    });
    expect(refusal('conflict').status).toBe(409);
    expect(refusal('error').status).toBe(500);
  });
});
