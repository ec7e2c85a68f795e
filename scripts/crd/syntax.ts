/**
 * Syntax of the fields of the `Karmada` type, as Go regular expressions. `src/api/validation/syntax.ts` has the JavaScript
 * counterpart and accepts every text that these patterns accept.
 */
import type { Overlay } from './kubernetes/overlay.ts';
import { ALNUM } from './kubernetes/patterns.ts';
import { SHOWN, type Rule } from './schema.ts';

const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const DOMAIN = `${LABEL}(\\.${LABEL})*`;

const BYTE = '(25[0-5]|(2[0-4]|1\\d|[1-9]?)\\d)';
const IPV4 = `${BYTE}(\\.${BYTE}){3}`;
const H = '[0-9a-f]{1,4}';
const IPV6_FORMS = [
  `(${H}:){7}${H}`,
  `(${H}:){1,7}:`,
  `(${H}:){1,6}:${H}`,
  ...[5, 4, 3, 2].map((before, index) => `(${H}:){1,${before}}(:${H}){1,${index + 2}}`),
  `${H}:(:${H}){1,6}`,
  `:(:${H}){1,7}`,
  '::',
  `::(f{4}:)?${IPV4}`,
].join('|');
const IPV6 = `(?i:${IPV6_FORMS})`;

/** Host and port of a URL; the port may be any number of up to five digits. */
const HOST = `(${ALNUM}([-\\w.]*${ALNUM})?\\.?|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?`;

/** Path of an image repository: letters and digits with separators, slashes included. */
const PATHS = '[a-z0-9]+(([._/]|__|-+)[a-z0-9]+)*';
const REGISTRY = `(${ALNUM}+([-.]+${ALNUM}+)*|\\[[0-9A-Fa-f:]+\\])(:\\d+)?`;
const TAG = '\\w[-\\w.]{0,127}';
const ALGORITHM = '@[a-z0-9]+([+._-][a-z0-9]+)*';
const DIGEST = '[0-9a-fA-F]{32,}';

export const ADDRESS_PATTERN = `^(${IPV4}|${IPV6})$`;

export const SUBJECT_ALT_NAME_PATTERN = `^((\\*\\.)?${DOMAIN}|${IPV6})$`;

/** As a CEL rule: an error message that shows this long pattern would be unreadable. */
export const SUBJECT_ALT_NAME: Overlay = {
  ...SHOWN,
  maxLength: 253,
  rules: [
    {
      rule: `self.matches(r'${SUBJECT_ALT_NAME_PATTERN}')`,
      message: 'must be an IP address, a DNS name, or a wildcard such as *.example.com',
    },
  ],
};

/** The length limit leaves room for two labels and "svc" in the DNS names of Services. */
export const DNS_DOMAIN: Overlay = { ...SHOWN, pattern: `^(${DOMAIN})?$`, maxLength: 121 };

export const RANGE_PATTERN = `^(${IPV4}/(3[0-2]|[12]?\\d)|${IPV6}/(12[0-8]|1[01]\\d|[1-9]?\\d))$`;

export const SERVICE_SUBNET: Overlay = {
  ...SHOWN,
  maxLength: 100,
  rules: [
    {
      rule: `self == '' || (self.split(',').all(r, r.matches(r'${RANGE_PATTERN}')) && self.split(',').size() <= 2 && (!self.contains(',') || self.split(',').exists_one(r, r.contains(':'))))`,
      message:
        'must be a CIDR such as 10.96.0.0/12, or an IPv4 and an IPv6 CIDR separated by a comma',
    },
  ],
};

export const API_ENDPOINT: Overlay = {
  ...SHOWN,
  pattern: `^((https://)?${HOST}/?)?$`,
  maxLength: 512,
};

export const IMAGE_REGISTRY: Overlay = {
  ...SHOWN,
  pattern: `^(${REGISTRY}(/${PATHS})?/*)?$`,
  maxLength: 255,
};
/** A repository may end with a digest algorithm; the tag then has the hexadecimal digits of the digest. */
export const IMAGE_REPOSITORY: Overlay = {
  ...SHOWN,
  pattern: `^((${REGISTRY}/)?${PATHS}((:${TAG})?${ALGORITHM})?)?$`,
  maxLength: 700,
};

/** Karmada release tag: a version that `parseVersion` accepts, with leading "v". */
export const RELEASE: Overlay = {
  ...SHOWN,
  pattern: '^(v[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}(-[0-9A-Za-z.-]+)?)?$',
  maxLength: 64,
};

