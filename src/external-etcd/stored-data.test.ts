import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EtcdStatusError, GRPC } from '../etcd/errors.ts';
import type { EtcdRange } from '../etcd/messages.ts';
import { readStoredData, uidIn } from './stored-data.ts';

const UID = '0b5c2d7e-0f6a-4b7e-9a52-6f1d8f7f0c11';

const field = (number: number, content: Uint8Array | string): Uint8Array => {
  const writer = new BinaryWriter().tag(number, WireType.LengthDelimited);
  return typeof content === 'string'
    ? writer.string(content).finish()
    : writer.bytes(content).finish();
};
const joined = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

/** A Namespace as kube-apiserver stores it. */
const stored = (uid: string): Uint8Array => {
  const metadata = joined(field(1, 'kube-system'), field(5, uid), field(6, '7'));
  const namespace = joined(field(1, metadata), field(2, joined(field(1, 'kubernetes'))));
  const type = joined(field(1, 'v1'), field(2, 'Namespace'));
  return joined(Buffer.from('k8s\0'), field(1, type), field(2, namespace));
};

describe('uidIn', () => {
  it('reads protobuf and JSON', () => {
    expect(uidIn(stored(UID))).toBe(UID);
    expect(uidIn(Buffer.from(JSON.stringify({ metadata: { uid: UID } })))).toBe(UID);
  });

  it.each<[string, Uint8Array]>([
    ['an encrypted value', Buffer.from('k8s:enc:aescbc:v1:key1:xxxx')],
    ['nothing', Buffer.alloc(0)],
    ['protobuf without an object', Buffer.from('k8s\0')],
    ['JSON without metadata', Buffer.from('{}')],
    ['JSON of another type', Buffer.from('null')],
    ['a UID with a line feed', stored('a\nb')],
    ['a UID that is too long', stored('a'.repeat(65))],
  ])('returns undefined for %s', (_, value) => {
    expect(uidIn(value)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isMarked) => {
        const value = isMarked ? joined(Buffer.from('k8s\0'), bytes) : bytes;
        const uid = uidIn(value);
        expect(uid === undefined || /^[0-9A-Za-z-]+$/.test(uid)).toBe(true);
      }),
    );
  });
});

describe('readStoredData', () => {
  /** An etcd with these keys; `denied` are prefixes that its user may not read. */
  const etcd = (
    keys: Readonly<Record<string, Uint8Array>>,
    denied: readonly string[] = [],
    code: number = GRPC.permissionDenied,
  ) => {
    const range = (value: Uint8Array | undefined, count: number): EtcdRange => ({
      clusterId: 'c1',
      count: String(count),
      ...(value && { value }),
    });
    const check = (key: string): void => {
      if (denied.some((prefix) => key.startsWith(prefix)))
        throw new EtcdStatusError(code, 'etcdserver: permission denied');
    };
    return {
      read: (key: string) => {
        check(key);
        return Promise.resolve(range(keys[key], keys[key] === undefined ? 0 : 1));
      },
      countPrefix: (prefix: string) => {
        check(prefix);
        const found = Object.keys(keys).filter((key) => key.startsWith(prefix));
        return Promise.resolve(range(undefined, found.length));
      },
    };
  };
  const KEY = '/registry/namespaces/kube-system';

  it('finds nothing in an empty etcd, and below another prefix', async () => {
    const none = { kind: 'none', clusterID: 'c1' };
    expect(await readStoredData(etcd({}), ['/registry'])).toEqual(none);
    const other = etcd({ [KEY]: stored(UID), '/registry-b': Buffer.from('x') });
    expect(await readStoredData(other, ['/registry-b'])).toEqual(none);
  });

  it('reads below the prefix /, which has one slash only', async () => {
    const whole = { '/namespaces/kube-system': stored(UID) };
    expect(await readStoredData(etcd(whole), ['/'])).toEqual({
      kind: 'cluster',
      prefix: '/',
      uid: UID,
    });
    expect(await readStoredData(etcd({ [KEY]: stored(UID) }), ['/'])).toMatchObject({
      kind: 'unidentified',
      keys: '1',
    });
  });

  it('names the cluster of the data', async () => {
    expect(await readStoredData(etcd({ [KEY]: stored(UID) }), ['/registry'])).toEqual({
      kind: 'cluster',
      prefix: '/registry',
      uid: UID,
    });
  });

  it.each([
    ['without the Namespace', { '/registry/pods/a/b': Buffer.from('x') }, ['/registry']],
    ['with an encrypted Namespace', { [KEY]: Buffer.from('k8s:enc:') }, ['/registry']],
    ['of a further component', { '/search/x': Buffer.from('x') }, ['/registry', '/search']],
  ])('counts keys %s', async (_, keys, prefixes) => {
    const prefix = prefixes.at(-1);
    expect(await readStoredData(etcd(keys), prefixes)).toEqual({
      kind: 'unidentified',
      prefix,
      keys: '1',
      clusterID: 'c1',
    });
  });

  it.each([GRPC.permissionDenied, GRPC.invalidArgument, GRPC.unauthenticated])(
    'says that the client may not read the keys when etcd responds with the status %s',
    async (code) => {
      expect(await readStoredData(etcd({}, ['/registry'], code), ['/registry'])).toEqual({
        kind: 'denied',
        prefix: '/registry',
      });
    },
  );
});
