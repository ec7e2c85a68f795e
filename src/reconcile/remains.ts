/** What is left of an instance while it is being deleted, and what comes next: pure. */
import { instanceName } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { COMPONENT } from './objects.ts';

/** Live objects of one instance, without anybody else's. */
export interface Remains {
  readonly objects: readonly KubernetesObject[];
  /** Pods of its workloads, metadata only. */
  readonly pods: readonly KubernetesObject[];
  /** Claims of its etcd, which stay. */
  readonly claims: readonly KubernetesObject[];
}

/** One pass of a deletion. */
export interface DeletionStep {
  readonly remove: readonly KubernetesObject[];
  /** Pods that are ending and need not take their time: nobody is served any more. */
  readonly hurry: readonly KubernetesObject[];
  /** Nothing is left that this deletion is about. */
  readonly done: boolean;
}

/** Seconds that a pod gets: the API server ends in one, an etcd that lost its clients too. */
export const HURRIED_SECONDS = 2;

/** A pod that should have ended this long ago is on a node that is gone; it holds nothing up. */
const LOST_AFTER_MS = 60_000;

const isEtcd = (object: KubernetesObject): boolean =>
  object.metadata.labels?.[COMPONENT] === 'etcd';

function isLost({ metadata }: KubernetesObject, now: number): boolean {
  const ends = metadata.deletionTimestamp;
  return ends !== undefined && now - Date.parse(ends) > LOST_AFTER_MS;
}

function isSlow({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && graceOf(metadata) > HURRIED_SECONDS;
}

function graceOf(metadata: object): number {
  const { deletionGracePeriodSeconds = 0 } = metadata as { deletionGracePeriodSeconds?: number };
  return deletionGracePeriodSeconds;
}

/**
 * What a deletion does now. The writers go before etcd: a kube-apiserver whose etcd is gone takes a minute to end.
 * Secrets go when no pod is left that may write. With claims that stay the copy of the authorities stays too: a
 * Karmada of that name made later finds its data, and the keys that go with it.
 * @param now wall clock in milliseconds
 */
export function deletionStep(name: string, remains: Remains, now: number): DeletionStep {
  const living = remains.pods.filter((pod) => !isLost(pod, now));
  const ordered = remains.objects.filter(({ kind }) => kind !== 'Secret');
  const writers = ordered.filter((object) => !isEtcd(object));
  const writerPods = living.filter((pod) => !isEtcd(pod));
  const pending = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
    objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (writers.length > 0 || writerPods.length > 0) {
    return { remove: pending(writers), hurry: writerPods.filter(isSlow), done: false };
  }
  if (ordered.length > 0 || living.length > 0) {
    return { remove: pending(ordered), hurry: [], done: false };
  }
  const secrets = remains.objects.filter((object) => !staysWithClaims(name, object, remains));
  return { remove: pending(secrets), hurry: [], done: secrets.length === 0 };
}

function staysWithClaims(name: string, object: KubernetesObject, { claims }: Remains): boolean {
  return claims.length > 0 && object.metadata.name === instanceName(name, 'ca-backup');
}
