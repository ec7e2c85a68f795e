/** Words that texts for users do not use, because the documentation of Kubernetes, etcd or X.509 has another term. */

interface BannedTerm {
  /** Regular expression for whole words; a space stands for any white space. */
  readonly pattern: string;
  /** Term to use. */
  readonly use: string;
}

const PEOPLE: readonly BannedTerm[] = [
  {
    pattern: '(?:some|no|any|every)body|who(?:so)?ever|someone|anyone|no one',
    use: 'the actor: user, operator, another controller',
  },
  { pattern: 'elder|younger', use: 'created earlier, created later' },
];

const STATES: readonly BannedTerm[] = [
  { pattern: 'wish(?:e[sd])?|wished for|what is to be so', use: 'desired state' },
  { pattern: 'h[eo]ld[s]? back|holding back', use: 'blocked change; the operator does not apply' },
  { pattern: 'h[eo]ld[s]? (?:up|nothing up)|holding up', use: 'delays' },
  { pattern: 'pass(?:es|ed)? over', use: 'reconcile; skipped' },
  { pattern: '(?:taken?|takes|took|taking) up(?! to)', use: 'applied, picked up, reloaded' },
  { pattern: 'begun|came to be|comes to be|came of it', use: 'started, result' },
  { pattern: 'wanted', use: 'desired, required' },
  { pattern: 'stands? for|stood for|what becomes of', use: 'describes; what happens to' },
  { pattern: 'signs? of life', use: 'existing data' },
  { pattern: 'memory at rest', use: 'idle memory' },
  { pattern: 'unserved|dead hosts?', use: 'not ready; unreachable' },
  { pattern: 'in vain|in no time', use: 'failed attempts; a duration' },
  { pattern: '(?:gone )?for good', use: 'permanently lost' },
  { pattern: 'lanes?', use: 'queue partition' },
];

const ACTIONS: readonly BannedTerm[] = [
  { pattern: '(?:look|looks|looked|looking) (?:at|into)', use: 'check, probe, poll' },
  { pattern: 'told|tells?|telling', use: 'reports; is reported in a condition or Event' },
  { pattern: '(?:puts?|putting|sets?|setting) (?:it )?right', use: 'fix, repair, correct' },
  { pattern: 'mend(?:s|ed)?', use: 'fix; requires user action' },
  { pattern: 'anew', use: 'reissued, recreated, again' },
  { pattern: 'run(?:s|ning)? out(?! of)', use: 'expires' },
  { pattern: 'lets? (?:\\w+ )?go|letting go', use: 'stop waiting; remove the finalizer' },
  { pattern: 'switch(?:es|ed)? (?:it )?off', use: 'disable' },
  { pattern: 'tak(?:es?|en) (?:\\w+ )?away', use: 'delete, remove, revoke' },
  { pattern: 'hurr(?:y|ies|ied)', use: 'delete with a shorter grace period' },
  { pattern: 'vouch(?:es|ed)?(?: for)?', use: 'signed by a CA in ca.crt' },
  { pattern: 'hands off|laid ready', use: 'pause reconciliation; preloaded' },
  { pattern: 'by hand', use: 'manually' },
];

const THINGS: readonly BannedTerm[] = [
  { pattern: '(?<!certificate |certificate-)authorit(?:y|ies)', use: 'certificate authority (CA)' },
  { pattern: 'CAs? above', use: 'intermediate CA' },
  { pattern: '(?<!decompression )bombs?', use: 'decompression bomb' },
  {
    pattern: 'ways? (?:in|into|there|back|out)',
    use: 'credentials, dialer, network path, rollback',
  },
  { pattern: 'on the way', use: 'in transit, in the network path' },
  { pattern: 'way from outside', use: 'external access' },
  { pattern: 'at home', use: 'management cluster' },
  {
    pattern: '(?:narrow|wide) (?:accounts?|rights|access)',
    use: 'least privilege, RBAC permissions',
  },
  { pattern: 'beside', use: 'in the same Namespace, next to, in addition to' },
  { pattern: 'in the place of', use: 'instead of' },
  { pattern: 'fault of its own|own fault', use: 'internal error, bug' },
];

/** American spelling, as in the documentation of Kubernetes. */
const SPELLING: readonly BannedTerm[] = [
  { pattern: '(?:mis)?behaviours?|neighbours?|colours?|honours?|favours?', use: '-or' },
  { pattern: 'cancell(?:ed|ing)|labell(?:ed|ing)', use: 'canceled, labeled' },
  { pattern: 'licences?', use: 'license' },
  { pattern: '(?:normal|serial|recogn|initial|author|organ|summar)is(?:e[sd]?|ing)', use: '-ize' },
];

const BANNED = [...PEOPLE, ...STATES, ...ACTIONS, ...THINGS, ...SPELLING].map(
  ({ pattern, use }) => ({
    expression: new RegExp(
      String.raw`(?<![\w-])(?:${pattern.replaceAll(' ', String.raw`\s+`)})(?![\w-])`,
      'gi',
    ),
    use,
  }),
);

interface BannedWord {
  /** Offset in the text. */
  readonly at: number;
  readonly found: string;
  /** Term to use. */
  readonly use: string;
}

/** Finds banned words as whole words, in upper or lower case. */
export function bannedIn(text: string): readonly BannedWord[] {
  return BANNED.flatMap(({ expression, use }) =>
    [...text.matchAll(expression)].map((match) => ({ at: match.index, found: match[0], use })),
  );
}
