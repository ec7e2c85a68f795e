/** Decides the next step of one rotation, by its phase: pure. */
import { without } from '../../etcd-cluster/recovery/without.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import type { RotationPhase } from './authority.ts';
import type { Obstacles } from './facts.ts';
import { awaitedKey } from './custom-key.ts';
import { missingRoot } from './missing-root.ts';
import { sharedToEdit } from './object-proofs.ts';
import { KUBELET_MS, type Lack } from './proofs.ts';
import {
  publicationOf,
  withPublication,
  withRotation,
  type Rotation,
  type RotationRecord,
} from './record.ts';
import { listed, overlapHold, titleOf } from './phase-text.ts';
import type { RotationRules, RuleInput } from './rules.ts';
import { hold, type RotationHold, type RotationStep } from './step.ts';
import { unexpectedActive } from './unexpected-active.ts';

interface PhaseInput extends RuleInput {
  readonly obstacles: Obstacles;
  readonly rules: RotationRules;
}

type Decision = RotationStep | RotationHold;

/** No event signals what a Pod accepts or presents. */
const RETRY_MS = 10_000;

/** Returns the next step of a rotation, or why there is none. */
export function phaseStep(input: PhaseInput): Decision {
  const { rotation, facts, rules } = input;
  const { phase, writtenAt } = rotation;
  const missing = unexpectedActive(input) ?? missingRoot(input);
  if (missing !== undefined) return missing;
  const writes = rules.writes(rotation, facts);
  if (writes.length > 0) return write(input, writes);
  if (writtenAt === undefined) return allWritten(input);
  return PHASES[phase](input);
}

const PHASES: Readonly<Record<RotationPhase, (input: PhaseInput) => Decision>> = {
  Preparing: prepare,
  Switching: switchOver,
  Overlap: overlap,
  Completing: complete,
};

function write(input: PhaseInput, writes: ReturnType<RotationRules['writes']>): Decision {
  const { rotation, facts } = input;
  const names = new Set(writes.map(({ name }) => name));
  const paused = [...facts.secrets, facts.backup].filter(
    ({ name, isPaused }) => isPaused && names.has(name),
  );
  if (paused.length > 0)
    return pausedHold(
      rotation,
      paused.map(({ name }) => `Secret ${name}`),
    );
  const isChanged =
    rotation.writtenAt !== undefined && writes.some(({ kind }) => kind === 'secret');
  if (isChanged || isReplaced(input) || isWithdrawn(input)) return beginAgain(input);
  const message = `${titleOf(rotation)}: ${[...names].join(', ')}: written for ${rotation.phase}`;
  return { kind: 'write', authority: rotation.authority, writes, message };
}

/** Whether others have changed certificates that each Pod was proven to use. */
const isReplaced = ({ rotation: { used, to }, facts }: PhaseInput): boolean =>
  used === true && facts.secrets.some(({ signer }) => signer !== to);

/** Pods may have started with what others wrote: the times from which proofs count begin again. */
function beginAgain(input: PhaseInput): Decision {
  const { record: all, now } = input;
  const rotation = isReplaced(input) ? replaced(input) : input.rotation;
  const { authority, to } = rotation;
  const known = isWithdrawn(input) ? withPublication(all, { authority, root: to, at: now }) : all;
  const what = 'Secrets were changed by others';
  return record({ ...input, record: known }, without(rotation, 'writtenAt'), what);
}

/** A Pod that starts with such a certificate is refused by those that have completed. While none has, the overlap begins again. */
function replaced({ rotation, facts, now }: PhaseInput): Rotation {
  const { from } = rotation;
  const unproven = without(rotation, 'used');
  const isTrusted = facts.secrets.every(({ bundle }) => bundle?.includes(from) ?? true);
  return rotation.phase === 'Completing' && isTrusted
    ? { ...without(unproven, 'next'), phase: 'Overlap', since: now, completion: 'confirmed' }
    : unproven;
}

/** Whether a Secret lacks the new root, although all of them are known to have had it before this phase. */
function isWithdrawn({ rotation, facts, record: all }: PhaseInput): boolean {
  const { phase, since, to } = rotation;
  if (phase !== 'Preparing' || facts.secrets.every(({ bundle }) => bundle?.includes(to) ?? true))
    return false;
  const known = publicationOf(all, rotation);
  return known === undefined ? facts.sinceCreation.includes(to) : known.at < since;
}

function allWritten(input: PhaseInput): Decision {
  const { rotation, record: all, now } = input;
  const { authority, since, to } = rotation;
  const known = publicationOf(all, rotation);
  const isAgain = known !== undefined && known.at >= since;
  const next = isAgain ? withPublication(all, { authority, root: to, at: now }) : all;
  return record(
    { ...input, record: next },
    { ...rotation, writtenAt: now },
    'all Secrets are written',
  );
}

const pausedHold = (rotation: Rotation, names: readonly string[]): RotationHold =>
  hold(
    'RotationPaused',
    `${titleOf(rotation)}: ${listed(names)}: paused by the annotation ${PAUSE_REPAIR}=true; take it off`,
    { waitingFor: names },
  );

/** Writes another state of the rotation. */
function record({ record: all, rotation }: PhaseInput, next: Rotation, what: string): RotationStep {
  const message = `${titleOf(rotation)}: ${what}`;
  return { kind: 'record', record: withRotation(all, rotation.authority, next), message };
}

