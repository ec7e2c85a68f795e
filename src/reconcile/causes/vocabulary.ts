/** Parts of flags and environment variables that no quote contains. Pure functions, linear in the length of the values. */
import { decodedViews } from '../../redact/decoded-text.ts';
import { piecesOf, SHORTEST_VALUE } from '../../redact/exact-redaction.ts';
import { isSecretSetting } from '../../redact/secret-names.ts';
import { userInfoIn } from '../../redact/user-info.ts';

/** A flag or an environment variable. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  /** Its value is an ordinary text, of which only secrets are hidden. */
  readonly isText?: true;
}

const PLAIN_PATH = /^\/[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,16}$/;
const SWITCH = /^(?:true|false)$/;
const SWITCH_OR_NUMBER = /^(?:true|false|[\d.]{1,16}(?:ns|us|ms|s|m|h|[KMGT]i?)?)$/;

/** Whether a flag often has the value, which is not secret: a switch, a number, a duration or the path of a file. */
const isPlain = (value: string): boolean => SWITCH_OR_NUMBER.test(value) || PLAIN_PATH.test(value);

/** Returns the paths of files among the values of flags, which may have one value per line. */
export const pathsIn = (flags: readonly Setting[]): readonly string[] =>
  flags
    .filter(({ name }) => !isSecretSetting(name))
    .flatMap(({ value }) => value.split('\n'))
    .filter((line) => PLAIN_PATH.test(line));

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
  const parts = isSecretSetting(name) ? partsOf(value) : [];
  // A connection string may be percent-encoded, or a string of JSON.
  const texts = decodedViews(value).map(({ text }) => text);
  const found = texts.flatMap((text) => [
    ...userInfoIn(text),
    ...namedIn(text).flatMap(partsOf),
    ...quotedIn(text).flatMap(partsOf),
  ]);
  return [...parts, ...found].filter((part) => !SWITCH.test(part));
}

const BRACKETS = /^["'([{]{1,8}|["')\]}]{1,8}$/g;

/** A secret, its words, and the password in `user:password`. */
function partsOf(secret: string): readonly string[] {
  const bare = secret.replaceAll(BRACKETS, '');
  const colon = bare.includes('//') ? -1 : bare.indexOf(':');
  const words = bare.split(/[\s,;=&]+/);
  return [secret, bare, ...words, ...(colon < 0 ? [] : [bare.slice(colon + 1)])];
}

/** Values in a connection string, in parameters of a URL or in an argument: `password=x`, `password: x`, `--password x`. */
function namedIn(text: string): readonly string[] {
  const tokens = text.replaceAll(/[ \t]{0,8}([:=])[ \t]{0,8}/g, '$1').split(/[\s,;&?]+/);
  return tokens.flatMap((token, index) => {
    const [before = ''] = tokens.slice(Math.max(0, index - 1), index);
    return [...afterName(token), ...(announces(before) && !token.startsWith('-') ? [token] : [])];
  });
}

/** Rest of a text after the first name of a secret. The host of a URL is no name. */
function afterName(token: string): readonly string[] {
  let start = 0;
  for (const { index } of token.matchAll(/[:=]/g)) {
    const name = token.slice(start, index);
    if (!name.startsWith('//') && isSecretSetting(name)) return [token.slice(index + 1)];
    start = index + 1;
  }
  return [];
}

/** Whether the next word is a secret: after a flag, and after the scheme in `Authorization: Bearer x`. */
const announces = (word: string): boolean =>
  /(?:^|[:=])(?:bearer|basic|token)$/i.test(word.slice(-64)) ||
  (word.startsWith('-') && !/[:=]/.test(word) && isSecretSetting(word));

const QUOTED =
  /(?<![\w.-])([\w.-]{1,64})["']?[ \t]{0,8}[:=][ \t]{0,8}(["'])((?:\\.|(?!\2)[^\\\n]){1,1024})\2/g;

/** Values in quotes, which may contain spaces. */
const quotedIn = (text: string): readonly string[] =>
  [...text.matchAll(QUOTED)].flatMap(([, name = '', , value = '']) =>
    isSecretSetting(name) ? [value, value.replaceAll(/\\(.)/g, '$1')] : [],
  );
