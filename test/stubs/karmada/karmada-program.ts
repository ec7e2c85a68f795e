/** API servers of control planes as stubs. Their data are those of an etcd cluster. */
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { StatusError } from '../api/errors.ts';
import { selectsLabels } from '../api/selectors.ts';
import type { Serving } from '../api/serve.ts';
import type { Store } from '../api/store.ts';
import { isReady } from '../controllers/pods.ts';
import type { ClusterView } from '../kubelet/cluster-view.ts';
import { every, mountedPair, type StubProgram } from '../kubelet/stub-program.ts';
import { listenTls } from '../network/tls-server.ts';
import { answerOfReview, etcdTrustOf, mountedTrust, publisher, userOf } from './client-trust.ts';
import { KarmadaApi } from './karmada-api.ts';
import { answerOfKeys, mountedKeys, type TokenKeys } from './token-keys.ts';

/** etcd of a control plane as its API server sees it. */
export interface ApiData {
  readonly store: Store;
  readonly hasQuorum: boolean;
}

export interface KarmadaProgramOptions {
  readonly view: ClusterView;
  readonly readyMs: number;
  readonly serving: Serving;
  /** @returns undefined while no member runs */
  readonly dataOf: (namespace: string, instance: string) => ApiData | undefined;
}

const PORT = 5443;
const PAIR = {
  volume: 'apiserver-cert',
  cert: 'apiserver.crt',
  key: 'apiserver.key',
  ca: 'ca.crt',
};
const DEFAULT_VERSION = 'v1.35.4';

const UNAUTHORIZED = new StatusError(401, 'Unauthorized', 'Unauthorized');
const NOT_READY = new StatusError(503, 'ServiceUnavailable', 'etcd is unavailable');

export class KarmadaProgram {
  readonly #options: KarmadaProgramOptions;
  readonly #apis = new WeakMap<Store, KarmadaApi>();
  /** Versions of the API servers that became ready last. */
  readonly #versions = new WeakMap<Store, string>();
  /** Keys of the running API servers, by Pod (`namespace/name`). */
  readonly tokenKeys = new Map<string, TokenKeys>();
  /** CAs of etcd that the running API servers trust, by Pod, PEM. */
  readonly etcdTrust = new Map<string, string>();

  constructor(options: KarmadaProgramOptions) {
    this.#options = options;
    options.view.onPod((pod) => this.#recheck(pod));
  }

  /** The Karmada API of a control plane, whether it is served or not. */
  apiOf(namespace: string, instance: string): KarmadaApi | undefined {
    const data = this.#options.dataOf(namespace, instance);
    return data && this.#apis.get(data.store);
  }

  readonly start: StubProgram = async ({ pod, container, address, run }) => {
    const { view, serving, readyMs } = this.#options;
    const { namespace = '', labels = {} } = pod.metadata;
    const version = /:(v[\d.]+)$/.exec(container.image ?? '')?.[1] ?? DEFAULT_VERSION;
    const api = (): KarmadaApi | undefined => this.#served(namespace, labels[INSTANCE] ?? '');
    const pair = mountedPair.bind(undefined, view, pod, PAIR);
    const keys = mountedKeys(view, pod);
    const trust = mountedTrust(view, pod);
    const publish = publisher();
    let [isUp, wasReady] = [false, false];
    const listener = await listenTls({ host: address, port: PORT }, pair, (server) => {
      serving(server, (request) => {
        const user = userOf(request, trust());
        if (user === undefined) return UNAUTHORIZED;
        const served = isUp ? api()?.api : undefined;
        const answer = served && answerOfKeys(keys, request, served.store);
        return answer ?? (served && answerOfReview(request, user)) ?? served ?? NOT_READY;
      });
    });
    const own = `${namespace}/${pod.metadata.name}`;
    this.tokenKeys.set(own, keys);
    run.onEnd(() => this.tokenKeys.delete(own));
    this.etcdTrust.set(own, etcdTrustOf(view, pod));
    run.onEnd(() => this.etcdTrust.delete(own));
    run.onEnd(() => listener.close());
    const poll = (): void => {
      const served = api()?.api;
      const store = served?.store;
      const answers = store !== undefined;
      if (served !== undefined) publish(served, trust());
      isUp ||= answers;
      run.setReady(answers);
      // A Pod becomes ready some time after its server.
      const isReady = answers && run.isReady;
      if (isReady && !wasReady) this.#versions.set(store, version);
      wasReady = isReady;
    };
    every(run, readyMs, poll);
  };

  /** The Karmada API, if its etcd has a quorum. */
  #served(namespace: string, instance: string): KarmadaApi | undefined {
    const data = this.#options.dataOf(namespace, instance);
    if (data?.hasQuorum !== true) return undefined;
    const known = this.#apis.get(data.store);
    if (known !== undefined) return known;
    const hasReadyPod = (component: string): boolean =>
      this.#hasReadyPod(namespace, instance, component);
    const version = (): string => this.#versions.get(data.store) ?? DEFAULT_VERSION;
    const made = new KarmadaApi({ hasReadyPod, version }, data.store);
    this.#apis.set(data.store, made);
    return made;
  }

  #hasReadyPod(namespace: string, instance: string, component: string): boolean {
    const labels = { [COMPONENT]: component, [INSTANCE]: instance };
    return this.#options.view
      .pods(namespace)
      .some((pod) => selectsLabels(labels, pod.metadata.labels) && isReady(pod));
  }

  /** A changed Pod may be one behind an APIService. */
  #recheck(pod: KubernetesObject): void {
    const { namespace = '', labels = {} } = pod.metadata;
    if (isTerminating(pod) || isReady(pod))
      this.apiOf(namespace, labels[INSTANCE] ?? '')?.recheck();
  }
}
