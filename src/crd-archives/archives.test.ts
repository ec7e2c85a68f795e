import { gunzipSync, gzipSync } from 'node:zlib';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import { inPieces, releaseArchive } from '../controlplane/__fixtures__/tar.ts';
import { DEFAULT_ADDRESSES } from '../kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../kubernetes/connection/name-resolver.ts';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { Archives } from './archives.ts';
import type { MemoryLimits } from './memory-limits.ts';
import type { ArchiveSnapshot } from './outcome.ts';
import { NO_PROXIES } from './proxies.ts';
import { verifyArchive } from './verify.ts';

let archive: string;
/** Another archive of the same files. */
let other: string;
/** Memory that each of them needs, in bytes. */
let bytes: number;

beforeAll(async () => {
  const content = await releaseArchive();
  archive = content.toString('base64');
  other = gzipSync(gunzipSync(content), { level: 1 }).toString('base64');
  bytes = (await verifyArchive(inPieces(content), { release: undefined })).memoryBytes;
});

/** Archives from a ConfigMap whose reads end on request. */
function setUp(memory?: MemoryLimits) {
  const clock = manualClock();
  const changes: string[] = [];
  let notice = (): void => undefined;
  const reads: { readonly signal: AbortSignal; readonly end: (found: KubernetesObject) => void }[] =
    [];
  const archives = new Archives({
    client: anyClient({
      get: (_type, _key, { signal = new AbortController().signal } = {}) =>
        new Promise((end) => reads.push({ signal, end })),
    }),
    clock,
    random: () => 0.5,
    log: memoryLog(),
    proxies: NO_PROXIES,
    userAgent: 'test',
    archiveUrl: '',
    addresses: addressesOf(DEFAULT_ADDRESSES, new NameResolver()),
    secretPolicy: createSecretPolicy('Granted', () => []),
    ...(memory && { memory }),
    ready: [],
    writable: '/nonexistent',
    onChange: (key) => {
      changes.push(key);
      notice();
    },
  });
  /** Names of the Karmada objects in the order of their creation. */
  const names = ['demo', 'second', 'third'];
  /** Requests the archive as a reconcile does. */
  const look = async (
    generation = 1,
    { name = 'demo', map = 'crds', namespace = 'team' } = {},
  ): Promise<'pending' | 'archive' | 'problem'> => {
    const creationTimestamp = `2026-01-01T00:00:${String(names.indexOf(name) + 10)}Z`;
    const metadata = { name, namespace, uid: name, generation, creationTimestamp };
    const spec = { crdTarball: { configMapRef: { name: map } } };
    const found: ArchiveSnapshot = await archives.of(
      { metadata } as Karmada,
      defaultSpec(spec, { defaultStorageClass: false }),
    );
    return 'archive' in found ? 'archive' : 'pending' in found ? 'pending' : 'problem';
  };
  let version = 0;
  /** Ends the oldest read and waits for its result. @returns the number of reads that have not ended */
  const end = async (binaryData?: object): Promise<number> => {
    version += 1;
    const metadata = { name: 'crds', uid: 'u', resourceVersion: String(version) };
    const noticed = new Promise<void>((resolve) => (notice = resolve));
    reads.shift()?.end({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...{ binaryData } });
    await noticed;
    await settle();
    return reads.length;
  };
  const good = (): object => ({ 'crds.tar.gz': archive });
  const changed = (): object => ({ 'crds.tar.gz': other });
  return { clock, changes, reads, archives, look, end, good, changed };
}

