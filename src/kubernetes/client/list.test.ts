import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListTransform } from './client-interface.ts';
import { toApiError } from './errors.ts';
import { PAGE_BYTES, tooLarge } from './limits.ts';
import { listAll, pagesOf, type ReadPage } from './list.ts';
import { resources } from '../objects/resources.ts';
import type { KubernetesObject } from '../objects/object.ts';

/** A server with objects of these sizes in bytes. It records the number and length of the objects of each page. */
function serverOf(sizes: readonly number[]) {
  const pages: { readonly limit: number; readonly bytes: number }[] = [];
  const read: ReadPage = ({ limit, continue: token = '0' }) => {
    const from = Number(token);
    const of = sizes.slice(from, from + limit);
    const bytes = of.reduce((sum, size) => sum + size, 0);
    pages.push({ limit, bytes });
    if (limit > 1 && bytes > PAGE_BYTES)
      return Promise.reject(tooLarge('list x', 'the response', PAGE_BYTES));
    const items = of.map((_, index): KubernetesObject => objectOf(from + index));
    const end = from + of.length;
    const more = end < sizes.length && { continue: String(end) };
    return Promise.resolve({ resourceVersion: '7', items, size: bytes, ...more });
  };
  return { pages, read };
}

const objectOf = (index: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: String(index) },
});

const namesOf = (items: readonly KubernetesObject[]): readonly number[] =>
  items.map(({ metadata }) => Number(metadata.name));

const READING = { request: 'list x', limit: Infinity };
const MIB = 1_048_576;

describe('listAll', () => {
  it('reads small objects in pages of 500', async () => {
    const { pages, read } = serverOf(Array.from({ length: 1_200 }, () => 1_000));
    const { items } = await listAll(read, READING);
    expect(items).toHaveLength(1_200);
    expect(pages.map(({ limit }) => limit)).toEqual([500, 500, 500]);
  });

  it('reads 300 objects of 1.4 MiB in pages of a few MiB', async () => {
    const { pages, read } = serverOf(Array.from({ length: 300 }, () => 1.4 * MIB));
    const { items } = await listAll(read, { ...READING, pageSize: 20 });
    expect(items).toHaveLength(300);
    const served = pages.filter(({ bytes }) => bytes <= PAGE_BYTES);
    expect(Math.max(...served.map(({ bytes }) => bytes))).toBeLessThanOrEqual(6 * MIB);
    expect(pages.length - served.length).toBeLessThanOrEqual(2);
  });

  it('reads a single object that is longer than a page', async () => {
    const { read } = serverOf([1_000, 20 * MIB, 1_000]);
    expect(namesOf((await listAll(read, READING)).items)).toEqual([0, 1, 2]);
  });

  it('reduces each page before it requests the next one, and leaves out objects', async () => {
    const { read, pages } = serverOf(Array.from({ length: 6 }, () => 3 * MIB));
    const seen: number[] = [];
    const reduce = (object: KubernetesObject): KubernetesObject | undefined => {
      seen.push(pages.length);
      return Number(object.metadata.name) % 2 === 0 ? object : undefined;
    };
    const transform = (): ListTransform => ({ reduce });
    const { items } = await listAll(read, { ...READING, pageSize: 2, transform });
    expect(namesOf(items)).toEqual([0, 2, 4]);
    expect(new Set(seen).size).toBeGreaterThan(1);
  });

  it('returns only what the transform retains after each page', async () => {
    const { read } = serverOf(Array.from({ length: 6 }, () => 3 * MIB));
    const transform = (): ListTransform => ({
      reduce: (object) => object,
      retain: (items) => items.filter(({ metadata }) => metadata.name !== '1'),
    });
    const { items } = await listAll(read, { ...READING, pageSize: 2, transform });
    expect(namesOf(items)).toEqual([0, 2, 3, 4, 5]);
  });

  it('fails when all pages together exceed the limit', async () => {
    const { read } = serverOf(Array.from({ length: 10 }, () => MIB));
    const limit = 5 * MIB;
    await expect(listAll(read, { ...READING, limit, pageSize: 2 })).rejects.toThrow(
      'the list is larger than 5 MiB',
    );
  });

  it('begins anew when a continue token has expired, with what the transform sees then', async () => {
    const { read } = serverOf(Array.from({ length: 5 }, () => MIB));
    let calls = 0;
    const expiring: ReadPage = (next) =>
      (calls += 1) === 2 ? Promise.reject(toApiError('list', { code: 410, body: '' })) : read(next);
    const counts: number[] = [];
    const transform = () => {
      counts.push(0);
      const reduce = (object: KubernetesObject): KubernetesObject => {
        counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
        return object;
      };
      return { reduce };
    };
    const { items } = await listAll(expiring, { ...READING, pageSize: 2, transform });
    expect(namesOf(items)).toEqual([0, 1, 2, 3, 4]);
    expect(counts).toEqual([2, 5]);
  });

  it('returns every object once, in order, whatever their sizes', async () => {
    const size = fc.oneof(
      fc.integer({ min: 100, max: 2_000 }),
      fc.integer({ min: MIB, max: 9 * MIB }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 80 }), async (sizes) => {
        const { pages, read } = serverOf(sizes);
        const { items } = await listAll(read, { ...READING, pageSize: 50 });
        expect(namesOf(items)).toEqual(sizes.map((_, index) => index));
        expect(pages.length).toBeLessThanOrEqual(4 * sizes.length + 4);
      }),
    );
  });
});

describe('pagesOf', () => {
  it('fails for an API server that says without end that more pages follow', async () => {
    const page = { resourceVersion: '1', items: [], continue: 'more' };
    const client = { listPage: () => Promise.resolve(page) };
    let pages = 0;
    const read = async (): Promise<void> => {
      for await (const { items } of pagesOf(client, resources.Pod, {})) pages += 1 + items.length;
    };
    await expect(read()).rejects.toThrow('the list has more than 2000 pages');
    expect(pages).toBe(2_000);
  });
});
