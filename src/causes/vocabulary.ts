/** Parts of flags and environment variables that no quote contains. Pure functions, linear in the length of the values. */
import { decodedViews } from '../redact/decoded-text.ts';
import { piecesOf, SHORTEST_VALUE } from '../redact/exact-redaction.ts';
import { isPlainPath, isSecretSetting } from '../redact/secret-names.ts';
import { userInfoIn } from '../redact/user-info.ts';

/** A flag or an environment variable. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  /** Its value is an ordinary text, of which only secrets are hidden. */
  readonly isText?: true;
}

/** What is no secret whatever the name: a switch, and the scheme of a URL. */
const NO_SECRET = /^(?:true|false|https?)$/;
const SWITCH_OR_NUMBER = /^(?:true|false|[\d.]{1,16}(?:ns|us|ms|s|m|h|[KMGT]i?)?)$/;

/** Whether a flag often has the value, which is not secret: a switch, a number, a duration or the path of a file. */
const isPlain = (value: string): boolean => SWITCH_OR_NUMBER.test(value) || isPlainPath(value);

/** Returns the paths of files among the values of flags, which may have one value per line. */
export const pathsIn = (flags: readonly Setting[]): readonly string[] =>
  flags
    .filter(({ name, value }) => !isSecretSetting(name, value))
    .flatMap(({ value }) => value.split('\n'))
    .filter(isPlainPath);

/** Returns the values and their parts that are hidden, in pieces that a text can be compared with. */
export function hiddenParts(settings: readonly Setting[]): ReadonlySet<string> {
  const parts = settings.flatMap((setting) => [...secretsIn(setting), ...unknownIn(setting)]);
  return new Set(parts.filter(({ length }) => length >= SHORTEST_VALUE).flatMap(piecesOf));
}

/** The value and its parts, unless they are plain. Any of them may be secret. */
function unknownIn({ value, isText }: Setting): readonly string[] {
  if (isText) return [];
  return [value, ...value.split(/[\s,;=]+/)].filter((part) => !isPlain(part));
}

/** What is secret whatever it looks like: a number or a path too. */
function secretsIn({ name, value }: Setting): readonly string[] {
  const parts = isSecretSetting(name, value) ? partsOf(value) : [];
  // A connection string may be percent-encoded, or a string of JSON.
  const texts = decodedViews(value).map(({ text }) => text);
  const found = texts.flatMap((text) => [
    ...userInfoIn(text),
    ...namedIn(text).flatMap(partsOf),
    ...quotedIn(text).flatMap(partsOf),
  ]);
  return [...parts, ...found].filter((part) => !NO_SECRET.test(part));
}

const BRACKETS = /^["'([{]{1,8}|["')\]}]{1,8}$/g;

/** Words of a secret, and what one of these signs or any of them separates, as in `id:secret` and `id|secret`. */
const SEPARATORS = [/[\s,;=&]+/, /[\s,;=&:]+/, /[\s,;=&|]+/, /[\s,;=&/]+/, /[\s,;=&:|/]+/];

/** A secret, its parts, and the password in `user:password`. */
function partsOf(secret: string): readonly string[] {
  const bare = secret.replaceAll(BRACKETS, '');
  const colon = bare.includes('//') ? -1 : bare.indexOf(':');
  const words = SEPARATORS.flatMap((separator) => bare.split(separator));
  return [secret, bare, ...words, ...(colon < 0 ? [] : [bare.slice(colon + 1)])];
}

/** Values in a connection string, in parameters of a URL or in an argument: `password=x`, `password: x`, `--password x`. */
function namedIn(text: string): readonly string[] {
  const tokens = text.replaceAll(/[ \t]{0,8}([:=])[ \t]{0,8}/g, '$1').split(/[\s,;&?]+/);
  return tokens.flatMap((token, index) => {
    const [before = ''] = tokens.slice(Math.max(0, index - 1), index);
    return [
      ...afterName(token),
      ...(!token.startsWith('-') && announces(before, token) ? [token] : []),
    ];
  });
}

/** Rest of a text after the first name of a secret. The host of a URL is no name. */
function afterName(token: string): readonly string[] {
  let start = 0;
  for (const { index } of token.matchAll(/[:=]/g)) {
    const name = token.slice(start, index);
    const value = token.slice(index + 1);
    if (!name.startsWith('//') && isSecretSetting(name, value)) return [value];
    start = index + 1;
  }
  return [];
}

/** Whether the next word is a secret: after a flag, and after the scheme in `Authorization: Bearer x`. */
const announces = (word: string, next: string): boolean =>
  /(?:^|[:=])(?:bearer|basic|token)$/i.test(word.slice(-64)) ||
  (word.startsWith('-') && !/[:=]/.test(word) && isSecretSetting(word, next));

const QUOTED =
  /(?<![\w.-])([\w.-]{1,64})["']?[ \t]{0,8}[:=][ \t]{0,8}(["'])((?:\\.|(?!\2)[^\\\n]){1,1024})\2/g;

/** Values in quotes, which may contain spaces. */
const quotedIn = (text: string): readonly string[] =>
  [...text.matchAll(QUOTED)].flatMap(([, name = '', , value = '']) =>
    isSecretSetting(name, value) ? [value, value.replaceAll(/\\(.)/g, '$1')] : [],
  );
