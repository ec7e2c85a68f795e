/** Values of Secrets in all forms in which other texts may contain them. They are compared, and never stored. Pure. */
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import { parseYamlWithin } from '../../../untrusted/documents.ts';
import { pemBlocks } from '../../../untrusted/pem.ts';
import { base64Parts } from '../../../redact/base64-parts.ts';
import { SECRET_NAMES, SECRET_WORDS } from '../../../redact/secret-names.ts';

/** Shortest part of a value that counts as secret on its own, such as the password in a kubeconfig. */
const SHORTEST_PART = 6;
/** Lines of an unstructured value, such as those of a key. */
const SHORTEST_LINE = 8;
/** Longer values are compared only as they are. */
const MAX_ENCODED_LENGTH = 4096;

/** Longer values are compared by line. An API server accepts Secrets with 1 MiB. */
const MAX_STRUCTURED_LENGTH = 2 ** 20;

/** Keys in structured values whose values are not secret. */
const PUBLIC_KEYS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'name',
  'namespace',
  'cluster',
  'user',
  'current-context',
  'server',
  'tls-server-name',
  'certificate-authority',
  'certificate-authority-data',
  'client-key',
  'client-certificate',
  'client-certificate-data',
  'username',
  'email',
  'endpoint',
  'region',
  'bucket',
  'prefix',
  'proxy-url',
]);

const PUBLIC_BLOCK = /^(?:(?:TRUSTED )?CERTIFICATE|(?:RSA )?PUBLIC KEY|CERTIFICATE REQUEST)$/;

/** Returns a text without its PEM blocks that are public. A text above the limits of PEM stays as it is: all of it is secret. */
function withoutPublicBlocks(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { label, start, end } of pemBlocks(text)) {
    if (!PUBLIC_BLOCK.test(label)) continue;
    parts.push(text.slice(from, start));
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}

/** Entries of Secrets that contain no secret, by the type of the Secret. */
const PUBLIC_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/service-account-token': ['namespace', 'ca.crt'],
};

/** Returns all forms of the values of a Secret. */
export function secretValues(secret: Secret): readonly string[] {
  const omitted = PUBLIC_ENTRIES[String(secret['type'])] ?? [];
  const data = secret.data ?? {};
  return Object.entries(data).flatMap(([key, encoded]) =>
    omitted.includes(key) ? [] : valuesOfBytes(Buffer.from(encoded, 'base64')),
  );
}

function valuesOfBytes(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes))
    return [...valuesOfText(text, 'all'), ...hexOf(bytes)];
  return [bytes.toString('base64'), bytes.toString('base64url'), ...hexOf(bytes)];
}

/** Keys are often printed in hexadecimal. */
const hexOf = (bytes: Buffer): readonly string[] =>
  bytes.length >= 16 && bytes.length <= 64 ? [bytes.toString('hex')] : [];

/** Parts of a structured text that are secret: all, or only those with a name such as `password`. */
export type SecretParts = 'all' | 'named';

const SECRET_KEY = new RegExp(`(?:${SECRET_NAMES}|${SECRET_WORDS})$`);

/** Returns all forms of a text that is not shown, and of its secret parts. */
export function valuesOfText(text: string, secretParts: SecretParts): readonly string[] {
  const secret = withoutPublicBlocks(text).trim();
  if (secret === '') return [];
  const structure = parsed(secret);
  const parts =
    structure === undefined
      ? unstructuredParts(secret)
      : leaves(structure, '').flatMap(({ key, value }) => leafValues(value, key, secretParts));
  return [
    ...new Set([
      ...encodings(text),
      ...encodings(secret),
      ...parts.filter((part) => part.length >= SHORTEST_PART).flatMap(encodings),
      ...keyLines(secret),
    ]),
  ];
}

/** A YAML or JSON object or list; undefined for other text. */
function parsed(text: string): object | undefined {
  if (!/[:{[]/.test(text)) return undefined;
  try {
    const value = parseYamlWithin(text, { size: MAX_STRUCTURED_LENGTH });
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Leaf {
  readonly key: string;
  readonly value: string;
}

function leaves(value: unknown, key: string): readonly Leaf[] {
  if (typeof value === 'string' || typeof value === 'number')
    return [{ key, value: String(value) }];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => leaves(entry, name));
}

function leafValues(value: string, key: string, secretParts: SecretParts): readonly string[] {
  const isPublic = secretParts === 'all' ? PUBLIC_KEYS.has(key) : !SECRET_KEY.test(key);
  if (isPublic) return urlCredentials(value);
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  const inner = key === 'auth' || key.endsWith('-data') ? [decoded, ...afterColon(decoded)] : [];
  return [value, ...inner.flatMap((text) => [text, ...keyLines(text)]), ...urlCredentials(value)];
}

/** Password in `user:password`. */
const afterColon = (text: string): readonly string[] => {
  const colon = text.indexOf(':');
  return colon < 0 || text.includes('\n') ? [] : [text.slice(colon + 1)];
};

function urlCredentials(text: string): readonly string[] {
  const [, credentials] = /^[a-z][a-z0-9+.-]*:\/\/([^\s]*)@/i.exec(text) ?? [];
  if (credentials === undefined) return [];
  return [credentials, ...afterColon(credentials)].flatMap((part) => [part, decodedPart(part)]);
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Lines, and the values in lines such as `name=value` and `token,user,uid`. */
function unstructuredParts(text: string): readonly string[] {
  const lines = linesOf(text);
  const own = lines.length > 1 ? lines : [];
  const values = lines.flatMap((line) => {
    const equals = line.indexOf('=');
    const value = equals < 0 ? [] : [line.slice(equals + 1).replaceAll(/^["']|["']$/g, '')];
    return [...value, ...line.split(',').filter((field) => field !== line && field.length >= 16)];
  });
  return [...own, ...values, ...urlCredentials(text)];
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));

/** Lines of keys in PEM. They are base64 already. */
const keyLines = (text: string): readonly string[] =>
  text.includes('-----BEGIN ') ? linesOf(withoutPublicBlocks(text)) : [];

/** The text as it is, in JSON, in JSON in JSON, in a URL, and as a part of a longer base64 text. */
function encodings(text: string): readonly string[] {
  if (text.length > MAX_ENCODED_LENGTH) return [text];
  const json = JSON.stringify(text).slice(1, -1);
  const nested = JSON.stringify(json).slice(1, -1);
  return [text, json, nested, urlEncoded(text), ...base64Parts(text)];
}

/** Replaces halves of surrogate pairs, which a URL cannot contain. */
const urlEncoded = (text: string): string => encodeURIComponent(text.toWellFormed());
