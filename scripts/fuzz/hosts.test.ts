/**
 * The time of each pure function that the objects of a host cluster run through grows in proportion to their number.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import type { Snapshot } from '../../src/reconcile/snapshot.ts';
import { growthOf, LARGEST_GROWTH } from './growth.ts';
import { HOST_STAGES, largeHost, LARGE_HOSTS } from './hosts.ts';

const LENGTH = 1_048_576;

describe('functions of the objects of a host cluster', () => {
  it.each(Object.entries(LARGE_HOSTS))(
    'take time in proportion to the objects: %s',
    async (_, hostOf) => {
      const slow: string[] = [];
      const inputs = new Map<number, Snapshot>();
      const input = (length: number): Snapshot => {
        const made = inputs.get(length) ?? largeHost(hostOf(length));
        inputs.set(length, made);
        return made;
      };
      for (const [name, run] of Object.entries(HOST_STAGES)) {
        const factor = await growthOf({ input, run, length: LENGTH });
        if (factor > LARGEST_GROWTH) slow.push(`${name}: ${factor.toFixed(1)}`);
      }
      expect(slow).toEqual([]);
    },
    300_000,
  );
});
