/** The preview of a change as `plan -o json` prints it. Pure functions. */
import type { Versions } from '../../api/karmada.ts';
import { nameOf } from '../../kubernetes/objects/object.ts';
import type { Preview } from '../plan.ts';
import { hasChanges, restartedFirst } from '../plan-text.ts';
import type { Restarts } from '../plan-restarts.ts';
import type { Change } from '../simulate-plan.ts';

interface ChangeView {
  readonly action: Change['what'];
  /** Cluster that has the object: `host` or `controlPlane`. */
  readonly cluster: Change['cluster'];
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Pods that restart: `all` of a workload, or their names; absent if none does. */
  readonly restarts?: 'all' | readonly string[];
}

export interface PlanView {
  readonly namespace: string;
  readonly name: string;
  /** Whether the operator would change something, or blocks or rejects a part of it; as `--exit-code`. */
  readonly changed: boolean;
  /** Whether the operator makes the changes only after the Karmada is resumed. */
  readonly suspended: boolean;
  readonly versions: {
    readonly from: Versions;
    readonly to: Versions;
    readonly next: readonly string[];
  };
  /** The operator makes the changes of one step at the same time. */
  readonly steps: readonly { readonly changes: readonly ChangeView[] }[];
  readonly etcdMembers: readonly string[];
  readonly certificates: readonly string[];
  readonly blocked: readonly { readonly reason: string; readonly message: string }[];
  readonly waiting: readonly string[];
  readonly rejectedSecrets: readonly string[];
  readonly backup: readonly string[];
  readonly ifStepFails: readonly string[];
  readonly notChecked: readonly string[];
}

/** Builds the view. */
export function planView({ simulation, facts }: Preview): PlanView {
  const { rounds, members = [], blockedChanges, waiting } = simulation;
  const { namespace, name, from, to, next, restarted, issued } = facts;
  return {
    namespace,
    name,
    changed: hasChanges(simulation, facts),
    suspended: facts.suspended,
    versions: { from, to, next },
    steps: rounds.map((round, index) => {
      const restarts = restartedFirst(restarted, rounds.slice(0, index));
      return { changes: round.map((change) => changeView(change, restarts)) };
    }),
    etcdMembers: members,
    certificates: issued,
    blocked: blockedChanges.map(({ reason, message }) => ({ reason, message })),
    waiting: waiting.map(({ message }) => message),
    rejectedSecrets: facts.ungranted,
    backup: facts.backup,
    ifStepFails: facts.failure,
    notChecked: facts.remarks,
  };
}

function changeView({ what, cluster, object }: Change, restarted: Restarts): ChangeView {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const restarts = what === 'remove' ? [] : (restarted.get(nameOf(object)) ?? []);
  return {
    action: what,
    cluster,
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(restarts.length > 0 && { restarts }),
  };
}
