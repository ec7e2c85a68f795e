/** Removes secrets from text of unknown origin, such as logs and messages. Pure functions. */
import { isPlainWord } from './plain-words.ts';
import { REDACTED } from './redacted.ts';
import { anyCase, SECRET_NAMES, SECRET_WORDS } from './secret-names.ts';
import { withoutUserInfo } from './user-info.ts';

/** Returns the text without secrets. */
export type RedactText = (text: string) => string;

interface Rule {
  readonly pattern: RegExp;
  readonly replace: (found: string, ...groups: string[]) => string;
}

/** Query parameters of the Kubernetes API, which are never secret. */
const QUERY_PARAMETERS: ReadonlySet<string> = new Set([
  'watch',
  'timeout',
  'timeoutSeconds',
  'resourceVersion',
  'resourceVersionMatch',
  'limit',
  'allowWatchBookmarks',
  'labelSelector',
  'fieldSelector',
  'fieldManager',
  'force',
  'exclude',
]);

/** A list, an object, a quoted value, also one in JSON that is a string of JSON, or one without spaces. */
const VALUE = String.raw`\(redacted[A-Z a-z]{0,10}\)|\[[^\]\n]*\]?|\{[^}\n]*\}?|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\\+"[^"\n]*"|[^\s,;&"'}\])\\]+`;

const SPACE = String.raw`(?:[ \t]|\\{1,8}[nt]){0,8}`;

/** What stands between a name and its value: `: `, ` = `, `%3D`, and in YAML also `: |` and `: -`. The value may be on the next line. */
const SEPARATOR = String.raw`[sS]?\\*["']?[ \t]{0,8}(?:[:=]|%3[aAdD])${SPACE}(?:[|>][+-]?\s{0,8}${SPACE})?(?:- )?`;

/** Errors of files, whose names may end with the name of a secret. */
const NO_ERROR = `(?!${anyCase(
  [
    'no such file or directory',
    'permission denied',
    'read-only file system',
    'is a directory',
    'not a directory',
    'file exists',
    'no space left on device',
  ].join('|'),
)})`;

/** Words after the name of a secret that are not its value. */
const NO_VALUE = `(?:${anyCase(
  [
    'a',
    'an',
    'allowed',
    'be',
    'been',
    'being',
    'cannot',
    'deprecated',
    'empty',
    'expired',
    'for',
    'found',
    'from',
    'has',
    'ignored',
    'in',
    'invalid',
    'is',
    'missing',
    'must',
    'needed',
    'nil',
    'no',
    'not',
    'null',
    'on',
    'or',
    'and',
    'optional',
    'provided',
    'required',
    'set',
    'specified',
    'the',
    'too',
    'unknown',
    'unset',
    'used',
    'valid',
    'was',
    'wrong',
  ].join('|'),
)})(?![\\w-])`;

