/**
 * Checks the types and the syntax of a manifest: pure. Its content becomes a status, a confirmation and arguments of calls to etcd,
 * and that of a backup without encryption is not authenticated.
 */
import { fields, listOf, oneOf, type Check } from '../../untrusted/checks.ts';
import { BACKUP_FILES, FORMAT, type Manifest } from './manifest-type.ts';
import { DIGEST, ETCD, IDENTIFIER, KEY_ID, SIZE, TIME, VERSION } from './shape.ts';

const IDENTITY = fields({ namespace: IDENTIFIER, name: IDENTIFIER, uid: IDENTIFIER });
const ENCRYPTED = fields({ keyID: KEY_ID, salt: DIGEST });
const ENCRYPTION: Check<Manifest['encryption']> = (value): value is Manifest['encryption'] =>
  value === 'None' || ENCRYPTED(value);

const FILE_NAME = oneOf(BACKUP_FILES);
const FILE = fields({
  name: FILE_NAME,
  sizeBytes: SIZE,
  sha256: DIGEST,
  storedBytes: SIZE,
  storedSha256: DIGEST,
});

const KNOWN_FORMAT = oneOf([FORMAT]);
const MANIFEST: Check<Manifest> = fields({
  format: KNOWN_FORMAT,
  backup: IDENTITY,
  karmada: IDENTITY,
  createdAt: TIME,
  operatorVersion: VERSION,
  encryption: ENCRYPTION,
  etcd: ETCD,
  files: listOf(FILE, { least: BACKUP_FILES.length, most: BACKUP_FILES.length }),
});

/** Whether a parsed manifest has all fields, in their syntax, and names each file once. */
export function isManifest(value: unknown): value is Manifest {
  if (!MANIFEST(value)) return false;
  return new Set(value.files.map(({ name }) => name)).size === BACKUP_FILES.length;
}
