/** Recognizes text from which a secret may not have been removed: it names one, next to unknown words. Pure functions. */
import { SECRET_NAMES } from './redact-text.ts';

/** Words of error messages. Any other word next to the name of a secret may be its value. */
const WORDS: ReadonlySet<string> = new Set(
  `a account accounts admission all also an and any api apiserver are as at auth authenticate authentication authorization be bearer
  because been both but by can cannot certificate chain client command config configuration controller could data decode decoded
  decoding default denied deprecated does duplicate either empty encoded error errors etcd exist exists expected expired fail failed
  failing fails fetch field file files find flag flags for forbidden format found from get getting given has have header illegal in
  incorrect instead invalid is it its issuer karmada key keys kubeconfig kubernetes length list load loaded loading long malformed
  match matching mismatch missing must name names namespace neither nil no none nor not null of off on one only open option or pair
  parse parsing path permission private provided public read reading refresh rejected request requests require required requires
  retrieve review server service set short should sign signing specified store string that the their this to together too type unable
  unauthorized unexpected unknown unset unsupported up use used user username using valid validate value values verify volume was were
  when which while with without wrong x509`.split(/\s+/),
);

/** Names of Secrets in messages of an API server. */
const OBJECT = /\bsecrets? "[a-z0-9.-]{1,253}" (?=not found|is forbidden|already exists)/gi;

const REPLACED = /\(redacted[A-Z a-z]{0,10}\)/g;

const NAMED = new RegExp(SECRET_NAMES, 'i');

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
    .replaceAll(REPLACED, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.some((word, index) => {
    if (!NAMED.test(word)) return false;
    const near = words.slice(Math.max(0, index - NEAR.before), index + NEAR.after + 1);
    return !near.every(isPlain);
  });
}

const EDGES = /^[("'`[{]+|[)"'`\]},.;:]{1,8}$/g;
const FLAG = /^--?[A-Za-z][A-Za-z-]{0,63}=?$/;
const SIGNS = /^[^A-Za-z0-9]*$/;

function isPlain(word: string): boolean {
  if (NAMED.test(word)) return NAME.test(word);
  const bare = word.replaceAll(EDGES, '');
  return SIGNS.test(bare) || FLAG.test(bare) || WORDS.has(bare.toLowerCase());
}
