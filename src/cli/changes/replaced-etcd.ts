/**
 * Members whose data can replace an etcd of the Go operator, as the condition EtcdAdopted and the status of the etcd name
 * them. Pure functions.
 */
import type { EtcdClusterStatus, Karmada } from '../../api/karmada.ts';
import { clustersIn } from '../../etcd-cluster/members/never-formed.ts';
import { valueFor } from '../../etcd-cluster/recovery/confirmed-member.ts';

/** A member that the user can name. */
interface Replacement {
  /** Value of the annotation. */
  readonly value: string;
  readonly givesUp: string;
  /** Reason and message of the condition. */
  readonly cause: string;
}

interface Named {
  readonly pod: string;
  readonly clusterID: string;
}

interface Offer {
  readonly givesUp: string;
  /** Members that are offered. @param message of the condition */
  readonly membersOf: (message: string, etcd: EtcdClusterStatus) => readonly Named[];
}

/** By reason of the condition. */
const OFFERS: Readonly<Record<string, Offer>> = {
  EtcdNeverOneCluster: {
    givesUp: 'what only members of other etcd clusters have',
    membersOf: (message) => clustersIn(message),
  },
  EtcdDataNotDurable: {
    givesUp:
      'the former Pod when its data is in a PVC, and the API of the control plane for one to two minutes',
    membersOf: (_, { clusterID, members }) =>
      clusterID === '' ? [] : members.map(({ name }) => ({ pod: name, clusterID })),
  },
};

/** A healthy etcd reports no revision, so that its writes change no status. The restored data always has the last one. */
const ANY_REVISION = 1;

/** Returns the member with the newest data of each cluster; an empty list if nothing is replaced. */
export function replacementsOf({ status }: Karmada): readonly Replacement[] {
  const told = status?.conditions?.find(({ type }) => type === 'EtcdAdopted');
  const offer = OFFERS[told?.reason ?? ''];
  if (told === undefined || offer === undefined || status?.etcdCluster === undefined) return [];
  const { etcdCluster } = status;
  const revisions = new Map(etcdCluster.members.map(({ name, revision }) => [name, revision]));
  const revisionOf = ({ pod }: Named): number => revisions.get(pod) ?? ANY_REVISION;
  const members = offer.membersOf(told.message, etcdCluster);
  const clusters = Map.groupBy(members, ({ clusterID }) => clusterID);
  return [...clusters.values()].flatMap((own) => {
    const [newest] = own.toSorted((one, other) => revisionOf(other) - revisionOf(one));
    if (newest === undefined) return [];
    const value = valueFor({ ...newest, revision: String(revisionOf(newest)) });
    return [{ value, givesUp: offer.givesUp, cause: `${told.reason}: ${told.message}` }];
  });
}
