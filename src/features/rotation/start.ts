/** Decides whether a rotation starts: pure. One request is under way at a time; the next one waits for its end. */
import { dueTime } from '../../pki/reissue-rules.ts';
import type { RotationAuthority } from './authority.ts';
import { automaticRequest } from './due.ts';
import type { AuthorityFacts, CustomFacts, RootFacts, RotationFacts } from './facts.ts';
import { withExecuted, type Rotation, type RotationRecord } from './record.ts';
import { isExecuted, ROTATE_ANNOTATION, type RotateRequest } from './requests.ts';
import { RULES, type RotationRules } from './rules.ts';
import { hold, type RotationDecision, type RotationHold } from './step.ts';

/** Facts with a valid record. */
export type KnownFacts = RotationFacts & { readonly record: RotationRecord };

/** Returns the request that starts next: that of the user, else the first CA that is due. */
export function nextRequest(facts: KnownFacts): RotateRequest | undefined {
  const { record, requests, policy } = facts;
  if (requests.rotate !== undefined && !isExecuted(record, requests.rotate)) return requests.rotate;
  if (policy.authorities === 'OnRequest') return undefined;
  return facts.authorities
    .filter((one) => isDue(one, facts))
    .map(({ authority, active, custom }) => automaticRequest(authority, custom?.offer ?? active))
    .find((request) => !isExecuted(record, request));
}

function isDue(
  { authority, active, custom }: AuthorityFacts,
  { now, obstacles }: KnownFacts,
): boolean {
  if (authority === 'service-account-key') return false;
  // Nobody has requested it, so there is no annotation to take off.
  if (obstacles.unsupported?.has(authority)) return false;
  if (custom !== undefined) return custom.offer !== undefined;
  return now >= dueTime(active.notBefore, active.notAfter);
}

/** Returns what the next request rotates if it begins now; empty if it does not. */
export function beginningAuthorities(facts: RotationFacts): readonly RotationAuthority[] {
  const { record, obstacles } = facts;
  if ('fault' in record || record.rotations.length > 0) return [];
  if (obstacles.isSuspended || obstacles.unobserved !== undefined) return [];
  const known = { ...facts, record };
  const { kind } = startStep(known, RULES);
  return kind === 'record' || kind === 'write' ? (nextRequest(known)?.authorities ?? []) : [];
}

/** Returns the step that starts the next request. */
export function startStep(facts: KnownFacts, rules: RotationRules): RotationDecision {
  const request = nextRequest(facts);
  if (request === undefined) return { kind: 'nothing' };
  const refusal = refusalOf(request, facts) ?? delayOf(facts);
  if (refusal !== undefined) return refusal;
  const rotations = new Array<Rotation>();
  for (const one of facts.authorities.filter(({ authority }) => isNamed(request, authority))) {
    const { backup, custom } = one;
    const successor = successorOf(one, facts, rules);
    if (successor === undefined) return custom ? unfitCustom(custom) : newSuccessor(one);
    if (backup.isPaused) return pausedBackup(backup.name);
    const { authority, active } = one;
    rotations.push({
      ...{ authority, phase: 'Preparing', since: facts.now },
      ...{ from: active.sha256, to: successor.sha256 },
      ...(custom && { custom: true }),
    });
  }
  const record = withExecuted({ ...facts.record, rotations }, request.recorded);
  return {
    kind: 'record',
    record,
    message: `rotation of ${request.authorities.join(', ')} begins`,
  };
}

const isNamed = ({ authorities }: RotateRequest, authority: RotationAuthority): boolean =>
  authorities.includes(authority);

/** The successor, if it can sign until the next one takes its place. */
function successorOf(
  { authority, active, backup, custom }: AuthorityFacts,
  { now, policy }: KnownFacts,
  rules: RotationRules,
): RootFacts | undefined {
  const { keys } = backup;
  const successor = custom === undefined ? backup.successor : custom.offer;
  if (successor === undefined || successor.sha256 === active.sha256) return undefined;
  const isFit = rules.isFit(successor, active, now + policy.overlapMs[authority]);
  // The private key of a custom CA may follow.
  const hasKey = custom !== undefined || keys.includes(successor.sha256);
  return isFit && hasKey ? successor : undefined;
}

/** What else is wrong with it is an obstacle. */
const unfitCustom = ({ secret = '' }: CustomFacts): RotationHold =>
  hold(
    'RotationUnsupported',
    `ca: Secret ${secret}: the other CA certificate in tls.crt expires before the overlap would end; store one that expires later`,
  );

function newSuccessor({ authority, backup: { name, isPaused } }: AuthorityFacts): RotationDecision {
  if (isPaused) return pausedBackup(name);
  const writes = [{ kind: 'createSuccessor' as const, name }];
  return {
    kind: 'write',
    authority,
    writes,
    message: `${authority}: Secret ${name}: new successor`,
  };
}

const pausedBackup = (name: string): RotationHold =>
  hold(
    'RotationPaused',
    `Secret ${name}: paused by its annotation; take it off to start the rotation`,
    {
      waitingFor: [`Secret ${name}`],
    },
  );

/** Why the request is wrong for this control plane. */
function refusalOf(request: RotateRequest, facts: KnownFacts): RotationHold | undefined {
  const { obstacles, authorities } = facts;
  const kept = request.authorities.find((name) => obstacles.unsupported?.has(name));
  if (kept !== undefined)
    return hold(
      'RotationUnsupported',
      `${kept}: ${obstacles.unsupported?.get(kept) ?? ''}; take the annotation ${ROTATE_ANNOTATION} off the Karmada, or request another rotation`,
    );
  const absent = request.authorities.find((name) =>
    authorities.every(({ authority }) => authority !== name),
  );
  return absent === undefined
    ? undefined
    : hold(
        'RotationRequestInvalid',
        `annotation ${ROTATE_ANNOTATION}: the control plane has no ${absent} of the operator; take the name out of the value`,
      );
}

function delayOf({ obstacles }: KnownFacts): RotationHold | undefined {
  if (obstacles.otherChange !== undefined)
    return hold('OtherChangeInProgress', `the rotation starts when ${obstacles.otherChange} ends`);
  return obstacles.notReady === undefined
    ? undefined
    : hold(
        'ControlPlaneNotReady',
        `the rotation starts when the control plane is ready (${obstacles.notReady})`,
      );
}
