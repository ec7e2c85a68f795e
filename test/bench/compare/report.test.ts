import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { comparisonTable, type Measured } from './report.ts';

const ours: Measured = {
  installs: [9.9, 8.8, 10],
  upgrade: { requests: 1178, failed: 0, seconds: 15.34, finished: true },
  repairs: [0.17, 0.1, 2],
};
const upstream: Measured = {
  installs: [33.5],
  upgrade: { requests: 11_557, failed: 101, seconds: 240.2, finished: false },
  repairs: [undefined, undefined],
};
const cells = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('comparisonTable', () => {
  it('shows measured figures, and which columns are not measured', () => {
    const [, , install, upgrade, repair] = cells(comparisonTable({ ours, upstream }));
    expect(install?.slice(1)).toEqual([
      '9.9 s (8.8–10.0)',
      '33.5 s (33.5–33.5)',
      'not measured',
      'not measured',
    ]);
    expect(upgrade?.slice(1, 3)).toEqual([
      '0 of 1,178, in 15.3 s',
      '101 of 11,557, not complete in 240 s',
    ]);
    expect(repair?.slice(1, 3)).toEqual(['0.17 s', 'not within 60 s']);
  });

  it('says that there is no command for an upgrade, and how many objects are back', () => {
    const karmadactl = { installs: [40], repairs: [1, undefined] };
    const [, , , upgrade, repair] = cells(comparisonTable({ karmadactl }));
    expect([upgrade?.[3], repair?.[3]]).toEqual(['no command', '1 of 2 within 60 s']);
  });

  it.each(['README.md', 'docs/README.md'])(
    'has the rows and columns of the table in %s',
    (page) => {
      const [, text = ''] = readFileSync(join(checkout, page), 'utf8').split(/\n(?=\| What )/);
      const shown = cells(text.split('\n\n')[0] ?? '');
      const expected = cells(comparisonTable({}));
      expect(shown[0]).toEqual(expected[0]);
      expect(shown.map(([title]) => title).slice(2)).toEqual(
        expected.map(([title]) => title).slice(2),
      );
    },
  );
});
