/** Formats a change preview as text (pure function). */
import { keysOf } from '../kubernetes/objects/records.ts';
import type { Versions } from '../api/karmada.ts';
import type { EtcdClusterStatus } from '../api/karmada.ts';
import { movedVersions, VERSION_SUBJECTS } from '../api/versions/versions.ts';
import { isWorkload } from '../components/workload.ts';
import { nameOf } from '../kubernetes/objects/object.ts';
import { printable } from './program/text.ts';
import type { Change, PlanSimulation } from './simulate-plan.ts';
import { etcdClusterLines } from './etcd-cluster-text.ts';
import type { Restarts } from './plan-restarts.ts';

export interface PlanFacts {
  /** `metadata.name` and namespace of the Karmada */
  readonly name: string;
  readonly namespace: string;
  readonly from: Versions;
  readonly to: Versions;
  /** Karmada releases to which the operator upgrades after `to`. */
  readonly next: readonly string[];
  readonly restarted: Restarts;
  /** Present etcd members; absent for an external etcd and a new control plane. */
  readonly etcdCluster?: EtcdClusterStatus;
  /** Certificates that would be reissued, each with the reason. */
  readonly issued: readonly string[];
  /** Secrets in other namespaces that the Karmada may not use. */
  readonly ungranted: readonly string[];
  /** Backup before the first step of an upgrade. */
  readonly backup: readonly string[];
  /** What happens if a step fails. */
  readonly failure: readonly string[];
  /** Parts that the preview does not check. */
  readonly remarks: readonly string[];
  /** Whether the operator makes the changes only after the Karmada is resumed. */
  readonly suspended: boolean;
}

/** Whether the operator would change something, or blocks or rejects a part of the change. */
export function hasChanges(
  { rounds, members = [], blockedChanges }: PlanSimulation,
  { issued, next, ungranted }: Pick<PlanFacts, 'issued' | 'next' | 'ungranted'>,
): boolean {
  return [rounds, members, blockedChanges, issued, next, ungranted].some((list) => list.length > 0);
}

/** Formats the preview; each line ends with a line break. */
export function planText(simulation: PlanSimulation, facts: PlanFacts): string {
  const { rounds, blockedChanges, waiting, members = [] } = simulation;
  const { name, namespace, next, etcdCluster, issued, ungranted, failure, remarks } = facts;
  const { backup } = facts;
  const steps = rounds.flatMap((round, index) =>
    grouped(round, restartedFirst(facts.restarted, rounds.slice(0, index))).map(
      (text, line) => `${line === 0 ? order(index) : '     '}${text}`,
    ),
  );
  const lines = [
    `Karmada ${namespace}/${name}${versionsText(facts)}`,
    ...(facts.suspended ? [SUSPENDED] : []),
    '',
    ...(steps.length > 0 ? steps : noSteps(simulation, facts)),
    ...section('Before the first step', backup),
    ...section('etcd members, one at a time', members),
    ...section('Reissued certificates', issued),
    ...section(
      'Blocked',
      blockedChanges.map(({ reason, message }) => `${reason}: ${message}`),
    ),
    ...section(
      'Waiting',
      waiting.map(({ message }) => message),
    ),
    ...section(
      'Afterwards',
      next.map((release) => `upgrade of Karmada to ${release}; this preview does not show it`),
    ),
    ...section('Rejected Secrets', ungranted),
    ...section('If a step fails', failure),
    ...section('Not checked', remarks),
    ...section(
      `Present etcd members (${etcdCluster?.observedTime ?? ''})`,
      etcdClusterLines(etcdCluster),
    ),
  ];
  return lines.map((line) => `${printable(line).trimEnd()}\n`).join('');
}

const SUSPENDED =
  'Suspended: the operator changes nothing until spec.suspend is false; these changes follow then.';

/** A preview without changed objects says so, unless sections below it list other changes. */
const noSteps = (simulation: PlanSimulation, facts: PlanFacts): readonly string[] =>
  hasChanges(simulation, facts) ? ['No changes of objects.'] : ['No changes.'];

const order = (index: number): string => `${String(index + 1).padStart(3)}  `;

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function versionsText({ from, to }: PlanFacts): string {
  const order = keysOf(VERSION_SUBJECTS);
  const moves = movedVersions(from, to)
    .toSorted((one, other) => order.indexOf(one.subject) - order.indexOf(other.subject))
    .map(({ subject, before, after }) => `${VERSION_SUBJECTS[subject]} ${before} to ${after}`);
  return moves.length === 0 ? '' : `: ${moves.join(', ')}`;
}

/** Maximum number of objects of one kind that are listed by name; more are counted. */
const NAMED = 3;

/** Restarts without those of earlier rounds: a later change of a workload, such as its strategy, restarts no Pod. */
export function restartedFirst(restarted: Restarts, earlier: PlanSimulation['rounds']): Restarts {
  const written = earlier.flat().filter(({ what }) => what !== 'remove');
  const changed = new Set(written.map(({ object }) => nameOf(object)));
  return new Map([...restarted].filter(([name]) => !changed.has(name)));
}

/** Formats one line for each workload, and one for each kind of other objects. */
function grouped(changes: readonly Change[], restarted: Restarts): readonly string[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const { what, cluster, object } = change;
    const own = isWorkload(object) ? object.metadata.name : object.kind;
    const key = [what, cluster, own].join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return [...groups.values()].map((group) => groupText(group, restarted));
}

function groupText(group: readonly Change[], restarted: Restarts): string {
  const names = group.map(({ object }) => nameOf(object));
  const [first] = group;
  const { what = 'change', cluster = 'host' } = first ?? {};
  const kind = first?.object.kind ?? '';
  const objects = names.length > NAMED ? `${String(names.length)} ${kind}s` : names.join(', ');
  const where = cluster === 'controlPlane' ? ' in the control plane' : '';
  const pods = what === 'remove' ? '' : restartText(names, restarted);
  return `${what} ${objects}${where}${pods}`;
}

/** Restarted Pods; a group with a workload contains only that workload. */
function restartText(names: readonly string[], restarted: Restarts): string {
  const replaced = names.flatMap((name) => restarted.get(name) ?? []);
  if (replaced.length === 0) return '';
  if (replaced.includes('all')) return ', restarts its Pods';
  return `, restarts its ${replaced.length === 1 ? 'Pod' : 'Pods'} ${replaced.join(' and ')}`;
}
