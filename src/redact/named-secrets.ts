/** Recognizes text from which a secret may not have been removed: it names one, next to unknown words. Pure functions. */
import { isPlainWord } from './plain-words.ts';
import { SECRET_NAMES, SECRET_WORDS } from './secret-names.ts';

/** Names of Secrets in messages of an API server. */
const OBJECT = /\bsecrets? "[a-z0-9.-]{1,253}" (?=not found|is forbidden|already exists)/gi;

/** A value that was replaced shows that a word before it is a name. */
const REPLACED_VALUE = /:[ \t]?(?=\(redacted)/g;
const REPLACED = /\(redacted[A-Z a-z]{0,10}\)/g;

const NAMED = new RegExp(SECRET_NAMES);
/** In a sentence, these words say what happened. */
const WORD_NAMED = new RegExp(SECRET_WORDS);
/** What has the form of a name, such as `DB_PASS`, `X-Auth`, `--sig`, `dbPass` and `pass=`. `auth:` alone may begin an error. */
const NAME_FORM = /^[("'`[{\\]*--?[A-Za-z]|[A-Za-z\d](?:_[A-Za-z]|-[A-Z])|[a-z\d][A-Z]|=|:./;

const isNamed = (word: string): boolean =>
  NAMED.test(word) || (WORD_NAMED.test(word) && NAME_FORM.test(word));

/** A name without a value, such as `--token-auth-file`, `clientSecret:` and `{"password":`. */
const NAME = /^[("'`[{\\]*-{0,2}[A-Za-z][A-Za-z_-]*(?:\.[A-Za-z_-]+)*[)"'`\]}\\,.;:=]*$/;

/** Number of words around a name that may be its value. */
const NEAR = { before: 5, after: 5 };

/**
 * Returns whether a text that was redacted may still contain a secret.
 * @param redacted one line, see `redactPatterns`
 */
export function mayHoldSecret(redacted: string): boolean {
  const words = redacted
    .replaceAll(OBJECT, ' ')
    .replaceAll(REPLACED_VALUE, '=')
    .replaceAll(REPLACED, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.some((word, index) => {
    if (!isNamed(word)) return false;
    const near = words.slice(Math.max(0, index - NEAR.before), index + NEAR.after + 1);
    return !near.every(isPlain);
  });
}

const EDGES = /^[("'`[{]+|[)"'`\]},.;:]{1,8}$/g;
const FLAG = /^--?[A-Za-z][A-Za-z-]{0,63}=?$/;
const SIGNS = /^[^A-Za-z0-9]*$/;

function isPlain(word: string): boolean {
  if (isNamed(word)) return NAME.test(word);
  const bare = word.replaceAll(EDGES, '');
  return SIGNS.test(bare) || FLAG.test(bare) || isPlainWord(bare);
}