describe('Archives', () => {
  it('fetches an archive once for all control planes and requests a reconcile of each', async () => {
    const { clock, changes, look, end, good, reads } = setUp();
    expect(await look()).toBe('pending');
    expect(await look(1, { name: 'other' })).toBe('pending');
    expect(reads).toHaveLength(1);
    expect(await end(good())).toBe(0);
    expect(changes).toEqual(['team/demo', 'team/other']);
    expect([await look(), await look(1, { name: 'other' })]).toEqual(['archive', 'archive']);
    await clock.advance(599_999);
    expect(reads).toHaveLength(0);
    await clock.advance(1);
    expect(reads).toHaveLength(1);
  });

  it('retries with backoff after a failure, and at once when the spec changes', async () => {
    const { clock, look, end, good, reads } = setUp();
    await look();
    await end();
    expect([await look(), reads.length]).toEqual(['problem', 0]);
    await clock.advance(2_000);
    expect(reads).toHaveLength(1);
    await end();
    await clock.advance(3_999);
    expect([await look(), reads.length]).toEqual(['problem', 0]);
    expect([await look(2), reads.length]).toEqual(['problem', 1]);
    await end(good());
    expect(await look(2)).toBe('archive');
  });

  it('reads an object again when the spec changes during a read', async () => {
    const { look, end, good, reads } = setUp();
    await look(1);
    await look(2);
    expect(reads).toHaveLength(1);
    expect(await end(good())).toBe(1);
    expect(await look(2)).toBe('pending');
    expect(await end(good())).toBe(0);
    expect(await look(2)).toBe('archive');
  });

  it('keeps the archive of a control plane until the changed spec is fetched', async () => {
    const { look, end, good, reads } = setUp();
    await look();
    await end(good());
    await look();
    expect([await look(2), reads.length]).toEqual(['archive', 1]);
  });

  it.each<[string, (archives: Archives, look: ReturnType<typeof setUp>['look']) => unknown]>([
    ['is not reconciled', (archives) => archives.forget('team/demo')],
    ['uses another source', (_, look) => look(2, { map: 'other' })],
    ['is closed with the operator', (archives) => archives.close()],
  ])('cancels a fetch and its retries when its only control plane %s', async (_, leave) => {
    const { clock, archives, look, reads } = setUp();
    await look();
    const [first] = reads.splice(0);
    await leave(archives, look);
    expect(first?.signal.aborted).toBe(true);
    reads.splice(0);
    await clock.advance(3_600_000);
    expect(reads).toHaveLength(0);
  });

  it('keeps a fetch that another control plane uses', async () => {
    const { archives, look, reads, changes, end, good } = setUp();
    await look();
    await look(1, { name: 'other' });
    archives.forget('team/demo');
    expect(reads[0]?.signal.aborted).toBe(false);
    await end(good());
    expect(changes).toEqual(['team/other']);
  });
});

describe('Archives with limits for memory', () => {
  it('rejects the archives that exceed the limit of their namespace, of the youngest control planes', async () => {
    const { look, end, good, changed } = setUp({ all: Infinity, namespace: 1.5 * bytes });
    const second = { name: 'second', map: 'b' };
    await look(1, second);
    await end(changed());
    expect(await look(1, second)).toBe('archive');
    await look();
    await end(good());
    expect([await look(), await look(1, second)]).toEqual(['archive', 'problem']);
    const elsewhere = { ...second, namespace: 'other' };
    await look(1, elsewhere);
    await end(changed());
    expect(await look(1, elsewhere)).toBe('archive');
  });

  it('counts equal archives of different sources once', async () => {
    const { look, end, good } = setUp({ all: 1.5 * bytes, namespace: 1.5 * bytes });
    const second = { name: 'second', map: 'b' };
    await look();
    await end(good());
    await look(1, second);
    await end(good());
    expect([await look(), await look(1, second)]).toEqual(['archive', 'archive']);
  });

  it('removes archives of the namespace that uses the most memory, and fetches them again when they are used', async () => {
    const { look, end, good, changed, reads } = setUp({ all: 2.5 * bytes, namespace: Infinity });
    const elsewhere = { name: 'third', namespace: 'other', map: 'c' };
    await look();
    await end(good());
    await look(1, { name: 'second', map: 'b' });
    await end(changed());
    await look(1, elsewhere);
    await end({ 'crds.tar.gz': again(other) });
    expect(await look(1, elsewhere)).toBe('archive');
    expect(await look(1, { name: 'second', map: 'b' })).toBe('archive');
    expect([await look(), reads.length]).toEqual(['pending', 1]);
    await end(good());
    expect(await look()).toBe('archive');
    expect(await look(1, elsewhere)).toBe('archive');
  });

  it('fetches two archives of a namespace at once', async () => {
    const { look, end, good, reads } = setUp();
    for (const map of ['a', 'b', 'c']) await look(1, { name: map, map });
    await look(1, { name: 'demo', namespace: 'other' });
    expect(reads).toHaveLength(3);
    expect(await end(good())).toBe(3);
  });
});

/** The same files in a third archive. */
const again = (base64: string): string =>
  gzipSync(gunzipSync(Buffer.from(base64, 'base64')), { level: 0 }).toString('base64');
