/** Syntax of the string fields of a Karmada, each with a description for error messages. */
import { isIP, isIPv4 } from 'node:net';

/** Syntax of a string. `expected` completes the message "must be …". */
export interface Syntax {
  readonly expected: string;
  matches(value: string): boolean;
}

function pattern(regexp: RegExp, expected: string, limit = Infinity): Syntax {
  return { expected, matches: (value) => value.length <= limit && regexp.test(value) };
}

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(?:\\.${LABEL})*`;
const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';

export const dnsLabel = pattern(
  new RegExp(`^${LABEL}$`),
  'a DNS label: lowercase letters, digits and "-", at most 63 characters',
);

export const duration = pattern(
  /^(?:[0-9]+(?:s|m|h))+$/,
  'a duration in hours, minutes and seconds, such as 10m or 1h30m',
  16,
);

export const dnsSubdomain = pattern(
  new RegExp(`^${SUBDOMAIN}$`),
  'a DNS name: labels of lowercase letters, digits and "-", separated by dots',
  253,
);

/** `metadata.name` of most kinds. Unlike in DNS, a part between dots may have more than 63 characters. */
export const objectName = pattern(
  /^[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*$/,
  'a DNS name: parts of lowercase letters, digits and "-", separated by dots',
  253,
);

/** Label key, annotation key or load balancer class: `name` or `dns.prefix/name`. */
export const qualifiedName: Syntax = {
  expected: 'a name of letters, digits, "-", "_" and ".", optionally with a DNS prefix and "/"',
  matches(value) {
    const slash = value.lastIndexOf('/');
    const prefix = slash < 0 ? 'x' : value.slice(0, slash);
    return objectName.matches(prefix) && new RegExp(`^${NAME}$`).test(value.slice(slash + 1));
  },
};

/** Annotation key; unlike in a label key the prefix may have uppercase letters. */
export const annotationKey: Syntax = {
  expected: qualifiedName.expected,
  matches: (value) => qualifiedName.matches(value.toLowerCase()),
};

export const labelValue = pattern(
  new RegExp(`^(?:${NAME})?$`),
  'a label value: letters, digits, "-", "_" and ".", at most 63 characters',
);

/** Subject alternative name (RFC 6125): IP address, DNS name, or wildcard in the first label. */
export const subjectAltName: Syntax = {
  expected: 'an IP address, a DNS name such as api.example.com or a wildcard such as *.example.com',
  matches: (value) => isAddress(value) || dnsSubdomain.matches(value.replace(/^\*\./, '')),
};

/** Whether a text is an IP address without a zone, as in certificates and URLs. */
function isAddress(value: string): boolean {
  return isIP(value) !== 0 && !value.includes('%');
}

/** Whether a text is a single CIDR, such as `10.96.0.0/12`. */
export function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !isAddress(address)) return false;
  return /^(0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128);
}

/** Value of `--service-cluster-ip-range` of kube-apiserver: one CIDR, or one of each IP family. */
export const serviceSubnet: Syntax = {
  expected: 'a CIDR such as 10.96.0.0/12, or an IPv4 and an IPv6 CIDR separated by a comma',
  matches(value) {
    const ranges = value.split(',');
    const families = new Set(ranges.map((range) => isIPv4(range.split('/')[0] ?? '')));
    return ranges.every(isCidr) && ranges.length <= 2 && families.size === ranges.length;
  },
};

function urlOf(schemes: readonly string[], expected: string): Syntax {
  const begins = new RegExp(`^(?:${schemes.join('|')})://[^\\s\\p{Cc}]+$`, 'iu');
  return {
    expected,
    matches: (value) => value.length <= 2048 && begins.test(value) && URL.canParse(value),
  };
}

export const downloadUrl = urlOf(
  ['http', 'https'],
  'an http:// or https:// URL, such as https://example.com/crds.tar.gz',
);

/** DNS domain of Services. The limit lets full Service names fit into the 253 characters of a DNS name. */
export const dnsDomain = pattern(
  new RegExp(`^${SUBDOMAIN}$`),
  'a DNS name of at most 121 characters, such as cluster.local',
  121,
);

export const proxyUrl = urlOf(
  ['http', 'https', 'socks5'],
  'a proxy URL with scheme http, https or socks5, such as http://proxy.example.com:3128',
);

export const sha256Sum = pattern(/^[0-9A-Fa-f]{64}$/, 'a SHA-256 checksum: 64 hexadecimal digits');

