/** Names whose values are secret. Pure. */

/**
 * Pattern that ignores the case of its letters, which are no part of an escape sequence. An expression that ignores the case as a whole
 * cannot contain `wordPattern`, and modifiers of groups are not reliable (scripts/lint/pattern-modifiers.ts).
 */
export const anyCase = (pattern: string): string =>
  pattern.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** At the end of a longer name too, such as `clientSecret`. */
const PARTS = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'credentials?',
  'client-key-data',
  'api[_-]?key',
  'access[_-]?key(?:[_-]?id)?',
  'private[_-]?key',
  'signing[_-]?key',
  'cookie',
];

/** Only as words of a name, such as `DB_PASS`: they are also parts of other words, such as `bypass` and `author`. */
const WORDS = ['pass', 'auth', 'sig', 'signature'];

/** After the last word of a part of a name: no letter that continues it. */
const WORD_END = String.raw`[sS]?\d{0,3}(?![a-z]|(?<=[A-Z])[A-Z])`;

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** Pattern of words in `snake_case`, `kebab-case`, `camelCase` and upper case. */
function wordPattern(words: readonly string[]): string {
  const capitals = words.map(capital);
  const all = [...words, ...capitals, ...words.map((word) => word.toUpperCase())].join('|');
  // A line break in a string of JSON ends with a letter.
  const start = String.raw`(?:(?<=^|[^A-Za-z]|\\[nrt])(?:${all})|(?<=[A-Za-z\d])(?:${capitals.join('|')}))`;
  return `${start}${WORD_END}`;
}

/** Pattern of names whose values are secret, for expressions that depend on the case. */
export const SECRET_NAMES = [anyCase(PARTS.join('|')), wordPattern(['pw'])].join('|');

/** Pattern of words that mark a secret as a part of a name, and are ordinary words in a sentence. */
export const SECRET_WORDS = wordPattern(WORDS);

/** Last words of names of settings that say where a secret is, how long it lasts, or how it is used. */
const ABOUT_SECRETS: ReadonlySet<string> = new Set(
  `age burst bytes count dir directory duration enabled expiration expiry file files folder interval length lifetime limit minutes path
  period port qps retries seconds size sock socket syncs timeout ttl version`.split(/\s+/),
);

/** Other words that end with `pass`. */
const NO_PASS = String.raw`(?<!(?:(?<![A-Za-z])|(?<=[a-z\d])(?=[A-Z]))(?:${anyCase('by|com|encom|over|sur|tres|under')}))`;

/** At the end of a word of a name, such as `PGPASS`, `requirepass` and `masterauth`. */
const WORD_ENDS = `(?:${NO_PASS}${anyCase('pass')}|${anyCase('passcode')}|(?<![oO])${anyCase('auth')})${WORD_END}`;

const SETTING = new RegExp(
  `${SECRET_NAMES}|${SECRET_WORDS}|${wordPattern(['pin', 'otp'])}|${WORD_ENDS}`,
);

/** Name of a key, such as `HMAC_KEY`, `encryption-key` and `AccountKey`. */
const KEY = /(?:(?<=[A-Za-z\d][_.-]{1,8})(?:[Kk]ey|KEY)|(?<=[a-z\d])Key)[Ss]?[^A-Za-z]{0,8}$/;
const PUBLIC_KEY = /pub(?:lic)?[_.-]{0,8}keys?[^A-Za-z]{0,8}$/i;

const isSecretKey = (name: string): boolean => KEY.test(name) && !PUBLIC_KEY.test(name);

const PLAIN_PATH = /^\/[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,16}$/;

/** Whether a value is the path of a file, which has no spaces and other signs. */
export const isPlainPath = (value: string): boolean => PLAIN_PATH.test(value);

/**
 * Returns whether the value of a flag, of an environment variable or in a connection string is secret, whatever it looks like. That of a
 * key may be the path of its file.
 * @param value may have several lines
 */
export function isSecretSetting(name: string, value: string): boolean {
  if (!SETTING.test(name)) return isSecretKey(name) && !value.split('\n').every(isPlainPath);
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '-').split(/[^A-Za-z]+/);
  return !ABOUT_SECRETS.has(words.findLast(Boolean)?.toLowerCase() ?? '');
}
