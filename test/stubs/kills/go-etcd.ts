/** Replaces the etcd of a control plane of stubs by one as the Go operator writes it, with the same data. */
import { setTimeout as pause } from 'node:timers/promises';
import { instanceName, SECRET_SUFFIX } from '../../../src/api/naming.ts';
import { peerSchemeOf } from '../../../src/components/etcd/peer-flags.ts';
import { RECORD_ANNOTATION, CLAIM_ANNOTATION } from '../../../src/etcd-cluster/identity/record.ts';
import { conditionOf, type KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import type { StubCluster } from '../stub-cluster.ts';

interface Key {
  readonly namespace: string;
  readonly name: string;
}

const INTERVAL_MS = 20;
const setOf = ({ namespace, name }: Key): Key => ({ namespace, name: instanceName(name, 'etcd') });

/** The StatefulSet without what only this operator writes. */
function ofGo({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const spec = JSON.parse(
    JSON.stringify(object['spec'], (key, value: unknown) =>
      key === 'securityContext' || key === 'args' || key === 'annotations'
        ? undefined
        : Array.isArray(value)
          ? value.filter((flag) => !/^--(initial-cluster-token|peer-)/.test(String(flag)))
          : value,
    )
      .replaceAll('peer-urls=https:', 'peer-urls=http:')
      .replaceAll('-state=existing', '-state=new'),
  ) as object;
  return {
    ...object,
    metadata: { ...metadata, annotations: {} },
    spec: { ...spec, updateStrategy: { type: 'RollingUpdate' } },
  };
}

/** No operator may run. */
export async function replaceByGoEtcd(cluster: StubCluster, key: Key): Promise<void> {
  const { client } = cluster;
  const { namespace, name } = key;
  await client.replace(ofGo(await client.get(resources.StatefulSet, setOf(key))));
  await until(async () => {
    const pod = await client.find(resources.Pod, { namespace, name: `${setOf(key).name}-0` });
    const isReady = pod && conditionOf(pod, 'Ready')?.status === 'True';
    return isReady === true && peerSchemeOf(pod) === 'http';
  });
  const etcd = cluster.etcdCluster(namespace, name);
  for (const { id, peerURLs } of etcd?.members ?? [])
    etcd?.update(
      id,
      peerURLs.map((url) => url.replace('https:', 'http:')),
    );
  const backup = { namespace, name: instanceName(name, SECRET_SUFFIX.caBackup) };
  const nothing = (annotation: string) => ({ metadata: { annotations: { [annotation]: null } } });
  await client.patch(resources.Secret, backup, nothing(RECORD_ANNOTATION));
  const claim = { namespace, name: `etcd-data-${setOf(key).name}-0` };
  await client.patch(resources.PersistentVolumeClaim, claim, nothing(CLAIM_ANNOTATION));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('the member of the Go operator is not ready');
    await pause(INTERVAL_MS);
  }
}

/** Whether the members of the etcd accept and list only https. */
export async function isNativeEtcd(cluster: StubCluster, key: Key): Promise<boolean> {
  const { client } = cluster;
  const { namespace, name } = key;
  const [set, pod] = await Promise.all([
    client.find(resources.StatefulSet, setOf(key)),
    client.find(resources.Pod, { namespace, name: `${setOf(key).name}-0` }),
  ]);
  const urls = cluster.etcdCluster(namespace, name)?.members.flatMap(({ peerURLs }) => peerURLs);
  const isListed = urls !== undefined && urls.every((url) => url.startsWith('https:'));
  return isListed && [set, pod].every((one) => one !== undefined && peerSchemeOf(one) === 'https');
}
