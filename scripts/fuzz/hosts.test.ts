/**
 * The time of each pure function that the objects of a host cluster run through grows in proportion to their number.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { slowStages } from './growth.ts';
import { HOST_STAGES, largeHost, LARGE_HOSTS } from './hosts.ts';

const LENGTH = 1_048_576;

describe('functions of the objects of a host cluster', () => {
  it.each(Object.entries(LARGE_HOSTS))(
    'take time in proportion to the objects: %s',
    async (_, hostOf) => {
      const input = (length: number) => largeHost(hostOf(length));
      expect(await slowStages(HOST_STAGES, { input, length: LENGTH })).toEqual([]);
    },
    300_000,
  );
});
