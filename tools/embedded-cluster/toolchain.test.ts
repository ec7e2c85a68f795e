import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareVersions, parseGoVersion, requireDisk } from './toolchain.ts';

describe('Go toolchain', () => {
  it.each([
    ['go version go1.26.8 linux/amd64\n', '1.26.8'],
    ['go version go1.19 linux/amd64', '1.19'],
    ['go version go1.26rc1 linux/amd64', '1.26'],
    ['go version go1.25.7-custom X:nocoverageredesign linux/amd64', '1.25.7'],
    ['go version devel go1.27-abcdef Tue linux/amd64', '1.27'],
    ['', undefined],
    ['bash: go: cannot execute', undefined],
    ['cargo1.2.3', undefined],
  ])('parses %j as version %s', (output, version) => {
    expect(parseGoVersion(output)).toBe(version);
  });

  it.each([
    ['1.25.7', '1.25.7', 0],
    ['1.25', '1.25.0', 0],
    ['1.9', '1.25.7', -1],
    ['1.25.10', '1.25.7', 1],
    ['1.26', '1.25.7', 1],
    ['2', '1.99.99', 1],
  ])('compares version %s with %s: %d', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
    expect(Math.sign(compareVersions(b, a)) + sign).toBe(0);
  });
});

describe('requireDisk', () => {
  const directory = join(tmpdir(), 'karmada-operator-not-made', 'below');

  it('accepts a directory that does not exist yet when its disk has enough space', async () => {
    await expect(requireDisk({ directory }, 0, 'nothing')).resolves.toBeUndefined();
  });

  it('names free space, required space and what to do when the space is insufficient', async () => {
    const place = { directory, alternative: 'take another disk' };
    await expect(requireDisk(place, 2 ** 40, 'building')).rejects.toThrow(
      /has \d+\.\d GiB free, building needs 1099511627776 GiB: free some space, or take another disk$/,
    );
  });
});
