/** Ensures that only one operator installation in a cluster reconciles its Karmada objects. */
import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import {
  LeaderElection,
  type LeaderOptions,
  type Led,
} from '../kubernetes/leader-election/leader.ts';
import {
  identityOf,
  ONE_OPERATOR_LEASE,
  type Installation,
} from '../permissions/one-operator-lease.ts';

/**
 * Longer than the times of the leader Lease. The holder is an installation, so its processes take over from each other
 * at once. Only another installation waits until the Lease expires.
 */
const TIMES = { leaseMs: 30_000, renewDeadlineMs: 20_000, retryMs: 5_000 } as const;

export interface OneOperatorOptions {
  /** Client of the process that is already leader of its installation. */
  readonly client: LeaderOptions['client'];
  /** Namespace and name of the leader Lease of this installation. */
  readonly installation: Installation;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called with true while this operator waits for another installation, with false when it becomes active. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** See `LeaderOptions`. */
  readonly onRenewed?: (deadline: number) => void;
}

/**
 * Waits until no other operator installation is active in this cluster, then calls `lead`. If RBAC denies access to the
 * Lease, as with the Role of an earlier release, it logs a warning and calls `lead` without the Lease.
 * @param lead gets a signal that is aborted when another installation takes over
 * @returns 'lost' when another installation took over, 'unfinished' when `lead` did not finish
 */
export async function leadAsOneOperator(
  { installation, onWaiting, ...common }: OneOperatorOptions,
  lead: (term: AbortSignal) => Promise<Led>,
  term: AbortSignal,
): Promise<'ended' | 'unfinished' | 'lost'> {
  const { log } = common;
  const lease = `${ONE_OPERATOR_LEASE.namespace}/${ONE_OPERATOR_LEASE.name}`;
  const election = new LeaderElection({
    ...common,
    ...ONE_OPERATOR_LEASE,
    identity: identityOf(installation),
    times: TIMES,
    isOptional: true,
    onOther: (holder) => {
      onWaiting(true);
      const remedy = 'uninstall one of the two operators';
      log.warn({ holder, lease, remedy }, 'another operator manages the Karmada objects, waiting');
    },
  });
  let led: Led;
  const result = await election.run(async (leading) => {
    onWaiting(false);
    return (led = await lead(leading));
  }, term);
  if (result === 'lost') return 'lost';
  if (result !== 'forbidden') return led ?? 'ended';
  const remedy = 'apply the Role of the Helm chart for Leases in kube-system';
  log.warn({ lease, remedy }, 'cannot detect another operator, access to the lease is denied');
  return (await lead(term)) ?? 'ended';
}
