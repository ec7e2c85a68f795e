/** Syntax of the texts a user may write into a Karmada, each with the words that describe it. */
import { isIP, isIPv4 } from 'node:net';

/** A rule for one text, and what a text that follows it is, for "must be …". */
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
  'a DNS label: lower-case letters, digits and "-", at most 63 characters',
);

export const dnsSubdomain = pattern(
  new RegExp(`^${SUBDOMAIN}$`),
  'a DNS name: labels of lower-case letters, digits and "-", joined by dots',
  253,
);

/** `metadata.name` of most kinds: unlike in DNS a part between dots may be longer than 63. */
export const objectName = pattern(
  /^[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*$/,
  'a DNS name: parts of lower-case letters, digits and "-", joined by dots',
  253,
);

/** Key of a label or annotation, a load balancer class: `name` or `dns.prefix/name`. */
export const qualifiedName: Syntax = {
  expected: 'a name of letters, digits, "-", "_" and ".", optionally after a DNS name and "/"',
  matches(value) {
    const slash = value.lastIndexOf('/');
    const prefix = slash < 0 ? 'x' : value.slice(0, slash);
    return objectName.matches(prefix) && new RegExp(`^${NAME}$`).test(value.slice(slash + 1));
  },
};

/** Key of an annotation, whose prefix and name may also be in capitals. */
export const annotationKey: Syntax = {
  expected: qualifiedName.expected,
  matches: (value) => qualifiedName.matches(value.toLowerCase()),
};

export const labelValue = pattern(
  new RegExp(`^(?:${NAME})?$`),
  'a label value: letters, digits, "-", "_" and ".", at most 63 characters',
);

/** RFC 6125 subject alternative name: an address, a DNS name, or a wildcard for its first label. */
export const subjectAltName: Syntax = {
  expected: 'an IP address, a DNS name such as api.example.com or a wildcard such as *.example.com',
  matches: (value) => isAddress(value) || dnsSubdomain.matches(value.replace(/^\*\./, '')),
};

/** An IP address as certificates and URLs have it, that is, without a zone. */
function isAddress(value: string): boolean {
  return isIP(value) !== 0 && !value.includes('%');
}

/** One range of addresses, such as `10.96.0.0/12`. */
export function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !isAddress(address)) return false;
  return /^(0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128);
}

/** `--service-cluster-ip-range` of kube-apiserver: one range, or one of each family. */
export const serviceSubnet: Syntax = {
  expected: 'a range such as 10.96.0.0/12, or one of IPv4 and one of IPv6 joined by a comma',
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
  'a URL such as https://example.com/crds.tar.gz, with http or https',
);

/** Names of Services in the domain have to fit into 253 characters, as DNS has it. */
export const dnsDomain = pattern(
  new RegExp(`^${SUBDOMAIN}$`),
  'a DNS name of at most 121 characters, such as cluster.local',
  121,
);

export const proxyUrl = urlOf(
  ['http', 'https', 'socks5'],
  'the URL of a proxy such as http://proxy.example.com:3128, with http, https or socks5',
);

export const sha256Sum = pattern(/^[0-9A-Fa-f]{64}$/, 'a SHA-256 sum: 64 hexadecimal digits');

/** Key in a ConfigMap or Secret. */
export const dataKey = pattern(
  /^\.?[-_A-Za-z0-9][-._A-Za-z0-9]*$/,
  'a key of letters, digits, "-", "_" and ".", and not ".." at its beginning',
  253,
);

const HOST = '(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\\.?|\\[[0-9A-Fa-f:.]+\\])';

const ADDRESS = `${HOST}:([0-9]{1,5})`;
const ETCD_ENDPOINT = new RegExp(`^(?:https?://${ADDRESS}/?|${ADDRESS})$`);

/** The port is needed: etcd's client knows no default. Without a scheme it is TLS, as API servers see it. */
export const etcdEndpoint: Syntax = {
  expected: 'the URL of an etcd member with its port, such as https://etcd.example.com:2379',
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

/** Host and port of `externalEndpoint`; an IPv6 address comes without its brackets. */
export function endpointParts(value: string): { host: string; port: number | undefined } {
  const [, sixth, other = '', port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]{1,5}))?$/.exec(value) ?? [];
  return { host: sixth ?? other, port: port === undefined ? undefined : Number(port) };
}

/** Host and port of an API server as its users see it; the host goes into a certificate. */
export const externalEndpoint: Syntax = {
  expected: 'a DNS name or an IP address, optionally with a port, such as karmada.example.com:443',
  matches(value) {
    const { host, port = 443 } = endpointParts(value);
    if (value.startsWith('[') !== (isIP(host) === 6) || port < 1 || port > 65_535) return false;
    // A name whose last part is a number would be taken for an address, and be another one.
    const isName = dnsSubdomain.matches(host) && !/(^|\.)[0-9]+$/.test(host);
    return isAddress(host) || isName;
  },
};

const PATH_PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REGISTRY_HOST =
  '(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:]+\\])(?::[0-9]+)?';

/** Host of a registry, optionally with a path. */
export const imageRegistry = pattern(
  new RegExp(`^${REGISTRY_HOST}(?:/${PATH_PART})*/*$`),
  'a registry such as registry.example.com:5000 or registry.example.com/mirror, without a scheme',
  255,
);

/** A whole image reference `repository:tag`, with a digest in either part (OCI distribution). */
export const imageReference = pattern(
  new RegExp(
    `^(?:${REGISTRY_HOST}/)?${PATH_PART}(?:/${PATH_PART})*` +
      '(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,})?$',
  ),
  'an image, imageRepository:imageTag, such as docker.io/karmada/karmada-webhook:v1.17.1',
  1024,
);

/** A release of Karmada as its images are tagged. */
export const release = pattern(
  /^v[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}(?:-[0-9A-Za-z.-]+)?$/,
  'a release of Karmada such as v1.17.1',
  64,
);

export const flagName = pattern(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  'a flag without leading dashes and without "=", such as "v"',
);

export const featureGate = pattern(/^[A-Za-z][A-Za-z0-9]*$/, 'a feature gate such as "Failover"');

export const controllerName = pattern(
  /^(?:\*|[-+]?[A-Za-z0-9][A-Za-z0-9._-]*)$/,
  '"*", the name of a controller, or a name after "-" to switch it off',
);

/** Resource quantity of Kubernetes, such as `500m` or `2Gi`; numbers are told as text. */
export const quantity = pattern(
  /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/,
  'a quantity such as 500m or 2Gi',
);

/** A share of all pods. */
export const percentage = pattern(
  /^0*(?:100|[0-9]{1,2})%$/,
  'a number or a percentage such as 50%',
);
