import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { crdFile } from '../../../scripts/crd/render.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { run } from '../../../tools/embedded-cluster/command.ts';

/** Output of `tools/embedded-cluster/go/crd-cost`. */
interface Estimate {
  readonly refused: readonly string[];
  readonly share: number;
  readonly rules: number;
}

let program: string;

beforeAll(async () => {
  ({ 'crd-cost': program } = await ensureBinaries(['crd-cost']));
}, 20 * 60_000);

describe('CRD on the oldest supported Kubernetes version', () => {
  it('has validation rules that use at most 60% of the cost limit', async () => {
    const printed = await run([program, fileURLToPath(crdFile)]);
    const { refused, share, rules } = JSON.parse(printed) as Estimate;
    expect(refused).toEqual([]);
    expect(rules).toBeGreaterThan(150);
    expect(share).toBeLessThanOrEqual(0.6);
  });
});
