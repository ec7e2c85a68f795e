/** A control plane in a stub cluster of its own whose upgrades fail and return, and its operator. */
import type { Karmada, KarmadaStatus } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import {
  FAILED_CHANGE_ANNOTATION,
  recordName,
  SPEC_HASH_ANNOTATION,
} from '../../../src/instance/ready-record.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { rollbackKarmada, rollbackName } from '../../harness/rollback-case.ts';
import { StubClient } from '../api/stub-client.ts';
import type { Addresses } from '../network/addresses.ts';
import type { OperatorBuild } from '../operator/build.ts';
import { OperatorProcess } from '../operator/operator-process.ts';
import { StubCluster } from '../stub-cluster.ts';

const NAMESPACE = 'rollback';
const KEY = { namespace: NAMESPACE, name: rollbackName };
/** Longer than any step of a healthy upgrade takes, of some of which several run at a time. */
const DEADLINE_S = 15;
/** The operator would wait for the Lease of a killed process. */
const FLAGS = ['--leader-elect=false'];
const POLL = { deadlineMs: 240_000, intervalMs: 50 };

export interface RollbackSetting {
  readonly addresses: Addresses;
  readonly build: OperatorBuild;
}

export class RollbackScene {
  static readonly namespace = NAMESPACE;
  static readonly deadlineMs = DEADLINE_S * 1_000;
  readonly cluster: StubCluster;
  readonly #build: OperatorBuild;
  #operator: OperatorProcess;
  #written = 0;

  private constructor(cluster: StubCluster, build: OperatorBuild, operator: OperatorProcess) {
    this.cluster = cluster;
    this.#build = build;
    this.#operator = operator;
  }

  /** Installs the control plane, and waits until it is Ready and its spec is recorded. */
  static async start({ addresses, build }: RollbackSetting): Promise<RollbackScene> {
    const cluster = await StubCluster.start({ addresses });
    const access = { build, access: cluster.access, flags: FLAGS };
    const scene = new RollbackScene(cluster, build, await OperatorProcess.start(access));
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    await cluster.client.create(namespace);
    await cluster.client.create(rollbackKarmada(NAMESPACE, DEADLINE_S) as KubernetesObject);
    await scene.untilRecorded();
    return scene;
  }

  async stop(): Promise<void> {
    await this.#operator.stop('SIGKILL');
    await this.cluster.stop();
  }

  /** End of the log of the operator. */
  get tail(): string {
    return this.#operator.lines.slice(-30).join('\n');
  }

  /** Kills the operator, removes the status, and starts another one. */
  async restartWithoutStatus(): Promise<void> {
    await this.#operator.stop('SIGKILL');
    const nothing = { status: null };
    await this.cluster.client.patch(karmadas, KEY, nothing, { subresource: 'status' });
    const options = { build: this.#build, access: this.cluster.access, flags: FLAGS };
    this.#operator = await OperatorProcess.start(options);
  }

  /** @param spec merge patch of the spec */
  async patch(spec: object): Promise<void> {
    await this.cluster.client.patch(karmadas, KEY, { spec });
  }

  async karmada(): Promise<Karmada> {
    const found = await this.cluster.client.find(karmadas, KEY);
    if (found === undefined) throw new Error('no Karmada');
    return found as Karmada;
  }

  /** Annotations of the Secret with the last ready spec: the hash of the spec, and the change that failed. */
  async record(): Promise<{ readonly hash?: string; readonly failed?: string }> {
    const key = { namespace: NAMESPACE, name: recordName({ metadata: KEY }) };
    const secret = await this.cluster.client.find(resources.Secret, key);
    const { [SPEC_HASH_ANNOTATION]: hash, [FAILED_CHANGE_ANNOTATION]: failed } =
      secret?.metadata.annotations ?? {};
    return { ...(hash !== undefined && { hash }), ...(failed !== undefined && { failed }) };
  }

  /** Waits until the control plane is Ready, and its spec is the recorded one. */
  async untilRecorded(): Promise<KarmadaStatus> {
    return this.#until('the control plane is Ready and its spec is recorded', async (karmada) => {
      const { hash, failed } = await this.record();
      const isCurrent = hash !== undefined && hash === karmada.status?.appliedSpecHash;
      return saysReady(karmada) && isCurrent && failed === undefined;
    });
  }

  /** Waits for a phase of the change. */
  async untilPhase(phase: string): Promise<KarmadaStatus> {
    return this.#until(`status.upgrade has the phase ${phase}`, ({ status }) =>
      Promise.resolve(status?.upgrade?.phase === phase),
    );
  }

  /** Waits for a step of the change. @returns its start, milliseconds */
  async untilStep(step: string): Promise<number> {
    const { upgrade } = await this.#until(`status.upgrade reports ${step}`, ({ status }) =>
      Promise.resolve(status?.upgrade?.step === step && status.upgrade.startedAt !== undefined),
    );
    return Date.parse(upgrade?.startedAt ?? '');
  }

  /** Writes an object into the control plane. */
  async write(): Promise<void> {
    this.#written += 1;
    const metadata = { name: `written-${String(this.#written)}`, namespace: 'default' };
    await this.#inside().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }

  /** Number of written objects that do not exist any more. */
  async lost(): Promise<number> {
    const { items } = await this.#inside().list(resources.ConfigMap, { namespace: 'default' });
    const there = items.filter(({ metadata }) => metadata.name.startsWith('written-'));
    return this.#written - there.length;
  }

  /** UID of the Pod of the only etcd member. */
  async etcdPod(): Promise<string | undefined> {
    const key = { namespace: NAMESPACE, name: `${rollbackName}-etcd-0` };
    return (await this.cluster.client.find(resources.Pod, key))?.metadata.uid;
  }

  /** Whether an Event of the type Warning with this reason exists. */
  warns(reason: string): boolean {
    const { store } = this.cluster.api;
    return ['/events', 'events.k8s.io/events']
      .flatMap((resource) => store.list(resource, NAMESPACE))
      .some((event) => event['reason'] === reason && event['type'] === 'Warning');
  }

  /** Waits for an Event. */
  async untilWarns(reason: string): Promise<void> {
    await poll(
      `an Event reports ${reason}`,
      () => Promise.resolve(this.warns(reason) ? true : undefined),
      POLL,
    );
  }

  #inside(): StubClient {
    const api = this.cluster.karmadaApi(NAMESPACE, rollbackName);
    if (api === undefined) throw new Error('the control plane has no API');
    return new StubClient(api, [], 'kubectl');
  }

  #until(what: string, isTrue: (karmada: Karmada) => Promise<boolean>): Promise<KarmadaStatus> {
    return poll(
      what,
      async (seen) => {
        const karmada = await this.karmada();
        seen(JSON.stringify(karmada.status));
        return (await isTrue(karmada)) ? (karmada.status ?? {}) : undefined;
      },
      POLL,
    );
  }
}
