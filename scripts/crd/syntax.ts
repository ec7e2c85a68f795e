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

const V4_RANGE = `${IPV4}/(3[0-2]|[12]?\\d)`;
const V6_RANGE = `(${IPV6})/(12[0-8]|1[01]\\d|[1-9]?\\d)`;

/** The part of a URL before its path; a port may be any number of five digits. */
const HOST = '([A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?\\.?|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?';

/** Runs of letters and digits with separators between them, slashes among these. */
const PATHS = '[a-z0-9]+(([._/]|__|-+)[a-z0-9]+)*';
const REGISTRY = '([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:]+\\])(:\\d+)?';
const TAG = '\\w[-\\w.]{0,127}';
const ALGORITHM = '@[a-z0-9]+([+._-][a-z0-9]+)*';
const DIGEST = '[0-9a-fA-F]{32,}';

export const SUBJECT_ALT_NAME: Overlay = {
  pattern: `^((\\*\\.)?${DOMAIN}|${IPV6})$`,
  maxLength: 253,
};

/** In DNS names of Services in it there is room for two labels and "svc" before it. */
export const DNS_DOMAIN: Overlay = { pattern: `^(${DOMAIN})?$`, maxLength: 121 };

export const SERVICE_SUBNET: Overlay = {
  pattern: `^(${V4_RANGE}(,${V6_RANGE})?|${V6_RANGE}(,${V4_RANGE})?)?$`,
  maxLength: 100,
};

export const ETCD_ENDPOINT: Overlay = { pattern: `^(https?://)?${HOST}/?$`, maxLength: 512 };
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
export function keysLike(pattern: string, what: string): Overlay {
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

/** A URL without a fragment of it that only another program could judge: ASCII, and a plain host. */
function url(schemes: string): string {
  return `^(?i)(${schemes})://([^@/?#\\s\\\\]*@)?${HOST}([/?#][!-~]*)?$`;
}
export const DOWNLOAD_URL_PATTERN = url('https?');
export const PROXY_URL: Overlay = { pattern: url('https?|socks5'), maxLength: 2048 };