/** Starts the next phase, unless something else is under way. */
function enter(input: PhaseInput, phase: RotationPhase, more: Partial<Rotation> = {}): Decision {
  const { rotation, now } = input;
  const next = { ...without(rotation, 'writtenAt'), phase, since: now, ...more };
  return gate(input) ?? record(input, next, `${phase} begins`);
}

/** Changes of the phase, and restarts, exclude each other change of the control plane. */
function gate({ rotation, facts, obstacles }: PhaseInput): RotationHold | undefined {
  const title = titleOf(rotation);
  const paused = [
    ...[...facts.secrets, facts.backup].map((one) => ({ ...one, name: `Secret ${one.name}` })),
    ...facts.pods.items.map((one) => ({ ...one, name: `Pod ${one.name}` })),
  ].filter(({ isPaused }) => isPaused);
  if (paused.length > 0)
    return pausedHold(
      rotation,
      paused.map(({ name }) => name),
    );
  if (obstacles.otherChange !== undefined)
    return hold('OtherChangeInProgress', `${title}: waits until ${obstacles.otherChange} ends`);
  if (obstacles.notReady !== undefined)
    return hold(
      'ControlPlaneNotReady',
      `${title}: the control plane is not ready (${obstacles.notReady})`,
    );
  return undefined;
}

/** Restarts what a restart brings forward. @returns undefined if nothing is lacking */
function lackStep(input: PhaseInput, lacks: readonly Lack[]): Decision | undefined {
  if (lacks.length === 0) return undefined;
  const { rotation, now } = input;
  const settledAt = (rotation.writtenAt ?? now) + KUBELET_MS;
  const pods = new Set(lacks.flatMap(({ outdated }) => outdated?.name ?? []));
  if (pods.size === 0 || now < settledAt)
    return waiting(rotation, lacks, now < settledAt ? settledAt : now + RETRY_MS);
  const [title, names] = [titleOf(rotation), [...pods]];
  const message = `${title}: restart of ${names.join(', ')}`;
  return gate(input) ?? { kind: 'restart', authority: rotation.authority, pods: names, message };
}

function waiting(rotation: Rotation, lacks: readonly Lack[], dueAt: number): RotationHold {
  const parties = [...new Set(lacks.map(({ party }) => party))];
  const [first] = lacks;
  const message = `${titleOf(rotation)}: ${first ? `${first.party} ${first.why}` : ''}`;
  return hold(rotation.phase, message, { waitingFor: parties, dueAt });
}

function prepare(input: PhaseInput): Decision {
  const { rotation, rules } = input;
  const { from, to, returns } = rotation;
  if (returns) return lackStep(input, rules.used(input, from)) ?? end(input, to);
  return lackStep(input, rules.trusted(input)) ?? awaitedKey(input) ?? enter(input, 'Switching');
}

function switchOver(input: PhaseInput): Decision {
  const { rotation, rules } = input;
  const { writtenAt } = rotation;
  // The certificates stay those of this phase, and so does the time from which proofs count.
  return (
    lackStep(input, rules.used(input, rotation.to)) ??
    enter(input, 'Overlap', writtenAt === undefined ? {} : { writtenAt })
  );
}

/** Whether the time of an overlap that takes one is over, and the record does not say so yet. */
const isOver = ({ rotation: { authority, completion }, policy }: PhaseInput): boolean =>
  completion === undefined && policy.overlapMs[authority] > 0;

function overlap(input: PhaseInput): Decision {
  const { rotation, rules, facts } = input;
  const rest = rules.overlap(input);
  if (rest !== undefined) return overlapHold(input, rest);
  // From now on, Pods are asked, and for `ca` kube-controller-manager is.
  if (isOver(input))
    return record(input, { ...rotation, completion: 'confirmed' }, 'the overlap is over');
  // A Pod that still presents the former root would be refused by those that have completed.
  const lack = lackStep(input, rules.used(input, rotation.to));
  const next = rotation.custom ? undefined : facts.backup.successor?.sha256;
  return lack ?? enter(input, 'Completing', { used: true, ...optionalField('next', next) });
}

function complete(input: PhaseInput): Decision {
  const { rotation, rules, facts } = input;
  const lacks = rules.refused(input);
  const shared = sharedToEdit(facts, rotation);
  // Aggregated API servers trust what is in the ConfigMap. An API server that trusts the former root would add it again.
  const isFilled = lacks.some(({ component = 'apiserver' }) => component === 'apiserver');
  if (shared !== undefined && !isFilled) {
    const { authority, from } = rotation;
    const message = `${titleOf(rotation)}: ${shared.name} no longer contains the former root`;
    return { kind: 'editShared', authority, name: shared.name, without: from, message };
  }
  return lackStep(input, [...lacks, ...rules.unnamed(input)]) ?? end(input, rotation.next);
}

/** Ends the rotation. @param published the successor that all Secrets contain */
function end(
  { record: all, rotation, facts }: PhaseInput,
  published: string | undefined,
): RotationStep {
  const { authority, writtenAt } = rotation;
  const rest: RotationRecord = withRotation(all, authority, undefined);
  const isKnown =
    published === undefined ||
    writtenAt === undefined ||
    facts.sinceCreation.includes(published) ||
    all.published.some(({ root }) => root === published);
  const message = `${titleOf(rotation)}: ended`;
  if (isKnown) return { kind: 'record', record: rest, message };
  const publication = { authority, root: published, at: writtenAt };
  return { kind: 'record', record: withPublication(rest, publication), message };
}
