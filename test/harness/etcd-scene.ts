/** A control plane with a local etcd whose members change, under a client that writes all the time. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { controlPlaneClientOf } from './client.ts';
import { apply, getObject } from './cluster.ts';
import { untilReady } from './control-plane.ts';
import { etcdAnswers, etcdPods, type MemberAnswer } from './etcd-members.ts';
import { readBack, summaryOf, unexplained, writing, type Written } from './etcd-writer.ts';

const DEADLINE_MS = 300_000;

/** Limits of what the client may see. */
export interface Limits {
  /** Longest time without an acknowledged write, in milliseconds. */
  readonly gapMs?: number;
  /** Whether calls may fail, so that it is unknown whether etcd executed them. */
  readonly mayFail?: boolean;
  /** Number of members that leave. Writes that are in progress there fail. */
  readonly leaving?: number;
}

/** PVC template of the members. */
export const VOLUME_CLAIM = {
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
};

export class EtcdScene {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly name = 'karmada';
  /** Name of the StatefulSet. */
  readonly set = 'karmada-etcd';
  readonly where: readonly string[];
  #inside: KubernetesClient | undefined;
  /** ID of the etcd cluster of the present Karmada. */
  #clusterID: string | undefined;
  /** Names of all ConfigMaps that were written to the present Karmada. */
  #acknowledged: string[] = [];

  constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.where = ['-n', namespace];
  }

  #karmada(local: object): object {
    const { name, namespace } = this;
    return {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name, namespace },
      spec: {
        components: {
          etcd: { local },
          // The test connects from outside the host cluster with the unchanged kubeconfig.
          karmadaAPIServer: { serviceType: 'NodePort' },
          karmadaMetricsAdapter: { enabled: false },
        },
      },
    };
  }

  answers(): Promise<MemberAnswer[]> {
    return etcdAnswers(this, '/registry/configmaps/default/');
  }

  pods(): Promise<readonly KubernetesObject[]> {
    return etcdPods(this);
  }

  /** Installs a control plane with these settings of its etcd, in place of the present one. */
  async install(local: object): Promise<void> {
    const { cluster, namespace, name } = this;
    await this.#remove();
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, this.#karmada(local));
    await untilReady(cluster, name, namespace);
    await this.#inside?.close();
    this.#inside = await controlPlaneClientOf(cluster, name, namespace);
    this.#acknowledged = [];
    this.#clusterID = (await this.answers())[0]?.clusterID;
  }

  async #remove(): Promise<void> {
    await tryKubectl(this.cluster, ['delete', 'karmada', '--all', ...this.where, '--timeout=120s']);
  }

  /** Deletes the control plane. */
  async end(): Promise<void> {
    await this.#inside?.close();
    await this.#remove();
    await tryKubectl(this.cluster, ['delete', 'namespace', this.namespace, '--wait=false']);
  }

  /** Changes settings of etcd. */
  async configure(local: object): Promise<void> {
    const patch = JSON.stringify({ spec: { components: { etcd: { local } } } });
    await kubectl(this.cluster, [
      'patch',
      'karmada',
      this.name,
      ...this.where,
      '--type=merge',
      '-p',
      patch,
    ]);
  }

  karmada(): Promise<Karmada> {
    return getObject<Karmada>(this.cluster, 'karmada', this.name, this.namespace);
  }

  /** Waits until a condition of the Karmada has a text. */
  async untilTold(text: string): Promise<void> {
    await poll(
      `a condition with "${text}"`,
      async (seen) => {
        const { conditions = [] } = (await this.karmada()).status ?? {};
        seen(conditions.map(({ type, message }) => `${type}: ${message}`).join('\n'));
        return conditions.some(({ message }) => message.includes(text)) || undefined;
      },
      { deadlineMs: DEADLINE_MS, intervalMs: 500 },
    );
  }

  /** Waits for a condition. */
  async until(
    what: string,
    check: (seen: (state: string) => void) => Promise<true | undefined>,
  ): Promise<void> {
    await poll(what, check, { deadlineMs: DEADLINE_MS, intervalMs: 200 });
  }

  /** Waits until the Pod of a member exists. */
  async untilPod(ordinal: number): Promise<void> {
    const name = `${this.set}-${String(ordinal)}`;
    await this.until(`Pod ${name}`, async () =>
      (await this.pods()).some(({ metadata }) => metadata.name === name) ? true : undefined,
    );
  }

  /** Waits until this number of members of the original cluster respond, and Ready is True. */
  async untilMembers(count: number): Promise<void> {
    await poll(
      `${String(count)} etcd members`,
      async (seen) => {
        const [{ status }, found] = [await this.karmada(), await this.answers()];
        const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
        seen(`${String(status?.etcd)} ${JSON.stringify(found)} ${String(progress?.message)}`);
        const own = found.filter((answer) => answer.clusterID === this.#clusterID);
        expect(own).toHaveLength(found.length);
        return (
          (own.length === count && status?.etcd === `${String(count)}/${String(count)}`) ||
          undefined
        );
      },
      { deadlineMs: DEADLINE_MS, intervalMs: 1_000 },
    );
    await untilReady(this.cluster, this.name, this.namespace);
    expect(await this.pods()).toHaveLength(count);
  }

  /** Changes the number of members, and waits for them. */
  async change(replicas: number): Promise<void> {
    await this.configure({ replicas });
    await this.untilMembers(replicas);
  }

  /** Reads all keys that were ever written to the present Karmada. */
  async verify(): Promise<void> {
    expect(await readBack(this.inside(), this.#acknowledged)).toEqual([]);
  }

  /** Client of the control plane. */
  inside(): KubernetesClient {
    if (this.#inside === undefined) throw new Error('no client of the control plane');
    return this.#inside;
  }

  /** Runs `work` under a client that writes 20 keys per second and reads each one back. */
  async during(
    prefix: string,
    work: () => Promise<unknown>,
    limits: Limits = {},
  ): Promise<Written> {
    const { gapMs = 5_000, mayFail = false, leaving = 0 } = limits;
    const written = await writing(this.inside(), prefix, work);
    this.#acknowledged.push(...written.acknowledged);
    process.stderr.write(`${prefix}: ${summaryOf(written)}\n`);
    expect(written.lost).toEqual([]);
    if (!mayFail) expect(unexplained(written.failures, leaving)).toEqual([]);
    expect(written.longestGapMs).toBeLessThan(gapMs);
    expect(written.acknowledged.length).toBeGreaterThan(20);
    return written;
  }

  /** UID and restart count of the Pod of a member. */
  async podOf(ordinal: number): Promise<string> {
    const pod = (await this.pods()).find(
      ({ metadata }) => metadata.name === `${this.set}-${String(ordinal)}`,
    );
    const { containerStatuses = [] } = (pod?.['status'] ?? {}) as {
      containerStatuses?: readonly { restartCount: number }[];
    };
    return `${String(pod?.metadata.uid)} ${String(containerStatuses[0]?.restartCount)}`;
  }

  #claim(ordinal: number): Promise<KubernetesObject> {
    const name = `etcd-data-${this.set}-${String(ordinal)}`;
    return getObject<KubernetesObject>(this.cluster, 'pvc', name, this.namespace);
  }

  /** UID of the PVC of a member; undefined while it does not exist. */
  async claimOf(ordinal: number): Promise<string | undefined> {
    return this.#claim(ordinal).then(
      ({ metadata }) => metadata.uid,
      () => undefined,
    );
  }

  /** Overwrites a part of the write-ahead log of a member. */
  async damageData(ordinal: number): Promise<void> {
    const { spec: claim } = (await this.#claim(ordinal)) as { spec?: { volumeName?: string } };
    const name = claim?.volumeName ?? '';
    const volume = await getObject<KubernetesObject>(this.cluster, 'pv', name, '');
    const { local } = volume['spec'] as { local: { path: string } };
    const folder = join(local.path, 'member/wal');
    const [first = ''] = readdirSync(folder).filter((file) => file.endsWith('.wal'));
    const file = openSync(join(folder, first), 'r+');
    writeSync(file, randomBytes(400), 0, 400, 20_000);
    closeSync(file);
  }

  /** Changes settings of etcd that restart all members, and waits until all Pods are new. */
  async restartAll(annotations: object, more: object = {}): Promise<void> {
    const before = (await this.pods()).map(({ metadata }) => metadata.uid);
    await this.configure({ annotations, ...more });
    await this.until('all Pods are new', async (seen) => {
      const now = (await this.pods()).map(({ metadata }) => metadata.uid);
      seen(now.join());
      return now.every((uid) => !before.includes(uid)) || undefined;
    });
    await this.untilMembers(before.length);
  }

  async suspend(suspend: boolean): Promise<void> {
    const patch = JSON.stringify({ spec: { suspend } });
    await kubectl(this.cluster, [
      'patch',
      'karmada',
      this.name,
      ...this.where,
      '--type=merge',
      '-p',
      patch,
    ]);
  }

  /** Stores this amount of data in etcd, outside the keys that the client writes. @param megabytes 10^6 bytes */
  async fill(megabytes: number): Promise<void> {
    const inside = this.inside();
    const namespace = 'kube-public';
    const one = async (n: number): Promise<void> => {
      const metadata = { name: `data-${String(n)}`, namespace };
      const data = { text: randomBytes(375_000).toString('base64') };
      await inside.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    };
    const count = megabytes * 2;
    for (let n = 0; n < count; n += 5)
      await Promise.all(Array.from({ length: 5 }, (_, more) => one(n + more)));
  }
}
