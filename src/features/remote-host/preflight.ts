import type { PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import { clusterUid, type Host } from '../../host-clusters/host.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { rejectedStatus } from '../status/unreconciled-status.ts';
import { statusAfterAbandonedHost } from './abandoned-host-status.ts';
import { etcdKindChange } from './immutable-fields.ts';

/** Whether the user has just given up a lost host cluster for this one: the status then loses what was there. */
export function checkAbandonedHost(
  { host, clock }: { readonly host: Host; readonly clock: Pick<Clock, 'wall'> },
  { karmada, before }: PreflightSubject,
): PreflightResult {
  if (host.remote === undefined) return undefined;
  const cluster = { server: host.remote.server, uid: clusterUid(host) };
  const status = statusAfterAbandonedHost(karmada, cluster, { before, now: clock.wall() });
  return status && { status: () => status };
}

/** Whether the spec changes between a local and an external etcd. */
export function checkEtcdKind(
  _tools: object,
  { karmada, before, owned }: PreflightSubject,
): PreflightResult {
  const problem = etcdKindChange(karmada, before, owned);
  return (
    problem && {
      status: (context) => rejectedStatus(karmada, problem, { ...context, phase: 'Failed' }),
    }
  );
}
