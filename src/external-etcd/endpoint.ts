/** Endpoints of an etcd as etcd's client reads them: pure. */
import { isIP } from 'node:net';
import type { AddressPolicy } from '../kubernetes/addresses.ts';

/** One member, as it is dialled. */
export interface Endpoint {
  /** As the user wrote it, for messages. */
  readonly text: string;
  readonly tls: boolean;
  /** Name or address that its certificate must be for; IPv6 without brackets, a name without its last dot. */
  readonly host: string;
  readonly port: number;
  /** Names to look up, one after the other, until one is found. */
  readonly names: readonly string[];
  /** Which addresses may be connected to. */
  readonly addresses?: AddressPolicy;
}

/** Where the pods are that use the etcd. */
export interface Surroundings {
  /** Namespace of the pods. */
  readonly namespace: string;
  /** DNS domain of their cluster. */
  readonly dnsDomain: string;
}

/**
 * @param text an endpoint that `etcdEndpoint` of `src/api/syntax.ts` accepts; without a scheme it is one with TLS
 */
export function parseEndpoint(text: string, where: Surroundings): Endpoint {
  const url = new URL(text.includes('://') ? text : `https://${text}`);
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const tls = url.protocol === 'https:';
  // The port that a scheme has by default is left out of a URL.
  const port = Number(url.port) || (tls ? 443 : 80);
  return { text, tls, host, port, names: namesOf(host, where) };
}

/** A name of one label is a Service beside the pods; from the operator's namespace it would be another one. */
function namesOf(host: string, { namespace, dnsDomain }: Surroundings): readonly string[] {
  const alone = isIP(host) === 0 && !host.includes('.') && host !== 'localhost';
  return alone ? [`${host}.${namespace}.svc.${dnsDomain}`, host] : [host];
}

/** The same text for endpoints that are the same socket, however they are written. */
export function socketOf({ host, port }: Endpoint, { namespace, dnsDomain }: Surroundings): string {
  const name = host.toLowerCase();
  const qualified = isIP(name) === 0 && !name.includes('.') ? `${name}.${namespace}` : name;
  const short = [`.svc.${dnsDomain}`, '.svc'].reduce(
    (rest, suffix) => (rest.endsWith(suffix) ? rest.slice(0, -suffix.length) : rest),
    qualified,
  );
  return `${short}:${port}`;
}
