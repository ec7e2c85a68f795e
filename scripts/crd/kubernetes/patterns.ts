/**
 * Syntax of strings in Kubernetes types, as Go regular expressions. They follow the validation of the API server
 * (apimachinery `pkg/util/validation`, kubernetes `pkg/apis/core/validation`).
 */
import { SHOWN } from '../schema.ts';
import type { Overlay } from './overlay.ts';

/** Letter or digit. The short form, because the CRD repeats it 270 times. */
export const ALNUM = '[^\\W_]';

/** DNS subdomain: letters and digits, separated by one dot or by hyphens. */
const SUBDOMAIN = '[a-z0-9]+((\\.|-+)[a-z0-9]+)*';
const NAME = `${ALNUM}([-\\w.]{0,61}${ALNUM})?`;
/** Label key without anchors. */
export const QUALIFIED = `(${SUBDOMAIN}/)?${NAME}`;
/** Name with a domain prefix. */
export const EXTENDED = `${SUBDOMAIN}/${NAME}`;
const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/** Label key, for CEL and for patterns. The prefix limit of 253 characters needs a separate rule. */
export const QUALIFIED_PATTERN = `^${QUALIFIED}$`;
/** Annotation key: like a label key, but the prefix may have uppercase letters. */
export const ANNOTATION_KEY_PATTERN = `^(${ALNUM}+((\\.|-+)${ALNUM}+)*/)?${NAME}$`;
const SUBDOMAIN_PATTERN = `^${SUBDOMAIN}$`;

export const NOT_EMPTY: Overlay = { minLength: 1 };
/** `metadata.name` of most kinds. */
export const OBJECT_NAME: Overlay = { pattern: SUBDOMAIN_PATTERN, maxLength: 253, ...SHOWN };
export const OPTIONAL_OBJECT_NAME: Overlay = {
  pattern: `^(${SUBDOMAIN})?$`,
  maxLength: 253,
  ...SHOWN,
};
/** Name of an optional object reference; Kubernetes allows it to end with a hyphen. */
export const OBJECT_NAME_PREFIX: Overlay = {
  pattern: `^${SUBDOMAIN}-*$`,
  maxLength: 253,
  ...SHOWN,
};
export const DNS_LABEL: Overlay = { pattern: `^${LABEL}$`, ...SHOWN };
export const OPTIONAL_DNS_LABEL: Overlay = { pattern: `^(${LABEL})?$`, ...SHOWN };
export const LABEL_KEY: Overlay = { pattern: QUALIFIED_PATTERN, maxLength: 317, ...SHOWN };
export const OPTIONAL_LABEL_KEY: Overlay = {
  pattern: `^(${QUALIFIED})?$`,
  maxLength: 317,
  ...SHOWN,
};
export const LABEL_VALUE: Overlay = { pattern: `^(${NAME})?$` };
export const CONFIG_KEY: Overlay = {
  pattern: '^\\.?[-_A-Za-z0-9][-._A-Za-z0-9]*$',
  maxLength: 253,
  ...SHOWN,
};
export const PULL_POLICY: Overlay = { enum: ['', 'Always', 'IfNotPresent', 'Never'] };

/** Path element other than "..". */
const PART = '([^/.][^/]*|\\.([^/.][^/]*)?|\\.\\.[^/]+)?';
const PART_NOT_DOTTED = '([^/.][^/]*|\\.([^/.][^/]*)?)';
/** Path without "..". */
export const PATH: Overlay = { pattern: `^${PART}(/${PART})*$`, minLength: 1 };
/** Relative path without ".."; may be empty. */
export const OPTIONAL_RELATIVE_PATH: Overlay = {
  pattern: `^((${PART_NOT_DOTTED}|\\.\\.[^/]+)(/${PART})*)?$`,
};
/** Non-empty relative path. The first element must not start with "..", because the kubelet reserves such names. */
export const LOCAL_PATH: Overlay = { pattern: `^${PART_NOT_DOTTED}(/${PART})*$` };
export const OPTIONAL_LOCAL_PATH: Overlay = {
  pattern: `^(${PART_NOT_DOTTED}(/${PART})*)?$`,
};

/** Unit of a resource quantity such as `500m`, `2Gi` or `1e3`. */
const UNIT = '([KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d{1,2})?';
const QUANTITY = `(\\d+\\.?\\d*|\\.\\d+)${UNIT}`;
export const QUANTITY_PATTERN = `^[+-]?${QUANTITY}$`;
/** Quantity of zero or more. */
export const AMOUNT: Overlay = { pattern: `^\\+?${QUANTITY}$`, minimum: 0 };
/** Quantity above zero. */
export const POSITIVE_AMOUNT: Overlay = {
  pattern: `^\\+?(\\d*[1-9]\\d*(\\.\\d*)?|\\d*\\.\\d*[1-9]\\d*)${UNIT}$`,
  minimum: 1,
};

/** Port name (RFC 6335): at most 15 characters, at least one letter, no consecutive or outer hyphens. */
const PORT_NAME = '(\\d+-?)*[a-z](-?[a-z0-9])*';
export const OPTIONAL_PORT_NAME: Overlay = { pattern: `^(${PORT_NAME})?$`, maxLength: 15 };
export const PORT_NUMBER: Overlay = { minimum: 1, maximum: 65_535 };
export const PORT: Overlay = { ...PORT_NUMBER, pattern: `^${PORT_NAME}$`, maxLength: 15 };

/** Name of an environment variable: printable ASCII without "=". */
const VARIABLE = '[ -<>-~]+';
export const VARIABLE_NAME: Overlay = { pattern: `^${VARIABLE}$` };
export const OPTIONAL_VARIABLE_NAME: Overlay = { pattern: `^(${VARIABLE})?$` };

export const FILE_MODE: Overlay = { minimum: 0, maximum: 0o777 };
/** User or group ID. */
export const UNIX_ID: Overlay = { minimum: 0, maximum: 2_147_483_647 };
