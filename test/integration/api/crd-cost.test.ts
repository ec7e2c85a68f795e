import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { crdFile } from '../../../scripts/crd/render.ts';
import { ensureBinaries } from '../../cluster/binaries.ts';
import { run } from '../../cluster/command.ts';

/** What `test/cluster/go/crd-cost` prints. */
interface Estimate {
  readonly refused: readonly string[];
  readonly share: number;
  readonly rules: number;
}

let program: string;

beforeAll(async () => {
  ({ 'crd-cost': program } = await ensureBinaries(['crd-cost']));
}, 20 * 60_000);

describe('the CRD on the oldest Kubernetes that takes it', () => {
  it('has rules that leave two fifths of their cost to those of later fields', async () => {
    const printed = await run([program, fileURLToPath(crdFile)]);
    const { refused, share, rules } = JSON.parse(printed) as Estimate;
    expect(refused).toEqual([]);
    expect(rules).toBeGreaterThan(150);
    expect(share).toBeLessThanOrEqual(0.6);
  });
});