/** Key in a ConfigMap or Secret. */
export const dataKey = pattern(
  /^\.?[-_A-Za-z0-9][-._A-Za-z0-9]*$/,
  'a key of letters, digits, "-", "_" and "." that does not start with ".."',
  253,
);

const HOST = '(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\\.?|\\[[0-9A-Fa-f:.]+\\])';

const ADDRESS = `${HOST}:([0-9]{1,5})`;
const ETCD_ENDPOINT = new RegExp(`^(?:https?://${ADDRESS}/?|${ADDRESS})$`);

/**
 * URL of an etcd member. The port is required, because the etcd client has no default. kube-apiserver uses TLS if the
 * scheme is missing.
 */
export const etcdEndpoint: Syntax = {
  expected: 'the URL of an etcd member with port, such as https://etcd.example.com:2379',
  matches(value) {
    if (value.length > 512) return false;
    const [, ...ports] = ETCD_ENDPOINT.exec(value) ?? [];
    const named = ports.some((port) => Number(port) > 0 && Number(port) < 65_536);
    return named && URL.canParse(value.includes('://') ? value : `https://${value}`);
  },
};

export const apiEndpoint = pattern(
  new RegExp(`^(?:https://)?${HOST}(?::[0-9]{1,5})?/?$`),
  'the address of an API server such as https://10.0.0.1:6443',
  512,
);

/** Splits `externalEndpoint` into host and port; an IPv6 address is returned without brackets. */
export function endpointParts(value: string): { host: string; port: number | undefined } {
  const [, sixth, other = '', port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]{1,5}))?$/.exec(value) ?? [];
  return { host: sixth ?? other, port: port === undefined ? undefined : Number(port) };
}

/** External address of an API server as host and optional port; the host is added to the certificate SANs. */
export const externalEndpoint: Syntax = {
  expected: 'a DNS name or an IP address, optionally with a port, such as karmada.example.com:443',
  matches(value) {
    const { host, port = 443 } = endpointParts(value);
    if (value.startsWith('[') !== (isIP(host) === 6) || port < 1 || port > 65_535) return false;
    // Parsers read a name with a numeric last label as an IPv4 address, and may return another address.
    const isName = dnsSubdomain.matches(host) && !/(^|\.)[0-9]+$/.test(host);
    return isAddress(host) || isName;
  },
};

const PATH_PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REGISTRY_HOST =
  '(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:]+\\])(?::[0-9]+)?';

/** Registry host, optionally with a path. */
export const imageRegistry = pattern(
  new RegExp(`^${REGISTRY_HOST}(?:/${PATH_PART})*/*$`),
  'a registry such as registry.example.com:5000 or registry.example.com/mirror, without a scheme',
  255,
);

/** Complete image reference `repository:tag`, with an optional digest in either part (OCI distribution). */
export const imageReference = pattern(
  new RegExp(
    `^(?:${REGISTRY_HOST}/)?${PATH_PART}(?:/${PATH_PART})*` +
      '(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,})?$',
  ),
  'an image reference imageRepository:imageTag, such as docker.io/karmada/karmada-webhook:v1.17.1',
  1024,
);

/** Karmada release as in image tags. */
export const release = pattern(
  /^v[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}(?:-[0-9A-Za-z.-]+)?$/,
  'a Karmada release such as v1.18.2',
  64,
);

export const flagName = pattern(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  'a flag without leading dashes and "=", such as "v"',
);

/** Retention of the periodic compaction of etcd: a Go duration of hours, minutes and seconds, or hours. */
export const retention = pattern(
  /^([0-9]+|([0-9]+[hms])+)$/,
  'a number of hours, or a duration such as 30m',
);

/** Retention of the compaction of etcd by revision. */
export const revisionCount = pattern(/^[0-9]+$/, 'a number of revisions');

export const featureGate = pattern(/^[A-Za-z][A-Za-z0-9]*$/, 'a feature gate such as "Failover"');

export const controllerName = pattern(
  /^(?:\*|[-+]?[A-Za-z0-9][A-Za-z0-9._-]*)$/,
  '"*", the name of a controller, or "-" and the name of a controller to disable',
);

/** Kubernetes resource quantity as a string, such as `500m` or `2Gi`. */
export const quantity = pattern(
  /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/,
  'a quantity such as 500m or 2Gi',
);

/** Percentage of Pods. */
export const percentage = pattern(
  /^0*(?:100|[0-9]{1,2})%$/,
  'a number or a percentage such as 50%',
);

/** Positive duration in whole units. */
export const stepDuration = pattern(
  /^(?:[1-9][0-9]{0,5}[hms])+$/,
  'a duration such as 90s, 10m or 1h30m',
  32,
);
