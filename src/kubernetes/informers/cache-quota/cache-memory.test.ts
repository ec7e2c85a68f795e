import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CacheMemory, type MemoryShare } from './cache-memory.ts';

/** Opens shares that are named, and records which are released. */
function setUp(limit: number) {
  const memory = new CacheMemory(limit);
  const released: string[] = [];
  const shares = new Map<string, MemoryShare>();
  const open = (name: string): MemoryShare => {
    const share: MemoryShare = memory.open(() => {
      released.push(name);
      share.close();
    });
    shares.set(name, share);
    return share;
  };
  return { memory, released, open };
}

describe('CacheMemory', () => {
  it('releases the largest share when all together exceed the limit', () => {
    const { memory, released, open } = setUp(100);
    const [small, large, late] = [open('small'), open('large'), open('late')];
    small.add(20);
    large.add(60);
    expect(released).toEqual([]);
    late.add(30);
    expect([released, memory.total]).toEqual([['large'], 50]);
    small.add(10);
    expect(released).toEqual(['large']);
  });

  it('releases a share that exceeds the limit alone', () => {
    const { memory, released, open } = setUp(100);
    open('small').add(40);
    open('huge').add(200);
    expect([released, memory.total]).toEqual([['huge'], 40]);
  });

  it('does not count a closed share', () => {
    const { memory, open } = setUp(100);
    const share = open('one');
    share.add(50);
    share.close();
    share.add(50);
    expect(memory.total).toBe(0);
  });

  it('never exceeds the limit, and never releases a share below the average, for arbitrary additions', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      bytes: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = new CacheMemory(100);
        const sizes = new Map<string, number>();
        const shares = new Map<string, MemoryShare>();
        const open = (name: string): MemoryShare => {
          const share = memory.open(() => {
            const all = [...sizes.values()];
            const mean = all.reduce((total, size) => total + size, 0) / all.length;
            expect(sizes.get(name)).toBeGreaterThanOrEqual(mean);
            sizes.delete(name);
            shares.delete(name);
            share.close();
          });
          shares.set(name, share);
          return share;
        };
        for (const { name, bytes } of steps) {
          sizes.set(name, (sizes.get(name) ?? 0) + bytes);
          (shares.get(name) ?? open(name)).add(bytes);
          expect(memory.total).toBeLessThanOrEqual(100);
          expect(memory.total).toBe([...sizes.values()].reduce((total, size) => total + size, 0));
        }
      }),
    );
  });

  it('releases shares of the tenant with the largest sum, however small each of them is', () => {
    const memory = new CacheMemory(100);
    const released: string[] = [];
    const share = (name: string, owner: string) => memory.open(() => released.push(name), owner);
    share('victim', 'good').add(30);
    for (let index = 0; index < 50; index += 1) share(`s${String(index)}`, 'evil').add(5);
    expect(released).not.toContain('victim');
    expect(released).toHaveLength(36);
    expect(memory.total).toBe(100);
  });

  it('forgets a tenant with its last share', () => {
    const memory = new CacheMemory(100);
    const released: string[] = [];
    const first = memory.open(() => released.push('first'), 'team');
    first.add(60);
    first.close();
    first.add(60);
    memory.open(() => released.push('second'), 'team').add(90);
    expect([released, memory.total]).toEqual([[], 90]);
  });
});
