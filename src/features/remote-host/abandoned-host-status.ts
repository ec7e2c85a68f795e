/** Status of a Karmada whose remote host cluster the user has given up for another one: pure. */
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { HOST_REACHABLE } from '../../conditions/condition-types.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { merged } from '../status/managed-conditions.ts';
import { isAbandoned, isElsewhere } from './abandon-host.ts';

interface Context {
  readonly before: KarmadaStatus;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/**
 * Returns the status before the operator creates the control plane in another host cluster. It contains nothing about the
 * former control plane: a version, a kubeconfig or an upgrade in the status would count as proof of data that only the lost
 * host cluster had.
 * @param host the host cluster that the spec references, with the uid of its kube-system Namespace
 * @returns undefined if the control plane is in this host cluster, or if the user has not given up the former one
 */
export function statusAfterAbandonedHost(
  karmada: Karmada,
  host: { readonly server: string; readonly uid: string | undefined },
  { before, now }: Context,
): KarmadaStatus | undefined {
  const { hostUID, etcdDataUID } = before;
  const { server, uid } = host;
  if (!isElsewhere(hostUID, uid) || !isAbandoned(karmada, hostUID)) return undefined;
  const findings: readonly ConditionDraft[] = [
    {
      type: 'Ready',
      status: 'False',
      reason: 'Progressing',
      message: `the host cluster ${hostUID ?? ''} is given up; the operator creates the control plane in ${server}`,
    },
    { type: HOST_REACHABLE, status: 'True', reason: 'Reached', message: server },
  ];
  return {
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: 'Installing',
    hostUID: uid,
    // An external etcd still has the data.
    ...(etcdDataUID !== undefined && { etcdDataUID }),
    conditions: merged(karmada, before, findings, now),
  };
}
