/** Of all operators that reconcile the Karmadas of one cluster, only one acts. */
import type { Clock, Log, Random } from './kubernetes/clock.ts';
import { LeaderElection, type LeaderOptions } from './kubernetes/leader.ts';

/**
 * The lease of the operator that acts, whatever it is called and wherever it is installed. Each operator reconciles the
 * Karmadas of all namespaces, so there is one lease for a cluster.
 */
const ONE_OPERATOR_LEASE = {
  namespace: 'kube-system',
  name: 'karmadas.operator.karmada.io',
} as const;

/**
 * Slower than a leader's own lease: its holder is an installation, whose processes take the lease over from each other at
 * once. Only another installation waits for it to run out.
 */
const TIMES = { leaseMs: 30_000, renewDeadlineMs: 20_000, retryMs: 5_000 } as const;

export interface OneOperatorOptions {
  /** Leader of its installation already. */
  readonly client: LeaderOptions['client'];
  /** Namespace and name of the installation's own lease. */
  readonly installation: { readonly namespace: string; readonly name: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Whether another operator acts, and this one waits. */
  readonly onWaiting: (isWaiting: boolean) => void;
}

/**
 * Waits until no other installation of the operator acts in this cluster, then leads. Where the role does not allow the
 * lease, as one of an earlier release does not, it leads without.
 * @param lead gets a signal that is aborted when another installation acts
 * @returns 'lost' when another installation took over
 */
export async function leadAsOneOperator(
  { installation: { namespace, name }, onWaiting, ...common }: OneOperatorOptions,
  lead: (term: AbortSignal) => Promise<void>,
  term: AbortSignal,
): Promise<'ended' | 'lost'> {
  const { log } = common;
  const lease = `${ONE_OPERATOR_LEASE.namespace}/${ONE_OPERATOR_LEASE.name}`;
  const election = new LeaderElection({
    ...common,
    ...ONE_OPERATOR_LEASE,
    identity: `${namespace}/${name}`,
    times: TIMES,
    isOptional: true,
    onOther: (holder) => {
      onWaiting(true);
      const remedy = 'uninstall one of the two operators';
      log.warn({ holder, lease, remedy }, 'another operator manages the Karmadas of this cluster');
    },
  });
  const result = await election.run((leading) => {
    onWaiting(false);
    return lead(leading);
  }, term);
  if (result !== 'forbidden') return result === 'lost' ? 'lost' : 'ended';
  const remedy = 'apply the Role of the chart for leases in kube-system';
  log.warn({ lease, remedy }, 'cannot see whether another operator acts in this cluster');
  await lead(term);
  return 'ended';
}
