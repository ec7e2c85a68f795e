/**
 * Finds out whose data an external etcd has below the key prefixes of a control plane. Every API server creates the Namespace
 * kube-system in its first seconds, and its UID identifies the data: another cluster has another one.
 */
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';
import type { EtcdReader } from '../etcd/client.ts';
import { isDenied } from '../etcd/errors.ts';
import { bytesField } from '../etcd/wire-fields.ts';

/** `clusterID`: ID of the etcd cluster, hexadecimal. */
export type StoredData =
  /** No key has any of the prefixes. */
  | { readonly kind: 'none'; readonly clusterID: string }
  /** Data of the API server whose Namespace kube-system has this UID. */
  | { readonly kind: 'cluster'; readonly prefix: string; readonly uid: string }
  /** Keys, but no readable Namespace kube-system. */
  | {
      readonly kind: 'unidentified';
      readonly prefix: string;
      /** Number of keys, decimal. */
      readonly keys: string;
      readonly clusterID: string;
    }
  /** The client certificate may not read the keys. */
  | { readonly kind: 'denied'; readonly prefix: string };

type Reader = Pick<EtcdReader, 'read' | 'countPrefix'>;

/**
 * Reads what is stored below the prefixes, with a quorum.
 * @param prefixes such as `/registry`, that of karmada-apiserver first
 * @throws EtcdStatusError, EtcdConnectionError
 */
export async function readStoredData(
  etcd: Reader,
  prefixes: readonly string[],
): Promise<StoredData> {
  const [first = '', ...others] = prefixes;
  const own = await identify(etcd, first);
  if (own.kind !== 'none') return own;
  for (const prefix of others) {
    const found = await unlessDenied(prefix, () => counted(etcd, prefix));
    if (found.kind !== 'none') return found;
  }
  return own;
}

const identify = (etcd: Reader, prefix: string): Promise<StoredData> =>
  unlessDenied(prefix, async () => {
    const { value } = await etcd.read(`${folderOf(prefix)}namespaces/kube-system`);
    const uid = value === undefined ? undefined : uidIn(value);
    return uid === undefined ? counted(etcd, prefix) : { kind: 'cluster', prefix, uid };
  });

const folderOf = (prefix: string): string => (prefix.endsWith('/') ? prefix : `${prefix}/`);

async function counted(etcd: Reader, prefix: string): Promise<StoredData> {
  const { count: keys, clusterId: clusterID } = await etcd.countPrefix(folderOf(prefix));
  return keys === '0'
    ? { kind: 'none', clusterID }
    : { kind: 'unidentified', prefix, keys, clusterID };
}

async function unlessDenied(prefix: string, read: () => Promise<StoredData>): Promise<StoredData> {
  try {
    return await read();
  } catch (error) {
    if (isDenied(error)) return { kind: 'denied', prefix };
    throw error;
  }
}

const UID = /^[0-9A-Za-z-]{1,64}$/;

/** Prefix of objects that an API server stores as protobuf. */
const PROTOBUF = Buffer.from('k8s\0', 'latin1');

/** UID of a stored object, in protobuf or JSON. @returns undefined for an encrypted or another value */
export function uidIn(value: Uint8Array): string | undefined {
  const content = Buffer.from(value);
  try {
    const uid = content.subarray(0, PROTOBUF.length).equals(PROTOBUF)
      ? uidInProtobuf(content.subarray(PROTOBUF.length))
      : uidInJson(content);
    return uid !== undefined && UID.test(uid) ? uid : undefined;
  } catch {
    return undefined;
  }
}

function uidInJson(content: Buffer): string | undefined {
  const object = fieldsOf(parseJsonWithin(content.toString('utf8'), { size: UNTRUSTED.record }));
  const { uid } = fieldsOf(object['metadata']);
  return typeof uid === 'string' ? uid : undefined;
}

/** Field numbers of `runtime.Unknown`, of every object, and of its `ObjectMeta`. */
const [RAW, METADATA, UID_FIELD] = [2, 1, 5];

function uidInProtobuf(message: Uint8Array): string | undefined {
  const raw = bytesField(message, RAW);
  const metadata = raw && bytesField(raw, METADATA);
  const uid = metadata && bytesField(metadata, UID_FIELD);
  return uid && Buffer.from(uid).toString('utf8');
}
