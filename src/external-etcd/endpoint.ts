/** Parses etcd endpoints like the etcd client. Pure functions. */
import { isIP } from 'node:net';
import type { TenantAddresses } from '../kubernetes/connection/addresses.ts';
import type { InTurn } from '../kubernetes/fairness/received-data.ts';

/** Address of one etcd member for the dialer. */
export interface Endpoint {
  /** Text of the spec, for messages. */
  readonly text: string;
  readonly tls: boolean;
  /** Host name or IP that the server certificate must contain. IPv6 without brackets, a name without trailing dot. */
  readonly host: string;
  readonly port: number;
  /** Host names to resolve, in this order, until one resolves. */
  readonly names: readonly string[];
  /** Addresses to which the operator may connect. */
  readonly addresses?: TenantAddresses;
  /** Key prefixes of the control plane, that of karmada-apiserver first. */
  readonly prefixes?: readonly string[];
  /** Runs what takes the thread long; without turns if absent. */
  readonly inTurn?: InTurn;
}

/** Location of the Pods that use the etcd. */
export interface Surroundings {
  /** Namespace of the pods. */
  readonly namespace: string;
  /** DNS domain of their cluster. */
  readonly dnsDomain: string;
}

/**
 * Parses an endpoint.
 * @param text an endpoint that `etcdEndpoint` of `src/api/validation/syntax.ts` accepts; without a scheme it uses TLS
 * @throws TypeError when the text is not a valid URL
 */
export function parseEndpoint(text: string, where: Surroundings): Endpoint {
  const url = new URL(text.includes('://') ? text : `https://${text}`);
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const tls = url.protocol === 'https:';
  // `URL` omits the default port of a scheme.
  const port = Number(url.port) || (tls ? 443 : 80);
  return { text, tls, host, port, names: namesOf(host, where) };
}

/** A single-label name is a Service in the namespace of the Pods. The operator Pod would resolve it in its own. */
function namesOf(host: string, { namespace, dnsDomain }: Surroundings): readonly string[] {
  const alone = isIP(host) === 0 && !host.includes('.') && host !== 'localhost';
  return alone ? [`${host}.${namespace}.svc.${dnsDomain}`, host] : [host];
}

/** Returns a normalized `host:port`, equal for different notations of the same socket. */
export function socketOf({ host, port }: Endpoint, { namespace, dnsDomain }: Surroundings): string {
  const name = host.toLowerCase();
  const qualified = isIP(name) === 0 && !name.includes('.') ? `${name}.${namespace}` : name;
  const short = [`.svc.${dnsDomain}`, '.svc'].reduce(
    (rest, suffix) => (rest.endsWith(suffix) ? rest.slice(0, -suffix.length) : rest),
    qualified,
  );
  return `${short}:${port}`;
}
