import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { operatorNamespace } from '../demo/install.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import { apply, getObject } from './cluster.ts';
import type { Decision, Plan } from './fault-proxy/faults.ts';
import {
  operatorPodLog,
  startOperatorPod,
  stopOperatorPod,
  type Container,
} from './operator-pod.ts';

const name = 'faulted-operator';
const proxy = 'fault-proxy';
const ports = { host: 16_443, tunnel: 15_443 };
const programs = ['main', 'proxy', 'control-plane', 'calls', 'faults', 'refusals'] as const;
const account = '/var/run/secrets/kubernetes.io/serviceaccount';

const folder = join(checkout, 'test/harness/fault-proxy');

/** Files of the proxy in one folder: program from the checkout, plan and certificate. */
async function proxyFolder(plan: Plan): Promise<Record<string, string>> {
  const authority = await newPair({ commonName: 'fault-proxy-ca' });
  const pair = await newPair({ commonName: 'fault-proxy', hosts: ['127.0.0.1'] }, authority);
  const files = programs.map(async (program): Promise<[string, string]> => {
    const file = `${program}.ts`;
    return [file, await readFile(join(folder, file), 'utf8')];
  });
  return {
    ...Object.fromEntries(await Promise.all(files)),
    'package.json': '{"type":"module"}',
    'plan.json': JSON.stringify(plan),
    'ca.crt': authority.cert,
    'tls.crt': pair.cert,
    'tls.key': pair.key,
  };
}

/** Native sidecar container with the proxy, which starts before the operator. */
function proxyContainer({ image, securityContext }: Container): object {
  return {
    name: proxy,
    image,
    command: ['/usr/local/bin/node', `/${proxy}/main.ts`],
    restartPolicy: 'Always',
    env: [
      { name: 'FAULT_PROXY_PORT', value: String(ports.host) },
      { name: 'FAULT_PROXY_TUNNEL_PORT', value: String(ports.tunnel) },
    ],
    startupProbe: { tcpSocket: { port: ports.tunnel }, periodSeconds: 1, failureThreshold: 60 },
    volumeMounts: [{ name: proxy, mountPath: `/${proxy}`, readOnly: true }],
    securityContext,
  };
}

/** Operator container that uses the proxy as API server of the host cluster and of control planes. */
function behindProxy(container: Container, preload: string): object {
  return {
    ...container,
    env: [
      ...(container.env ?? []),
      { name: 'KUBERNETES_SERVICE_HOST', value: '127.0.0.1' },
      { name: 'KUBERNETES_SERVICE_PORT', value: String(ports.host) },
      { name: 'FAULT_PROXY_TUNNEL_PORT', value: String(ports.tunnel) },
      { name: 'NODE_OPTIONS', value: `--import=data:text/javascript;base64,${preload}` },
    ],
    volumeMounts: [
      ...(container.volumeMounts ?? []),
      { name: 'account', mountPath: account, readOnly: true },
    ],
  };
}

/** ServiceAccount volume of the Pod with the CA of the proxy instead of that of the host cluster. */
const accountVolume = {
  name: 'account',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token' } },
      { secret: { name: proxy, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    ],
  },
};

/**
 * Starts the installed operator as a separate Pod instead of its Deployment. The fault proxy runs between the
 * operator and all its API servers.
 */
export async function startFaultedOperator(cluster: Cluster, plan: Plan): Promise<void> {
  const preload = await readFile(join(folder, 'tunnel.mjs'), 'base64');
  await stopFaultedOperator(cluster);
  await apply(cluster, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: proxy, namespace: operatorNamespace },
    stringData: await proxyFolder(plan),
  });
  await startOperatorPod(cluster, name, (spec) => ({
    ...spec,
    initContainers: spec.containers.map(proxyContainer),
    containers: spec.containers.map((container) => behindProxy(container, preload)),
    volumes: [
      ...(spec.volumes ?? []),
      accountVolume,
      { name: proxy, secret: { secretName: proxy } },
    ],
  }));
}

export async function stopFaultedOperator(cluster: Cluster): Promise<void> {
  await stopOperatorPod(cluster, name);
}

interface Pod {
  readonly status: {
    readonly initContainerStatuses: readonly { readonly restartCount: number }[];
  };
}

/**
 * Calls that went through the proxy, in order, with the injected faults.
 * @throws Error if the proxy container restarted
 */
export async function callsOf(cluster: Cluster): Promise<Decision[]> {
  const { status } = await getObject<Pod>(cluster, 'pod', name, operatorNamespace);
  if (status.initContainerStatuses.some(({ restartCount }) => restartCount > 0)) {
    const last = await operatorPodLog(cluster, name, ['-c', proxy, '--previous', '--tail=30']);
    throw new Error(`the fault proxy ended:\n${last.join('\n')}`);
  }
  const lines = await operatorPodLog(cluster, name, ['-c', proxy]);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Decision);
}
