/** The operator of the model: what it observes, and how it executes a step, possibly only a prefix of it. */
import type { Answer, AuthorityFacts, PodFacts, RotationFacts } from '../facts.ts';
import { AUTOMATIC } from './facts.ts';
import { nextRotationStep } from '../next-step.ts';
import { parseRecord } from '../parse-record.ts';
import { formatRecord, type RotationRecord } from '../record.ts';
import { requestsIn } from '../requests.ts';
import type { RotationRules } from '../rules.ts';
import type { RotationDecision, RotationWrite } from '../step.ts';
import { adoptKey, customFacts, storedSuccessor } from './model-custom.ts';
import { LEAF_MS, presentedBy, type ModelPod, type Root, type World } from './model-world.ts';

/** What the operator saw, with the versions that its writes have as precondition. */
export interface Seen {
  readonly facts: RotationFacts;
  readonly versions: ReadonlyMap<string, number>;
}

const BACKUP = 'ca-backup';

/** @param silent names of Pods that do not answer */
export function observe(world: World, silent: ReadonlySet<string> = new Set()): Seen {
  const versions = world.secrets.map(({ name, versions: all }) => [name, all.length] as const);
  return {
    facts: {
      ...{ now: world.now, monotonic: world.now },
      record: world.backup.record,
      requests: requestsIn(world.annotations),
      policy: {
        authorities: 'OnRequest',
        overlapMs: {
          ...{ ca: LEAF_MS + 10 * 60_000, 'etcd-ca': 0, 'front-proxy-ca': 0 },
          'service-account-key': LEAF_MS,
        },
        keysMs: world.keysMs,
        completion: AUTOMATIC,
      },
      obstacles: {},
      authorities: [authorityFacts(world, silent)],
    },
    versions: new Map([...versions, [BACKUP, world.backup.version]]),
  };
}

function authorityFacts(world: World, silent: ReadonlySet<string>): AuthorityFacts {
  const { backup, now, shared, authority } = world;
  const expected = new Map(world.pods.map(({ row }) => [row.component, countOf(world, row)]));
  const kcm = world.pods.find(({ row }) => row.component === 'kube-controller-manager');
  const active = rootOf(world, world.active());
  const next = storedSuccessor(world);
  const successor = next === undefined ? undefined : rootOf(world, next);
  return {
    authority,
    active,
    ...customFacts(world, (sha256) => rootOf(world, sha256)),
    secrets: world.secrets.map(({ name, versions }) => {
      const { signer = '', bundle = [] } = versions.at(-1) ?? {};
      return { name, signer, bundle };
    }),
    backup: {
      ...{ name: BACKUP, active: backup.active, keys: [...backup.keys] },
      ...{ crossSigned: [...backup.crossSigned], probes: [...backup.probes] },
      ...(successor && { successor }),
    },
    sinceCreation: world.sinceCreation,
    pods: { listedAt: now, items: world.pods.map((pod) => podFacts(world, pod, silent)), expected },
    objects: hasShared(world)
      ? [
          ...[{ name: 'ConfigMap', kind: 'shared' as const, roots: shared.roots }].map((one) => ({
            ...{ ...one, observedAt: now, changedAt: shared.changedAt },
          })),
        ]
      : [],
    ...(kcm &&
      !silent.has(kcm.name) && { signedRequest: { root: world.signerOf(kcm), observedAt: now } }),
  };
}

const hasShared = ({ authority }: World): boolean =>
  authority === 'ca' || authority === 'front-proxy-ca';

const countOf = ({ pods }: World, row: ModelPod['row']): number =>
  pods.filter((pod) => pod.row === row).length;

const rootOf = ({ roots }: World, sha256: string): Root =>
  roots.get(sha256) ?? { sha256, notBefore: 0, notAfter: 0 };

function podFacts(world: World, pod: ModelPod, silent: ReadonlySet<string>): PodFacts {
  const { name, row, startedAt } = pod;
  const own = { name, component: row.component, startedAt };
  if (silent.has(name)) return { ...own, probes: [], presented: [] };
  const observedAt = world.now;
  const trust = new Set(world.trustOf(pod));
  return {
    ...own,
    probes: row.question
      ? [...world.roots.keys()].map((root) => ({
          ...{ root, observedAt, answer: answerOf(row.question, trust.has(root)) },
        }))
      : [],
    presented: (row.presents ?? []).map((endpoint) => ({
      ...{ endpoint, observedAt, root: presentedBy(pod) },
    })),
  };
}

