import { karmadas } from '../../../src/hosts/host.ts';
import { Informer, type Change } from '../../../src/kubernetes/informer.ts';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/resources.ts';
import type { Session } from './session.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Kinds that an instance may consist of besides its Karmada; events and endpoints follow from them. */
const instanceKinds: readonly ResourceType[] = [
  ...[resources.Pod, resources.Deployment, resources.ReplicaSet, resources.StatefulSet],
  ...[resources.ControllerRevision, resources.DaemonSet, resources.Job, resources.CronJob],
  ...[resources.Service, resources.Secret, resources.ConfigMap, resources.PersistentVolumeClaim],
  ...[resources.ServiceAccount, resources.Role, resources.RoleBinding, resources.Lease],
  ...[resources.PodDisruptionBudget, resources.NetworkPolicy],
];

/** What every namespace has by itself. */
const inherent: ReadonlySet<string> = new Set([
  'ConfigMap/kube-root-ca.crt',
  'ServiceAccount/default',
]);

const isOwn = ({ kind, metadata }: KubernetesObject): boolean =>
  !inherent.has(`${kind}/${metadata.name}`);

/** What is in a namespace besides what every namespace has, as `Kind/name`. */
export async function contents({ client }: Session, namespace: string): Promise<string[]> {
  const options = { namespace, metadataOnly: true };
  const pages = await Promise.all(instanceKinds.map((type) => client.list(type, options)));
  return pages
    .flatMap(({ items }) => items.filter(isOwn))
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

/** Watches over one namespace: what is read from them costs the API server nothing. */
export interface View {
  /** Objects of the namespace that are there, without what every namespace has. */
  objects(): KubernetesObject[];
  /** Resolves when `done` says so after a change. @throws Error with what was left, after the deadline */
  until(
    what: string,
    done: (change?: Change) => string | undefined,
    deadlineMs: number,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Kinds that are watched, and where. */
type Watched = readonly (readonly [Session, readonly ResourceType[]])[];

/** Opens watches and waits for their first lists. */
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

/** Watches over what tells whether an instance is ready: its workloads and the Karmada object. */
export function watchInstall(session: Session, namespace: string): Promise<View> {
  const { host = session } = session;
  const watched: Watched = [
    [session, [karmadas]],
    [host, [resources.Deployment, resources.StatefulSet]],
  ];
  return openView(watched, namespace, false);
}

/** Watches over everything that an instance may leave behind, without its contents. */
export function watchRemoval(session: Session, namespace: string): Promise<View> {
  const { host } = session;
  const watched: Watched = [
    [session, [karmadas, ...instanceKinds]],
    ...(host === undefined ? [] : [[host, instanceKinds] as const]),
  ];
  return openView(watched, namespace, true);
}
