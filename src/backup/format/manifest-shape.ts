/**
 * Checks the types and the syntax of a manifest: pure. Its content becomes a status, a confirmation and arguments of calls to etcd,
 * and that of a backup without encryption is not authenticated.
 */
import { BACKUP_FILES, FORMAT, type Manifest } from './manifest-type.ts';
import { DIGEST, ETCD, fields, IDENTIFIER, KEY_ID, listOf, SIZE, TIME, VERSION } from './shape.ts';

const IDENTITY = fields({ namespace: IDENTIFIER, name: IDENTIFIER, uid: IDENTIFIER });
const ENCRYPTED = fields({ keyID: KEY_ID, salt: DIGEST });

const FILE = fields({
  name: (value) => BACKUP_FILES.some((name) => name === value),
  sizeBytes: SIZE,
  sha256: DIGEST,
  storedBytes: SIZE,
  storedSha256: DIGEST,
});

const MANIFEST = fields({
  format: (value) => value === FORMAT,
  backup: IDENTITY,
  karmada: IDENTITY,
  createdAt: TIME,
  operatorVersion: VERSION,
  encryption: (value) => value === 'None' || ENCRYPTED(value),
  etcd: ETCD,
  files: listOf(FILE, { least: BACKUP_FILES.length, most: BACKUP_FILES.length }),
});

/** Whether a parsed manifest has all fields, in their syntax, and names each file once. */
export function isManifest(value: unknown): value is Manifest {
  if (!MANIFEST(value)) return false;
  const names = new Set((value as Manifest).files.map(({ name }) => name));
  return names.size === BACKUP_FILES.length;
}
