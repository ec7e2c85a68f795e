import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { UNTRUSTED } from '../../src/untrusted/limits.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { UNTRUSTED_INPUTS } from './untrusted-inputs.ts';

describe('limits for untrusted data', () => {
  it('have a line for each limit in the code', () => {
    const listed = new Set(UNTRUSTED_INPUTS.map(({ limit }) => limit));
    const missing = Object.entries(UNTRUSTED).filter(([, limit]) => !listed.has(limit));
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('name readers that exist and use a limit', () => {
    const readers = [...new Set(UNTRUSTED_INPUTS.map(({ reader }) => reader))];
    const others = readers.filter((reader) => {
      const path = join(checkout, reader);
      return (
        !existsSync(path) || !/UNTRUSTED|limits|MAX_|CHUNK_BYTES/i.test(readFileSync(path, 'utf8'))
      );
    });
    expect(others).toEqual([]);
  });
});
