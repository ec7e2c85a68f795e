import { describe, expect, it, jest } from '@jest/globals';
import type { ReleaseTable } from '../../src/api/releases/release-table.ts';
import { RELEASES } from '../../src/api/releases/releases.ts';
import { moduleTable, programTables } from '../../scripts/releases/extract.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { runsAll } from '../harness/sample.ts';

// The first run of a release downloads its Go module, and builds its programs.
jest.setTimeout(1_800_000);

/** Only `npm run test:all` builds the oldest release. */
const isBuilt = (release: string): boolean => runsAll || release !== karmadaReleases.oldest;

describe('tables of Karmada releases', () => {
  it('exist for each release of the embedded cluster, newest first', () => {
    expect(RELEASES.map(({ release }) => release)).toEqual(Object.values(karmadaReleases));
  });

  it.each(
    RELEASES.map(({ kubernetesTag: _, kubernetes: __, ...table }): [string, ReleaseTable] => [
      table.release,
      table,
    ]),
  )('equal what npm run release-table extracts: %s', async (release, { programs, ...table }) => {
    expect(table).toEqual(await moduleTable(release));
    if (isBuilt(release)) expect(programs).toEqual(await programTables(release));
  });
});
