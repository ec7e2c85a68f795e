/**
 * Syntax of the operator's own fields, in the regular expressions of Go: what `src/api/syntax.ts` has
 * for JavaScript. A text that these accept is accepted there too.
 */
import type { Overlay } from './kubernetes/overlay.ts';
import type { Rule } from './schema.ts';

const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const DOMAIN = `${LABEL}(\\.${LABEL})*`;

const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `${BYTE}(\\.${BYTE}){3}`;
const H = '[0-9A-Fa-f]{1,4}';
const IPV6 = [
  `(${H}:){7}${H}`,
  `(${H}:){1,7}:`,
  ...[6, 5, 4, 3, 2].map((before, index) => `(${H}:){1,${before}}(:${H}){1,${index + 1}}`),
  `${H}:(:${H}){1,6}`,
  `:(:${H}){1,7}`,
  '::',
  `::([Ff]{4}:)?${IPV4}`,
].join('|');

/** The part of a URL before its path; a port may be any number of five digits. */
const HOST = '([A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?\\.?|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?';

/** Runs of letters and digits with separators between them, slashes among these. */
const PATHS = '[a-z0-9]+(([._/]|__|-+)[a-z0-9]+)*';
const REGISTRY = '([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:]+\\])(:\\d+)?';
const TAG = '\\w[-\\w.]{0,127}';
const ALGORITHM = '@[a-z0-9]+([+._-][a-z0-9]+)*';
const DIGEST = '[0-9a-fA-F]{32,}';

export const SUBJECT_ALT_NAME_PATTERN = `^((\\*\\.)?${DOMAIN}|${IPV6})$`;

/** In CEL, as nobody would read this pattern in a message. */
export const SUBJECT_ALT_NAME: Overlay = {
  maxLength: 253,
  rules: [
    {
      rule: `self.matches(r'${SUBJECT_ALT_NAME_PATTERN}')`,
      message: 'must be an IP address, a DNS name, or a wildcard such as *.example.com',
    },
  ],
};

/** In DNS names of Services in it there is room for two labels and "svc" before it. */
export const DNS_DOMAIN: Overlay = { pattern: `^(${DOMAIN})?$`, maxLength: 121 };

export const RANGE_PATTERN = `^(${IPV4}/(3[0-2]|[12]?\\d)|(${IPV6})/(12[0-8]|1[01]\\d|[1-9]?\\d))$`;

export const SERVICE_SUBNET: Overlay = {
  maxLength: 100,
  rules: [
    {
      rule: `self == '' || (self.split(',').all(r, r.matches(r'${RANGE_PATTERN}')) && self.split(',').size() <= 2 && (!self.contains(',') || self.split(',').exists_one(r, r.contains(':'))))`,
      message:
        'must be a range such as 10.96.0.0/12, or one of IPv4 and one of IPv6 joined by a comma',
    },
  ],
};

export const API_ENDPOINT: Overlay = { pattern: `^((https://)?${HOST}/?)?$`, maxLength: 512 };

export const IMAGE_REGISTRY: Overlay = {
  pattern: `^(${REGISTRY}(/${PATHS})?/*)?$`,
  maxLength: 255,
};
/** A repository may end in the algorithm of a digest, whose digits are then the tag. */
export const IMAGE_REPOSITORY: Overlay = {
  pattern: `^((${REGISTRY}/)?${PATHS}((:${TAG})?${ALGORITHM})?)?$`,
  maxLength: 700,
};

/** A release of Karmada, `parseVersion` with the v of its tags. */
export const RELEASE: Overlay = {
  pattern: '^(v[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}(-[0-9A-Za-z.-]+)?)?$',
  maxLength: 64,
};

export const IMAGE_TAG: Overlay = {
  pattern: `^(${TAG}(${ALGORITHM}:${DIGEST})?)?$`,
  maxLength: 300,
};
export const IMAGE_RULES: readonly Rule[] = [
  {
    rule: `!has(self.imageRepository) || !self.imageRepository.contains('@') || (has(self.imageTag) && self.imageTag.matches('^${DIGEST}$'))`,
    fieldPath: '.imageTag',
    message: 'must be the digits of the digest',
  },
];

