/**
 * Syntax of texts in Kubernetes types, as the API server checks it (apimachinery
 * `pkg/util/validation`, kubernetes `pkg/apis/core/validation`), in the regular expressions of Go.
 */
import type { Overlay } from './overlay.ts';

/** Runs of letters and digits with one dot or some hyphens between them: a DNS subdomain. */
const SUBDOMAIN = '[a-z0-9]+((\\.|-+)[a-z0-9]+)*';
const NAME = '[A-Za-z0-9]([-\\w.]{0,61}[A-Za-z0-9])?';
const QUALIFIED = `(${SUBDOMAIN}/)?${NAME}`;
/** A name below a domain. */
export const EXTENDED = `${SUBDOMAIN}/${NAME}`;
const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/** Key of a label, for CEL and for patterns; its prefix may be 253 long, which needs a look apart. */
export const QUALIFIED_PATTERN = `^${QUALIFIED}$`;
/** The same with capitals anywhere, as keys of annotations may have them. */
export const ANNOTATION_KEY_PATTERN =
  '^([A-Za-z0-9]+((\\.|-+)[A-Za-z0-9]+)*/)?[A-Za-z0-9]([-\\w.]{0,61}[A-Za-z0-9])?$';
const SUBDOMAIN_PATTERN = `^${SUBDOMAIN}$`;

export const NOT_EMPTY: Overlay = { minLength: 1 };
/** `metadata.name` of most kinds. */
export const OBJECT_NAME: Overlay = { pattern: SUBDOMAIN_PATTERN, maxLength: 253 };
export const OPTIONAL_OBJECT_NAME: Overlay = { pattern: `^(${SUBDOMAIN})?$`, maxLength: 253 };
/** An object that may be missing is asked for by a name that may end in a hyphen. */
export const OBJECT_NAME_PREFIX: Overlay = { pattern: `^${SUBDOMAIN}-*$`, maxLength: 253 };
export const DNS_LABEL: Overlay = { pattern: `^${LABEL}$` };
export const OPTIONAL_DNS_LABEL: Overlay = { pattern: `^(${LABEL})?$` };
export const LABEL_KEY: Overlay = { pattern: QUALIFIED_PATTERN, maxLength: 317 };
export const OPTIONAL_LABEL_KEY: Overlay = { pattern: `^(${QUALIFIED})?$`, maxLength: 317 };
export const LABEL_VALUE: Overlay = { pattern: '^([A-Za-z0-9]([-\\w.]{0,61}[A-Za-z0-9])?)?$' };
export const CONFIG_KEY: Overlay = {
  pattern: '^\\.?[-_A-Za-z0-9][-._A-Za-z0-9]*$',
  maxLength: 253,
};
export const PULL_POLICY: Overlay = { enum: ['', 'Always', 'IfNotPresent', 'Never'] };

/** A part of a path that is not "..". */
const PART = '([^/.][^/]*|\\.([^/.][^/]*)?|\\.\\.[^/]+)?';
const PART_NOT_DOTTED = '([^/.][^/]*|\\.([^/.][^/]*)?)';
/** Any path without "..". */
export const PATH: Overlay = { pattern: `^${PART}(/${PART})*$`, minLength: 1 };
/** The same, not from the root; it may be empty. */
export const OPTIONAL_RELATIVE_PATH: Overlay = {
  pattern: `^((${PART_NOT_DOTTED}|\\.\\.[^/]+)(/${PART})*)?$`,
};
/** The same, not empty, and its first name does not begin with "..", as the kubelet's own do. */
export const LOCAL_PATH: Overlay = { pattern: `^${PART_NOT_DOTTED}(/${PART})*$` };
export const OPTIONAL_LOCAL_PATH: Overlay = {
  pattern: `^(${PART_NOT_DOTTED}(/${PART})*)?$`,
};

/** Unit of a resource quantity such as `500m`, `2Gi` or `1e3`. */
const UNIT = '([KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d{1,2})?';
const QUANTITY = `(\\d+(\\.\\d*)?|\\.\\d+)${UNIT}`;
export const QUANTITY_PATTERN = `^[+-]?${QUANTITY}$`;
/** A quantity of zero or more. */
export const AMOUNT: Overlay = { pattern: `^\\+?${QUANTITY}$`, minimum: 0 };
/** A quantity above zero. */
export const POSITIVE_AMOUNT: Overlay = {
  pattern: `^\\+?(\\d*[1-9]\\d*(\\.\\d*)?|\\d*\\.\\d*[1-9]\\d*)${UNIT}$`,
  minimum: 1,
};

/** Name of a port (RFC 6335): 15 characters, a letter among them, single hyphens inside. */
const PORT_NAME = '(\\d+-?)*[a-z]([a-z0-9]|-[a-z0-9])*';
export const OPTIONAL_PORT_NAME: Overlay = { pattern: `^(${PORT_NAME})?$`, maxLength: 15 };
export const PORT_NUMBER: Overlay = { minimum: 1, maximum: 65_535 };
export const PORT: Overlay = { ...PORT_NUMBER, pattern: `^${PORT_NAME}$`, maxLength: 15 };

/** Name of an environment variable: printable ASCII without "=". */
const VARIABLE = '[ -<>-~]+';
export const VARIABLE_NAME: Overlay = { pattern: `^${VARIABLE}$` };
export const OPTIONAL_VARIABLE_NAME: Overlay = { pattern: `^(${VARIABLE})?$` };

export const FILE_MODE: Overlay = { minimum: 0, maximum: 0o777 };
/** User or group. */
export const UNIX_ID: Overlay = { minimum: 0, maximum: 2_147_483_647 };