export const IMAGE_TAG: Overlay = {
  ...SHOWN,
  pattern: `^(${TAG}(${ALGORITHM}:${DIGEST})?)?$`,
  maxLength: 300,
};
export const IMAGE_RULES: readonly Rule[] = [
  {
    rule: `!has(self.imageRepository) || !self.imageRepository.contains('@') || (has(self.imageTag) && self.imageTag.matches('^${DIGEST}$'))`,
    fieldPath: '.imageTag',
    message: 'must be the digest in hexadecimal',
  },
];

export const CONTROLLER: Overlay = { ...SHOWN, pattern: `^(\\*|[-+]?${ALNUM}[-\\w.]*)$` };

/** Rule for the keys of a map. */
function keysLike(pattern: string, what: string): Overlay {
  return {
    maxProperties: 512,
    rules: [{ rule: `self.all(k, k.matches(r'${pattern}'))`, message: `keys must be ${what}` }],
  };
}

export const FLAGS = keysLike(`^${ALNUM}[-\\w.]*$`, 'flags without leading dashes and "="');
export const GATES = keysLike(`^[A-Za-z]${ALNUM}*$`, 'feature gates such as Failover');

/** Number or percentage of Pods. */
export const COUNT_OR_PERCENT: Overlay = {
  pattern: '^0*(100|\\d{1,2})%$',
  minimum: 0,
  maximum: 2_147_483_647,
};

/** Port 0 to 65535, without leading zeros. */
const PORT = '(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]?\\d{1,4})';
/** Last label of a DNS name: not a number, so that it cannot be parsed as an IP address. */
const LAST_LABEL = '([A-Za-z]|\\d+[A-WYZa-wyz_-])[-\\w]*';
const PLAIN_HOST = `(${IPV4}|(\\w[-\\w]*\\.)*${LAST_LABEL}\\.?|\\[${IPV6}\\])`;
const AUTHORITY = `${PLAIN_HOST}(:${PORT})?`;
/** Port 1 to 65535, without leading zeros. */
const SOME_PORT = '(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3})';
/** URL that all parsers read alike: ASCII, with a plain DNS name or IP address as host. */
function url(schemes: string): string {
  return `^(?i)(${schemes})://([!"$-.0->A-\\[\\]-~]*@)?${AUTHORITY}([/?#][!-~]*)?$`;
}
export const DOWNLOAD_URL_PATTERN = url('https?');
export const PROXY_URL: Overlay = { pattern: url('https?|socks5'), maxLength: 2048 };

/** Part of a host label. */
const PART = `([-\\w]*${ALNUM})?`;
/** Parsers may read a name as an IP address if the last label starts with a digit; Services and domains have none. */
const MEMBER_HOST = `(${IPV4}|(${ALNUM}${PART}\\.)*[A-Za-z]${PART}\\.?|\\[${IPV6}\\])`;
/** The port is required: the etcd client has no default. */
const MEMBER = `(https?://)?${MEMBER_HOST}:${SOME_PORT}`;
export const ETCD_ENDPOINT: Overlay = { pattern: `^${MEMBER}$`, maxLength: 512 };
export const ENDPOINTS_RULES: readonly Rule[] = [
  {
    rule: `self.all(e, e.matches(r'^${MEMBER}/?$') && (e.contains('://') || !e.endsWith('/')))`,
    message: 'must be URLs of etcd members with ports, such as https://etcd.example.com:2379',
  },
  {
    rule: "self.all(e, e.startsWith('http://')) || self.all(e, !e.startsWith('http://'))",
    message: 'must be either all https or all http',
  },
];

/** External endpoint of an API server; the host is added to the SANs of the certificate. */
const EXTERNAL_ENDPOINT_PATTERN = `^(${DOMAIN}|\\[${IPV6}\\])(:${SOME_PORT})?$`;
export const EXTERNAL_ENDPOINT: Overlay = {
  ...SHOWN,
  maxLength: 260,
  rules: [
    {
      rule: `self.matches(r'${EXTERNAL_ENDPOINT_PATTERN}') && (!self.matches(r'(^|\\.)\\d+(:\\d+)?$') || self.matches(r'^${IPV4}(:\\d+)?$'))`,
      message:
        'must be a DNS name or an IP address, optionally with a port, such as karmada.example.com:443',
    },
  ],
};

/** Positive duration in whole units, such as 1h30m. */
export const STEP_DURATION: Overlay = {
  ...SHOWN,
  pattern: '^([1-9][0-9]{0,5}[hms])+$',
  maxLength: 32,
};