export const CONTROLLER: Overlay = { pattern: '^(\\*|[-+]?[A-Za-z0-9][-\\w.]*)$' };

/** Keys of a map. */
function keysLike(pattern: string, what: string): Overlay {
  return {
    maxProperties: 512,
    rules: [{ rule: `self.all(k, k.matches(r'${pattern}'))`, message: `the key must be ${what}` }],
  };
}

export const FLAGS = keysLike(
  '^[A-Za-z0-9][-\\w.]*$',
  'a flag without leading dashes and without "=", such as "v"',
);
export const GATES = keysLike('^[A-Za-z][A-Za-z0-9]*$', 'a feature gate such as "Failover"');

/** A number of pods or a share of them. */
export const COUNT_OR_PERCENT: Overlay = {
  pattern: '^0*(100|\\d{1,2})%$',
  minimum: 0,
  maximum: 2_147_483_647,
};

/** A port that exists, leading zeros left out. */
const PORT = '(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]?\\d{1,4})';
/** What a name ends in when it is no address: a label that is not a number. */
const LAST_LABEL = '([A-Za-z]|\\d+[A-WYZa-wyz_-])[-\\w]*';
const PLAIN_HOST = `(${IPV4}|(\\w[-\\w]*\\.)*${LAST_LABEL}\\.?|\\[(${IPV6})\\])`;
const AUTHORITY = `${PLAIN_HOST}(:${PORT})?`;
/** A port other than 0, without leading zeros. */
const SOME_PORT = '(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3})';
/** A URL of which no two programs think differently: ASCII, with a host that is a plain name or an address. */
function url(schemes: string): string {
  return `^(?i)(${schemes})://([!"$-.0->A-\\[\\]-~]*@)?${AUTHORITY}([/?#][!-~]*)?$`;
}
export const DOWNLOAD_URL_PATTERN = url('https?');
export const PROXY_URL: Overlay = { pattern: url('https?|socks5'), maxLength: 2048 };

/** The port is needed: etcd's client knows no default. */
const PART = '([-\\w]*[A-Za-z0-9])?';
/** Names whose last label begins with a digit may be taken for addresses; no Service and no domain has one. */
const MEMBER_HOST = `(${IPV4}|([A-Za-z0-9]${PART}\\.)*[A-Za-z]${PART}\\.?|\\[(${IPV6})\\])`;
const MEMBER = `(https?://)?${MEMBER_HOST}:${SOME_PORT}`;
export const ETCD_ENDPOINT: Overlay = { pattern: `^${MEMBER}$`, maxLength: 512 };
export const ENDPOINTS_RULES: readonly Rule[] = [
  {
    rule: `self.all(e, e.matches(r'^${MEMBER}/?$') && (e.contains('://') || !e.endsWith('/')))`,
    message:
      'must be the URLs of etcd members with their ports, such as https://etcd.example.com:2379',
  },
  {
    rule: "self.all(e, e.startsWith('http://')) || self.all(e, !e.startsWith('http://'))",
    message: 'must be all with https or all with http',
  },
];

/** Where users reach an API server; the host goes into a certificate. */
const EXTERNAL_ENDPOINT_PATTERN = `^(${DOMAIN}|\\[(${IPV6})\\])(:${SOME_PORT})?$`;
export const EXTERNAL_ENDPOINT: Overlay = {
  maxLength: 260,
  rules: [
    {
      rule: `self.matches(r'${EXTERNAL_ENDPOINT_PATTERN}') && (!self.matches(r'(^|\\.)\\d+(:\\d+)?$') || self.matches(r'^${IPV4}(:\\d+)?$'))`,
      message:
        'must be a DNS name or an IP address, optionally with a port, such as karmada.example.com:443',
    },
  ],
};
