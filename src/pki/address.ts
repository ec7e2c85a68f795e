/** Converts IP addresses between bytes, text and URLs. */
import { isIP } from 'node:net';

/**
 * Parses an IP address.
 * @param text an IPv4 or IPv6 address without zone; an IPv4-mapped IPv6 address is treated as IPv4
 * @returns 4 or 16 bytes, or undefined if the text is not an address
 */
export function parseAddress(text: string): Uint8Array | undefined {
  const version = isIP(text);
  if (version === 4) return Uint8Array.from(text.split('.'), Number);
  if (version !== 6 || text.includes('%')) return undefined;
  const bytes = parseGroups(text);
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  return mapped && bytes[11] === 0xff ? bytes.subarray(12) : bytes;
}

/** Returns the 16 bytes of a valid IPv6 address. The URL parser normalizes every notation to hex groups. */
function parseGroups(text: string): Uint8Array {
  const [head = '', tail] = canonical6(text).split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const zeros = new Array<number>(8 - first.length - last.length).fill(0);
  return Uint8Array.from(
    [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 255]),
  );
}

const canonical6 = (text: string): string => new URL(`http://[${text}]/`).hostname.slice(1, -1);

/** Formats an IP address. @param bytes 4 or 16 bytes @returns canonical text (RFC 5952) */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const hex = Buffer.from(bytes).toString('hex');
  return canonical6((hex.match(/.{4}/g) ?? []).join(':'));
}

/**
 * Returns the first usable address of a subnet, which is the cluster IP of the `kubernetes` Service.
 * @param cidr for example `10.96.0.0/12`
 * @returns undefined if the text is not a CIDR or the subnet has only one address
 */
export function firstAddress(cidr: string): string | undefined {
  const [text = '', prefix = '', rest] = cidr.split('/');
  const bytes = parseAddress(text);
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (bytes === undefined || rest !== undefined || !(length < bytes.length * 8)) return undefined;
  const network = bytes.map(
    (byte, index) => byte & (0xff << Math.max(0, 8 - clampBits(length, index))),
  );
  network[network.length - 1] = (network.at(-1) ?? 0) | 1;
  return formatAddress(network);
}

/** Returns how many leading bits of byte `index` belong to the prefix (0 to 8). */
const clampBits = (length: number, index: number): number =>
  Math.min(8, Math.max(0, length - index * 8));

/**
 * Returns the URL of an API server.
 * @param host name or address; an IPv6 address is enclosed in brackets
 */
export function serverUrl(host: string, port: number): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
