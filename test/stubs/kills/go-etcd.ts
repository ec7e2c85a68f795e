/** Replaces the etcd of a control plane of stubs by one as the Go operator writes it, with the same data. */
import { setTimeout as pause } from 'node:timers/promises';
import { instanceName, SECRET_SUFFIX } from '../../../src/api/naming.ts';
import { JOIN_VARIABLE } from '../../../src/components/etcd/join.ts';
import { peerSchemeOf } from '../../../src/components/etcd/peer-flags.ts';
import { RECORD_ANNOTATION, CLAIM_ANNOTATION } from '../../../src/etcd-cluster/identity/record.ts';
import { conditionOf, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { StubCluster } from '../stub-cluster.ts';

interface Key {
  readonly namespace: string;
  readonly name: string;
}

const INTERVAL_MS = 20;
const setOf = ({ namespace, name }: Key): Key => ({ namespace, name: instanceName(name, 'etcd') });
const podsOf = (key: Key, members: number): readonly Key[] =>
  Array.from({ length: members }, (_, ordinal) => ({
    namespace: key.namespace,
    name: `${setOf(key).name}-${String(ordinal)}`,
  }));

/** Flags and variables that only this operator sets. */
const isOwn = (entry: unknown): boolean =>
  /^--(initial-cluster-token|peer-)/.test(String(entry)) ||
  (typeof entry === 'object' && entry !== null && 'name' in entry && entry.name === JOIN_VARIABLE);

/** The StatefulSet without what only this operator writes. */
function ofGo({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const spec = JSON.parse(
    JSON.stringify(object['spec'], (key, value: unknown) =>
      key === 'securityContext' || key === 'args' || key === 'annotations'
        ? undefined
        : Array.isArray(value)
          ? value.filter((entry) => !isOwn(entry))
          : value,
    )
      // Peer URLs. Clients use another port.
      .replaceAll(/https:(\/\/[^",]*:2380)/g, 'http:$1')
      .replaceAll('-state=existing', '-state=new'),
  ) as object;
  return {
    ...object,
    metadata: { ...metadata, annotations: {} },
    spec: { ...spec, updateStrategy: { type: 'RollingUpdate' } },
  };
}

/** No operator may run. */
export async function replaceByGoEtcd(
  cluster: StubCluster,
  key: Key,
  members: number,
): Promise<void> {
  const { client } = cluster;
  const { namespace, name } = key;
  const etcd = cluster.etcdCluster(namespace, name);
  await client.replace(ofGo(await client.get(resources.StatefulSet, setOf(key))));
  // As if they had started with these URLs: without them, no other member would reach one that listens for http.
  for (const { id, peerURLs } of etcd?.members ?? [])
    etcd?.relist(
      id,
      peerURLs.map((url) => url.replace('https:', 'http:')),
    );
  await until(async () => {
    const pods = await Promise.all(
      podsOf(key, members).map((pod) => client.find(resources.Pod, pod)),
    );
    return pods.every(isReadyWithHttp);
  });
  const backup = { namespace, name: instanceName(name, SECRET_SUFFIX.caBackup) };
  const nothing = (annotation: string) => ({ metadata: { annotations: { [annotation]: null } } });
  await client.patch(resources.Secret, backup, nothing(RECORD_ANNOTATION));
  for (const pod of podsOf(key, members)) {
    const claim = { namespace, name: `etcd-data-${pod.name}` };
    await client.patch(resources.PersistentVolumeClaim, claim, nothing(CLAIM_ANNOTATION));
  }
}

const isReadyWithHttp = (pod: KubernetesObject | undefined): boolean =>
  pod !== undefined && conditionOf(pod, 'Ready')?.status === 'True' && peerSchemeOf(pod) === 'http';

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('the members of the Go operator are not ready');
    await pause(INTERVAL_MS);
  }
}

/** Whether all members run with a text in their Pods, such as a flag. */
export async function runsWith(
  { client }: StubCluster,
  key: Key,
  { members, text }: { readonly members: number; readonly text: string },
): Promise<boolean> {
  const pods = await Promise.all(
    podsOf(key, members).map((pod) => client.find(resources.Pod, pod)),
  );
  return pods.every((pod) => JSON.stringify(pod?.['spec'] ?? '').includes(text));
}

/** Whether the members of the etcd accept and list only https. */
export async function isNativeEtcd(
  cluster: StubCluster,
  key: Key,
  members: number,
): Promise<boolean> {
  const { client } = cluster;
  const objects = await Promise.all([
    client.find(resources.StatefulSet, setOf(key)),
    ...podsOf(key, members).map((pod) => client.find(resources.Pod, pod)),
  ]);
  const listed = cluster.etcdCluster(key.namespace, key.name)?.members ?? [];
  const urls = listed.flatMap(({ peerURLs }) => peerURLs);
  const isListed = listed.length === members && urls.every((url) => url.startsWith('https:'));
  return isListed && objects.every((one) => one !== undefined && peerSchemeOf(one) === 'https');
}
