/**
 * Flags that move or close the endpoint to which the probes of a component, its Service and the operator connect. Such a
 * component runs and never becomes ready. Pure functions.
 */
import { keysOf, recordOf } from '../../kubernetes/objects/records.ts';
import { factsByKey, type ServedPorts } from '../component-catalog.ts';
import type { FieldError } from '../validation/field-error.ts';
import { invalid } from '../validation/field-error.ts';
import type { ComponentKey } from '../karmada.ts';
import type { StringMap } from '../settings.ts';
import { booleanOf, listEntries } from './flag-values.ts';

/** What a flag of the endpoint must be. */
export interface EndpointFlag {
  readonly flag: string;
  /** Port that the value must have. */
  readonly port?: number;
  /** `port`: the value is the port; `address`: the address of all interfaces; `both`: address and port. */
  readonly form: 'port' | 'address' | 'both';
}

const serving = (port: number): readonly EndpointFlag[] => [
  { flag: 'secure-port', form: 'port', port },
  { flag: 'bind-address', form: 'address' },
];

const health = (port: number): readonly EndpointFlag[] => [
  { flag: 'health-probe-bind-address', form: 'both', port },
];

const flagsOf = ({ secure, health: probed, server }: ServedPorts): readonly EndpointFlag[] => [
  ...(secure === undefined ? [] : serving(secure)),
  ...(probed === undefined ? [] : health(probed)),
  ...(server === undefined ? [] : [{ flag: 'server-port', form: 'port', port: server } as const]),
];

const PORTS: Readonly<Record<ComponentKey, ServedPorts>> = factsByKey('ports');

/** Flags of each component that the probes, the Services and the operator rely on. */
export const ENDPOINT_FLAGS: Readonly<Record<ComponentKey, readonly EndpointFlag[]>> = recordOf(
  keysOf(PORTS).map((key) => [key, flagsOf(PORTS[key])] as const),
);

/** Paths of the probes, without a query. Requests of a probe have no credentials. */
export const PROBED_PATHS: Readonly<Partial<Record<ComponentKey, readonly string[]>>> = {
  karmadaAggregatedAPIServer: ['/readyz', '/livez'],
  karmadaSearch: ['/readyz', '/livez'],
  karmadaMetricsAdapter: ['/readyz', '/livez'],
  kubeControllerManager: ['/healthz'],
};

const ALWAYS_ALLOWED = 'authorization-always-allow-paths';
/** Addresses at which the kubelet reaches the endpoint. */
const ADDRESSES = ['', '0.0.0.0', '::', '[::]', '$(POD_IP)', '[$(POD_IP)]'];

/** Returns an error for each flag with which the probes of a component fail. @param field `spec.components.<key>` */
export function endpointFlags(
  component: ComponentKey,
  field: string,
  given: StringMap = {},
): readonly FieldError[] {
  const at = `${field}.extraArgs`;
  const moved = ENDPOINT_FLAGS[component].flatMap((rule) => {
    const value = Object.hasOwn(given, rule.flag) ? given[rule.flag] : undefined;
    return value === undefined || fits(value, rule)
      ? []
      : [invalid(`${at}.${rule.flag}`, value, `${expected(rule)}; remove the flag`)];
  });
  return [...moved, ...closedPaths(component, at, given)];
}

function fits(value: string, { form, port }: EndpointFlag): boolean {
  if (form === 'port') return value === String(port);
  if (form === 'address') return ADDRESSES.includes(value);
  const colon = value.lastIndexOf(':');
  return ADDRESSES.includes(value.slice(0, colon)) && value.slice(colon + 1) === String(port);
}

function expected({ form, port }: EndpointFlag): string {
  const reason = 'because the probes and the Service of the component use it';
  if (form === 'port') return `must be ${port}, ${reason}`;
  const address = 'an address that the kubelet reaches, such as 0.0.0.0';
  return form === 'address'
    ? `must be ${address}, ${reason}`
    : `must be ${address}, and port ${port}, ${reason}`;
}

function closedPaths(component: ComponentKey, at: string, given: StringMap): readonly FieldError[] {
  const paths = PROBED_PATHS[component];
  const value = Object.hasOwn(given, ALWAYS_ALLOWED) ? given[ALWAYS_ALLOWED] : undefined;
  if (paths === undefined || value === undefined) return [];
  const allowed = listEntries(value);
  const opens = (path: string): boolean =>
    allowed.some((entry) =>
      entry.endsWith('*') ? path.startsWith(entry.slice(0, -1)) : entry === path,
    );
  const closed = paths.filter((path) => !opens(path));
  const message = `must also contain ${closed.join(' and ')}, which the probes request without credentials`;
  return closed.length === 0 ? [] : [invalid(`${at}.${ALWAYS_ALLOWED}`, value, message)];
}

/**
 * Whether kube-apiserver answers `/readyz` and `/livez` without credentials. With the mode AlwaysAllow it disables anonymous
 * requests, as with `anonymous-auth=false`.
 */
export function answersAnonymousProbes(given: StringMap = {}): boolean {
  const modes = listEntries(given['authorization-mode'] ?? '');
  return booleanOf(given['anonymous-auth']) !== false && !modes.includes('AlwaysAllow');
}