function answerOf(question: ModelPod['row']['question'], isTrusted: boolean): Answer {
  if (question === 'forbiddenCall' || question === 'selfSubjectReview')
    return isTrusted
      ? { kind: 'status', status: question === 'forbiddenCall' ? 403 : 201, isNamed: true }
      : { kind: 'status', status: 401 };
  return isTrusted ? { kind: 'answered' } : { kind: 'closed' };
}

/** Decides on what was seen, possibly some time ago. */
export const decide = (world: World, seen: Seen, rules: RotationRules): RotationDecision =>
  nextRotationStep({ ...seen.facts, now: world.now, monotonic: world.now }, rules);

/** Executes a step. @param most number of writes or restarts before the operator crashes */
export function execute(world: World, step: RotationDecision, seen: Seen, most = Infinity): void {
  if (most === 0) return;
  if (step.kind === 'record') writeRecord(world, step.record, seen);
  if (step.kind === 'editShared') editShared(world, step.without);
  if (step.kind === 'restart') restart(world, step.pods.slice(0, most));
  if (step.kind === 'write') writeAll(world, step.writes.slice(0, most), seen);
}

function editShared(world: World, without: string): void {
  const roots = world.shared.roots.filter((root) => root !== without);
  Object.assign(world.shared, { roots, changedAt: world.now });
  world.pass(0);
}

function restart(world: World, names: readonly string[]): void {
  for (const pod of world.pods.filter(({ name }) => names.includes(name))) world.restart(pod, 0);
}

function writeAll(world: World, writes: readonly RotationWrite[], seen: Seen): void {
  const done = new Set<string>();
  for (const one of writes) {
    if (!done.has(one.name) && isChanged(world, one.name, seen)) return;
    done.add(one.name);
    if (one.kind === 'secret') writeSecret(world, one);
    else writeBackup(world, one);
  }
}

function isChanged(world: World, name: string, { versions }: Seen): boolean {
  const secret = world.secrets.find((one) => one.name === name);
  return (secret?.versions.length ?? world.backup.version) !== versions.get(name);
}

function writeRecord(world: World, record: RotationRecord, seen: Seen): void {
  if (isChanged(world, BACKUP, seen)) return;
  const ended = world.backup.record.rotations.filter(
    ({ authority, phase }) =>
      phase === 'Completing' && record.rotations.every((one) => one.authority !== authority),
  );
  for (const { from } of ended) world.retired.add(from);
  const stored = parseRecord(formatRecord(record));
  if ('fault' in stored) throw new Error(`unreadable record: ${stored.fault}`);
  world.backup.record = stored;
  world.backup.version += 1;
}

function writeSecret(
  world: World,
  { name, content }: Extract<RotationWrite, { readonly kind: 'secret' }>,
): void {
  if (!world.backup.keys.has(content.signer)) throw new Error('signs with a key that is gone');
  const secret = world.secrets.find((one) => one.name === name);
  secret?.versions.push({ ...content, at: world.now });
}

function writeBackup(world: World, one: Exclude<RotationWrite, { readonly kind: 'secret' }>): void {
  const { backup } = world;
  backup.version += 1;
  if (one.kind === 'prepareBackup') {
    if (!backup.keys.has(one.by)) throw new Error('certifies with a key that is gone');
    backup.probes.add(one.by);
    adoptKey(world, one.root);
    if (backup.keys.has(one.root)) backup.crossSigned.push({ root: one.root, by: one.by });
  }
  if (one.kind === 'activateInBackup') backup.active = one.root;
  if (one.kind === 'forgetKey') backup.keys.delete(one.root);
  if (one.kind !== 'createSuccessor') return;
  if (world.isCustom) throw new Error('creates a successor of a CA of the user');
  // The Secret has one place for a successor.
  if (backup.successor !== undefined && backup.successor !== backup.active)
    backup.keys.delete(backup.successor);
  backup.successor = world.newRoot();
  backup.keys.add(backup.successor);
}
