import { afterAll, describe, expect, it } from '@jest/globals';
import { useSmallBufferPools } from './buffer-pools.ts';

const { poolSize } = Buffer;

afterAll(() => {
  Buffer.poolSize = poolSize;
});

describe('useSmallBufferPools', () => {
  it('lets a buffer of some bytes keep a block of some 4 KiB', () => {
    useSmallBufferPools();
    // The rest of the present block.
    for (let left = poolSize; left > 0; left -= 512) Buffer.allocUnsafe(512);
    expect(Buffer.allocUnsafe(12).buffer.byteLength).toBeLessThan(8_192);
  });
});
