/** etcd members as stubs. */
import type { X509Certificate } from 'node:crypto';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import { hasPeerCertificate, peerSchemeOf } from '../../../src/components/etcd/peer-flags.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { selectsLabels } from '../api/selectors.ts';
import { isIssuedBy } from '../karmada/client-trust.ts';
import type { ClusterView } from '../kubelet/cluster-view.ts';
import { environmentOf, expanded, specOf } from '../kubelet/pod-runtime.ts';
import { after, mountedPair, type Started, type StubProgram } from '../kubelet/stub-program.ts';
import { listenTls } from '../network/tls-server.ts';
import { EtcdApi } from './etcd-api.ts';
import type { EtcdCluster } from './etcd-cluster.ts';
import { EtcdClusters, memberFlags, type Membership } from './etcd-clusters.ts';

const PORT = 2379;
const PAIR = {
  volume: 'etcd-cert',
  cert: 'etcd-server.crt',
  key: 'etcd-server.key',
  ca: 'etcd-ca.crt',
};
const PEER_PORT = 2380;
const PEER_PAIR = { ...PAIR, cert: 'etcd-peer.crt', key: 'etcd-peer.key' };
const DATA = '/var/lib/etcd';

/** Whether one of the CAs has issued the certificate of a client. */
function isClientOf({ socket }: ServerHttp2Session, trusted: string): boolean {
  const { getPeerX509Certificate } = socket as { getPeerX509Certificate?: () => X509Certificate };
  const certificate = getPeerX509Certificate?.call(socket);
  return certificate !== undefined && isIssuedBy(certificate, trusted);
}

export class EtcdProgram {
  readonly #view: ClusterView;
  readonly #readyMs: number;
  readonly #clusters = new EtcdClusters();
  /** CAs that running members trust, by Pod (`namespace/name`), PEM. */
  readonly trusted = new Map<string, string>();
  /** By UID of their Pod. */
  readonly #members = new Map<string, Membership>();

  constructor(view: ClusterView, readyMs: number) {
    this.#view = view;
    this.#readyMs = readyMs;
    view.onDeletedClaim(({ metadata }) => this.#clusters.forget(`${metadata.uid ?? ''}/`));
  }

  /** The etcd cluster of a control plane, whose Pods run. */
  clusterOf(namespace: string, instance: string): EtcdCluster | undefined {
    const wanted = { [COMPONENT]: 'etcd', [INSTANCE]: instance };
    for (const { metadata } of this.#view.pods(namespace)) {
      const member = this.#members.get(metadata.uid ?? '');
      if (member !== undefined && selectsLabels(wanted, metadata.labels)) return member.cluster;
    }
    return undefined;
  }

  readonly start: StubProgram = async (started) => {
    try {
      await this.#start(started);
    } catch (error) {
      started.run.end(1, error instanceof Error ? error.message : String(error));
    }
  };

  async #start({ pod, container, address, run }: Started): Promise<void> {
    const variables = environmentOf(pod, container, address);
    const command = [...(container.command ?? []), ...(container.args ?? [])];
    const flags = memberFlags(command.map((one) => expanded(one, variables)));
    const version = /:v?(\d+\.\d+\.\d+)/.exec(container.image ?? '')?.[1] ?? '3.6.6';
    const { uid = '' } = pod.metadata;
    const membership = this.#clusters.join(this.#dataOf(pod), flags);
    const { cluster, id } = membership;
    cluster.start(id, {
      name: flags.name,
      listens: peerSchemeOf(pod),
      hasCertificate: hasPeerCertificate(pod),
      end: () => run.end(0, 'the member has been removed'),
    });
    this.#members.set(uid, membership);
    run.onEnd(() => {
      cluster.stop(id);
      if (this.#members.get(uid) === membership) this.#members.delete(uid);
    });
    const pair = mountedPair.bind(undefined, this.#view, pod, PAIR);
    const api = new EtcdApi(membership, version);
    // etcd reads the CAs of its clients only when it starts.
    const trusted = pair().ca ?? '';
    const listener = await listenTls({ host: address, port: PORT }, pair, (server) => {
      server.on('session', (session) => {
        if (!isClientOf(session, trusted)) session.destroy();
      });
      server.on('stream', (stream: ServerHttp2Stream, headers) => void api.answer(stream, headers));
    });
    run.onEnd(() => listener.close());
    if (peerSchemeOf(pod) === 'https') {
      const peer = mountedPair.bind(undefined, this.#view, pod, PEER_PAIR);
      const peers = await listenTls({ host: address, port: PEER_PORT }, peer, () => undefined);
      run.onEnd(() => peers.close());
    }
    const own = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
    this.trusted.set(own, trusted);
    run.onEnd(() => {
      if (this.trusted.get(own) === trusted) this.trusted.delete(own);
    });
    after(run, this.#readyMs, () => {
      const tell = (): void =>
        run.setReady(cluster.leaderOf(id) !== 0n && cluster.find(id)?.isLearner !== true);
      run.onEnd(cluster.onChange(tell));
      tell();
    });
  }

  /** Identifies the data directory of a member. */
  #dataOf(pod: KubernetesObject): string {
    const { containers, volumes } = specOf(pod);
    const mount = containers
      .flatMap(({ volumeMounts }) => volumeMounts ?? [])
      .find(({ mountPath }) => mountPath.startsWith(DATA));
    const volume = volumes?.find(({ name }) => name === mount?.name);
    const claim = this.#claim(pod, volume?.persistentVolumeClaim?.claimName);
    return `${(claim ?? pod).metadata.uid ?? ''}/${mount?.mountPath ?? ''}`;
  }

  #claim({ metadata }: KubernetesObject, name: string | undefined): KubernetesObject | undefined {
    return name === undefined ? undefined : this.#view.claim(metadata.namespace ?? '', name);
  }
}