/** In this order: a rule may rely on what an earlier one has replaced. */
const RULES: readonly Rule[] = [
  {
    // A block without its end too, because a log may be cut off. `\n` may be escaped.
    pattern:
      /-----BEGIN [A-Z0-9 ]{1,40}-----(?:(?!-----END )[A-Za-z0-9+/=\s\\:,-])*(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
    replace: () => '(redacted PEM block)',
  },
  // The last line of a block without its beginning. The other lines are long enough for the rule of random text.
  {
    pattern: /[A-Za-z0-9+/=]{1,80}(?:\r?\n|\\n)-----END [A-Z0-9 ]{1,40}-----/g,
    replace: () => REDACTED,
  },
  // JSON Web Token, also a truncated one.
  { pattern: /eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, replace: () => REDACTED },
  // Headers with credentials: the rest of the line.
  {
    pattern: /((?:proxy-)?authorization|(?:set-)?cookie)(\\*["']?[ \t]{0,8}[:=])[^\n]+/gi,
    replace: (_, name = '', separator = '') => `${name}${separator} ${REDACTED}`,
  },
  {
    pattern: /\b(bearer|Basic|Digest|Negotiate)(?:[ \t]|%20){1,8}[\w.~+/=:-]{6,}/gi,
    replace: (_, scheme = '') => `${scheme} ${REDACTED}`,
  },
  { pattern: /[^]+/g, replace: (text) => withoutUserInfo(text) },
  {
    pattern: /([?&])([\w.~%-]{1,64})=([^\s&"'<>#\\]*)/g,
    replace: (found, mark = '', name = '', value = '') =>
      QUERY_PARAMETERS.has(name) || /^(?:true|false|\d{1,5})$/.test(value)
        ? found
        : `${mark}${name}=${REDACTED}`,
  },
  {
    pattern: new RegExp(`(${SECRET_NAMES})(${SEPARATOR})${NO_ERROR}(?:${VALUE})`, 'g'),
    replace: (_, name = '', separator = '') => `${name}${separator}${REDACTED}`,
  },
  // `auth: user not found` is an error, and no value.
  {
    pattern: new RegExp(`(${SECRET_WORDS})(${SEPARATOR})${NO_ERROR}(${VALUE})`, 'g'),
    replace: (found, name = '', separator = '', value = '') =>
      separator === ': ' && isPlainWord(value) ? found : `${name}${separator}${REDACTED}`,
  },
  {
    pattern: new RegExp(
      String.raw`((?<![\w-])--?(?=\w)[\w.-]{0,48}?${SECRET_WORDS}[ \t]{1,8})(?!-|${NO_VALUE})(${VALUE})`,
      'g',
    ),
    replace: (found, name = '', value = '') => (isPlainWord(value) ? found : `${name}${REDACTED}`),
  },
  // `--etcd-password value` and `password is value`.
  {
    pattern: new RegExp(
      String.raw`((?<![\w-])--?(?=\w)[\w.-]{0,48}?(?:${SECRET_NAMES})[ \t]{1,8})(?!-|${NO_VALUE})(?:${VALUE})`,
      'g',
    ),
    replace: (_, name = '') => `${name}${REDACTED}`,
  },
  {
    pattern: new RegExp(
      String.raw`((?:${SECRET_NAMES})["']?[ \t]{1,8}(?:${anyCase('is|was|equals|(?:set |changed )?to')})[ \t]{1,8})(?!${NO_VALUE})(?:${VALUE})`,
      'g',
    ),
    replace: (_, name = '') => `${name}${REDACTED}`,
  },
  // Access keys and tokens of well-known services, and bootstrap tokens.
  {
    pattern:
      /\b(?:A[KS]IA[A-Z0-9]{16}\b|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|[a-z0-9]{6}\.[a-z0-9]{16}\b)/g,
    replace: () => REDACTED,
  },
  // Base64 with its padding.
  {
    pattern: /(?<![\w+/])[A-Za-z0-9+/]{7,128}={1,2}(?![\w='/%+&.[{(:-]|\\*"[^\s,)}\]\\]|\\[^"\\])/g,
    replace: (found) =>
      found.length % 4 === 0 && /[a-z]/.test(found) && /[A-Z]/.test(found) ? REDACTED : found,
  },
  {
    pattern: /(sha256:|:\/\/)?([A-Za-z0-9+/_-]{16,}={0,2})/g,
    replace: (found, prefix = '', run = '') =>
      looksRandom(run, prefix !== '') ? `${prefix}${REDACTED}` : found,
  },
];

/** Version of an API in a path, such as `/v1beta1`. */
const API_VERSION = /\/v\d{1,2}(?:(?:alpha|beta)\d{1,2})?(?=\/|$)/g;

/**
 * Whether a run of characters looks like encoded random data. Names in Kubernetes have no upper case, and identifiers in
 * code seldom have digits. A digest or ID of a container has a prefix.
 */
function looksRandom(run: string, hasPrefix: boolean): boolean {
  const name = run.replaceAll(API_VERSION, '');
  if (/[a-z]/.test(name) && /[A-Z]/.test(name) && /\d/.test(name)) return true;
  return !hasPrefix && /^[0-9a-f]{64,}$/i.test(run);
}

/** Replaces what looks like a secret: tokens, keys, PEM blocks, passwords in URLs, values of secret names. */
export const redactPatterns: RedactText = (text) =>
  RULES.reduce((rest, { pattern, replace }) => rest.replaceAll(pattern, replace), text);
