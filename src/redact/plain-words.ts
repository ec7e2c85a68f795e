/** Words of error messages. Pure. */

/** Any other word next to the name of a secret may be its value. */
const WORDS: ReadonlySet<string> = new Set(
  `a account accounts admission algorithm all also an and any api apiserver are as at auth authenticate authentication authorization be bearer
  because been both but by can cannot certificate chain client command config configuration controller could data decode decoded
  decoding default denied deprecated does duplicate either empty encoded error errors etcd exist exists expected expired fail failed
  failing fails fetch field file files find flag flags for forbidden format found from get getting given has have header illegal in
  incorrect insecure instead invalid is it its issuer karmada key keys kubeconfig kubernetes length list load loaded loading long malformed
  match matching mismatch missing must name names namespace neither nil no none nor not null of off on one only open option or pair
  parse parsing path permission private provided public read reading refresh rejected request requests require required requires
  retrieve review server service set short should sign signing specified store string that the their this to together too type unable
  unauthorized unexpected unknown unset unsupported up use used user username using valid validate value values verify volume was were
  when which while with without wrong x509`.split(/\s+/),
);

/** Returns whether a word is part of error messages, and therefore no secret. */
export const isPlainWord = (word: string): boolean => WORDS.has(word.toLowerCase());
