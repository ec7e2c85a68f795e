import { karmadas } from '../../../src/host-clusters/host.ts';
import type { Change } from '../../../src/kubernetes/informers/informer-options.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import type { Session } from './session.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Kinds of the objects of a control plane, without those that Kubernetes derives from them (Events, Endpoints). */
const instanceKinds: readonly ResourceType[] = [
  resources.Pod,
  resources.Deployment,
  resources.ReplicaSet,
  resources.StatefulSet,
  resources.ControllerRevision,
  resources.DaemonSet,
  resources.Job,
  resources.CronJob,
  resources.Service,
  resources.Secret,
  resources.ConfigMap,
  resources.PersistentVolumeClaim,
  resources.ServiceAccount,
  resources.Role,
  resources.RoleBinding,
  resources.Lease,
  resources.PodDisruptionBudget,
  resources.NetworkPolicy,
];

/** Objects that Kubernetes creates in every namespace. */
const inherent: ReadonlySet<string> = new Set([
  'ConfigMap/kube-root-ca.crt',
  'ServiceAccount/default',
]);

const isOwn = ({ kind, metadata }: KubernetesObject): boolean =>
  !inherent.has(`${kind}/${metadata.name}`);

/** Lists the objects of a namespace as `Kind/name`, without those that Kubernetes creates in every namespace. */
export async function contents({ client }: Session, namespace: string): Promise<string[]> {
  const options = { namespace, metadataOnly: true };
  const pages = await Promise.all(instanceKinds.map((type) => client.list(type, options)));
  return pages
    .flatMap(({ items }) => items.filter(isOwn))
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

/** Cached objects of one namespace. Reads do not cause requests to the API server. */
export interface View {
  /** Existing objects of the namespace, without those that Kubernetes creates in every namespace. */
  objects(): KubernetesObject[];
  /** Resolves when `done` returns undefined after a change. @throws Error with its last result, after the deadline */
  until(
    what: string,
    done: (change?: Change) => string | undefined,
    deadlineMs: number,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Watched kinds for each cluster. */
type Watched = readonly (readonly [Session, readonly ResourceType[]])[];

/** Starts informers and waits for their initial lists. */
async function openView(watched: Watched, namespace: string, metadataOnly: boolean): Promise<View> {
  const common = { clock: systemClock, random: Math.random, log: silent };
  const informers = watched.flatMap(([{ client }, kinds]) =>
    kinds.map((type) => new Informer({ ...common, client, type, namespace, metadataOnly })),
  );
  for (const informer of informers) informer.start();
  await Promise.all(informers.map(({ synced }) => synced));
  return {
    objects: () => informers.flatMap(({ cache }) => cache.list().filter(isOwn)),
    until: (what, done, deadlineMs) =>
      new Promise((resolve, reject) => {
        let left: string | undefined;
        const timer = setTimeout(
          () =>
            reject(new Error(`${what}: not within ${String(deadlineMs / 1000)} s; ${left ?? ''}`)),
          deadlineMs,
        ).unref();
        const look = (change?: Change): void => {
          left = done(change);
          if (left !== undefined) return;
          clearTimeout(timer);
          resolve();
        };
        for (const informer of informers) informer.onChange(look);
        look();
      }),
    close: async () => {
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}

/** Watches the objects that determine readiness: the workloads and the Karmada. */
export function watchInstall(session: Session, namespace: string): Promise<View> {
  const { host = session } = session;
  const watched: Watched = [
    [session, [karmadas]],
    [host, [resources.Deployment, resources.StatefulSet]],
  ];
  return openView(watched, namespace, false);
}

/** Watches the metadata of all objects that a deletion may leave behind. */
export function watchRemoval(session: Session, namespace: string): Promise<View> {
  const { host } = session;
  const watched: Watched = [
    [session, [karmadas, ...instanceKinds]],
    ...(host === undefined ? [] : [[host, instanceKinds] as const]),
  ];
  return openView(watched, namespace, true);
}
