/** An etcd of the Go operator with real processes, which an operator adopts. */
import { ADOPT_ETCD_ANNOTATION } from '../../../src/api/validation/adopt-etcd.ts';
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../../src/api/naming.ts';
import { peerSchemeOf } from '../../../src/components/etcd/peer-flags.ts';
import { RECORD_ANNOTATION } from '../../../src/etcd-cluster/identity/record.ts';
import { specOf } from '../../../src/etcd-cluster/pods/stateful-set.ts';
import { RECOVER_ANNOTATION } from '../../../src/etcd-cluster/recovery/survivors.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { EtcdListedMember } from '../../../src/etcd/messages.ts';
import type { StatefulSet } from '../../../src/kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { VOLUME_CLAIM } from '../../harness/etcd-scene.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { isReady } from '../controllers/pods.ts';
import type { DataScene } from './data-scene.ts';
import { goStatefulSet } from './go-stateful-set.ts';

const DEADLINE_MS = 300_000;

export class GoEtcdScene {
  readonly #scene: DataScene;

  constructor(scene: DataScene) {
    this.#scene = scene;
  }

  /**
   * Replaces the etcd by an empty one of the Go operator, and writes keys to it. No operator may run.
   * @param run prefix of the keys
   */
  async create(run: string, members: number, isInPods = false): Promise<void> {
    const { client } = this.#scene.cluster;
    const image = await this.#image();
    await this.#withdraw(members);
    await this.removeVolume();
    await this.#patchEtcd({ volumeData: isInPods ? { emptyDir: {} } : VOLUME_CLAIM });
    await client.delete(resources.StatefulSet, this.#set, { propagationPolicy: 'Foreground' });
    await this.#untilNone(resources.Pod);
    for (const { metadata } of await this.#list(resources.PersistentVolumeClaim))
      await client.delete(resources.PersistentVolumeClaim, { ...this.#set, name: metadata.name });
    await this.#untilNone(resources.PersistentVolumeClaim);
    this.#scene.forget();
    await client.create(goStatefulSet({ ...this.#karmada, image, members, isInPods }));
    await this.untilServed(members);
    await this.writeKeys(`${run}-before`);
  }

  /** Writes the StatefulSet of a running etcd, as the Go operator does when it reconciles. */
  async write(members: number): Promise<void> {
    await this.#replace(members);
    await this.untilServed(members);
  }

  /** Writes StatefulSet and Secret over those of several members with https, as the Go operator does. They lose their quorum. */
  async overwrite(members: number): Promise<void> {
    const { namespace, name } = this.#scene;
    const secret = { namespace, name: instanceName(name, SECRET_SUFFIX.etcdCert) };
    const data = { 'etcd-peer.crt': null, 'etcd-peer.key': null };
    await this.#scene.cluster.client.patch(resources.Secret, secret, { data });
    await this.#replace(members);
    await poll(
      `${String(members)} Pods with the template of the Go operator`,
      async () => (await this.#isRolledOut(members)) || undefined,
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Deletes the StatefulSet and its Pods, but no PVC. */
  async deleteSet(): Promise<void> {
    await this.#scene.cluster.client.delete(resources.StatefulSet, this.#set);
  }

  /** Changes the number of members as the Go operator does: additional ones never join the cluster. No operator may run. */
  async grow(members: number): Promise<void> {
    await this.#patchEtcd({ replicas: members });
    await this.#replace(members);
    await poll(
      `${String(members)} Pods with new flags`,
      async (seen) => {
        const pods = await this.#list(resources.Pod);
        const flags = pods.map((pod) => JSON.stringify(pod['spec']));
        seen(JSON.stringify(pods.map(({ status }) => status)));
        const last = `etcd-${String(members - 1)}=http`;
        const areNew = pods.every(isReady) && flags.every((text) => text.includes(last));
        return (areNew && pods.length === members) || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Changes settings of etcd, and waits until all its objects of a kind have a text and the control plane is Ready. */
  async configure(local: object, text: string, type: ResourceType = resources.Pod): Promise<void> {
    await this.#patchEtcd(local);
    await poll(
      `each ${type.kind} has ${text}`,
      async (seen) => {
        const specs = (await this.#list(type)).map((one) => JSON.stringify(one['spec']));
        const karmada = await this.#scene.karmada();
        seen(JSON.stringify(karmada.status?.conditions));
        const haveIt = specs.length > 0 && specs.every((spec) => spec.includes(text));
        return (haveIt && saysReady(karmada)) || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Removes the volume from the spec: the CRD rejects another type in one step. */
  removeVolume(): Promise<void> {
    return this.#patchEtcd({ volumeData: null });
  }

  /** Waits until the spec has the PVC that an operator stores by default. */
  async untilClaimed(): Promise<void> {
    await poll(
      'the operator has stored a PVC in the spec',
      async (seen) => {
        const { spec } = await this.#scene.karmada();
        const volume = spec?.components?.etcd?.local?.volumeData;
        seen(JSON.stringify(volume));
        return volume?.volumeClaim !== undefined || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Waits until the condition EtcdAdopted has a reason. @returns its message */
  untilTold(reason: string): Promise<string> {
    return poll(
      `EtcdAdopted has the reason ${reason}`,
      async (seen) => {
        const { conditions = [] } = (await this.#scene.karmada()).status ?? {};
        seen(JSON.stringify(conditions));
        return conditions.find((one) => one.type === 'EtcdAdopted' && one.reason === reason)
          ?.message;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  async podUids(): Promise<readonly string[]> {
    return (await this.#list(resources.Pod)).map(({ metadata }) => metadata.uid ?? '').sort();
  }

  /** Writes keys while nothing else changes. */
  async writeKeys(prefix: string): Promise<void> {
    await this.#scene.during(prefix, (written) =>
      poll('the client has written', () => Promise.resolve(written() > 20 || undefined)),
    );
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#scene.cluster.client.patch(karmadas, this.#karmada, { metadata: { annotations } });
  }

  consent(): Promise<void> {
    return this.annotate({ [ADOPT_ETCD_ANNOTATION]: 'Automatic' });
  }

  /** Waits until all members run with http and write with a quorum. */
  async untilServed(members: number): Promise<void> {
    await poll(
      `${String(members)} members of the Go operator`,
      async (seen) => {
        const pods = await this.#list(resources.Pod);
        const listed = await this.#listed((error) =>
          seen(`${error} ${JSON.stringify(pods.map(({ status }) => status))}`),
        );
        const isOfGo = pods.every((pod) => peerSchemeOf(pod) === 'http' && isReady(pod));
        const areAll = pods.length === members && listed.length === members;
        return (isOfGo && areAll && (await this.#isRolledOut(members))) || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Waits until nothing tells the etcd from one of this operator. */
  async untilNative(members: number): Promise<void> {
    await poll(
      `${String(members)} members of this operator`,
      async (seen) => (await this.isNative(members, seen)) || undefined,
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Whether nothing tells the etcd from one of this operator. @param seen gets the state */
  async isNative(members: number, seen: (text: string) => void = () => {}): Promise<boolean> {
    const karmada = await this.#scene.karmada();
    const { conditions = [], etcd } = karmada.status ?? {};
    const pods = await this.#list(resources.Pod);
    const urls = (await this.#listed(seen)).flatMap(({ peerURLs }) => peerURLs);
    seen(`${urls.join()} ${JSON.stringify(conditions)}`);
    const isSecure = pods.every((pod) => peerSchemeOf(pod) === 'https');
    const isListed = urls.length === members && urls.every((url) => url.startsWith('https:'));
    const isTold = conditions.some(({ type }) => type === 'EtcdAdopted');
    const count = `${String(members)}/${String(members)}`;
    return isSecure && isListed && !isTold && etcd === count && saysReady(karmada);
  }

  get #karmada(): { readonly namespace: string; readonly name: string } {
    const { namespace, name } = this.#scene;
    return { namespace, name };
  }

  get #set(): { readonly namespace: string; readonly name: string } {
    const { namespace, name } = this.#scene;
    return { namespace, name: instanceName(name, 'etcd') };
  }

  /** Whether all Pods have the present template. */
  async #isRolledOut(members: number): Promise<boolean> {
    const live: StatefulSet = await this.#scene.cluster.client.get(
      resources.StatefulSet,
      this.#set,
    );
    const { observedGeneration = 0, updatedReplicas = 0 } = live.status ?? {};
    return observedGeneration >= (live.metadata.generation ?? 0) && updatedReplicas === members;
  }

  async #image(): Promise<string> {
    const live = await this.#scene.cluster.client.get(resources.StatefulSet, this.#set);
    return specOf(live).template?.spec?.containers?.[0]?.image ?? '';
  }

  async #replace(members: number): Promise<void> {
    const { client } = this.#scene.cluster;
    const { resourceVersion = '' } = (await client.get(resources.StatefulSet, this.#set)).metadata;
    const image = await this.#image();
    const { metadata, ...written } = goStatefulSet({ ...this.#karmada, image, members });
    await client.replace({ ...written, metadata: { ...metadata, resourceVersion } });
  }

  async #patchEtcd(local: object): Promise<void> {
    const spec = { components: { etcd: { local } } };
    await this.#scene.cluster.client.patch(karmadas, this.#karmada, { spec });
  }

  /** Takes back what a user has agreed to, and the record of the former etcd. */
  async #withdraw(members: number): Promise<void> {
    await this.annotate({ [ADOPT_ETCD_ANNOTATION]: null, [RECOVER_ANNOTATION]: null });
    await this.#patchEtcd({ replicas: members });
    const { namespace, name } = this.#scene;
    const backup = { namespace, name: instanceName(name, SECRET_SUFFIX.caBackup) };
    const metadata = { annotations: { [RECORD_ANNOTATION]: null } };
    await this.#scene.cluster.client.patch(resources.Secret, backup, { metadata });
  }

  async #list(type: ResourceType): Promise<readonly KubernetesObject[]> {
    const { namespace, name } = this.#scene;
    const labelSelector = `${COMPONENT}=etcd,${INSTANCE}=${name}`;
    return (await this.#scene.cluster.client.list(type, { namespace, labelSelector })).items;
  }

  /** @param seen gets the error of a list that cannot be read */
  async #listed(seen: (text: string) => void): Promise<readonly EtcdListedMember[]> {
    try {
      return (await this.#scene.keys.memberList()).members;
    } catch (error) {
      seen(String(error));
      return [];
    }
  }

  async #untilNone(type: ResourceType): Promise<void> {
    await poll(
      `no ${type.kind} of etcd`,
      async (seen) => {
        const left = await this.#list(type);
        seen(left.map(({ metadata }) => metadata.name).join());
        return left.length === 0 || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }
}
