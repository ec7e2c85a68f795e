/** Where Pods of a control plane serve TLS, and under which names: pure. */
import { instanceName } from '../../api/naming.ts';
import type { Consumer } from '../../pki/specs.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { Question } from './facts.ts';

/** Ports by endpoint; see `ConsumerRow.presents`. Besides them, the API server has a port of its own. */
const PORTS: Readonly<Partial<Record<string, number>>> = {
  client: 2379,
  peer: 2380,
  https: 8443,
  grpc: 10_352,
};

const API_SERVER_PORT = 5443;

/** Endpoint at which a question is asked. */
export const QUESTION_ENDPOINTS: Readonly<Record<Question, string>> = {
  selfSubjectReview: 'https',
  forbiddenCall: 'https',
  etcdStatus: 'client',
  http2Settings: 'grpc',
  publicKeys: 'https',
};

/** Where to connect to a Pod, and the name in its certificate. */
export interface Endpoint {
  readonly port: number;
  readonly serverName: string;
}

/** Returns an endpoint of the Pods of a component. @returns undefined if it has no TLS, as that for tokens */
export function endpointOf(
  inputs: PkiInputs,
  component: Consumer,
  end: string,
): Endpoint | undefined {
  const isApiServer = component === 'apiserver' && end === 'https';
  const port = isApiServer ? API_SERVER_PORT : PORTS[end];
  return port === undefined ? undefined : { port, serverName: serverNameOf(inputs, component) };
}

/** Name in the certificate of a component; of etcd, that in the certificates of all members. */
function serverNameOf(
  { name, namespace, inClusterServer }: PkiInputs,
  component: Consumer,
): string {
  if (component === 'apiserver') return new URL(inClusterServer).hostname;
  const service = component === 'etcd' ? 'etcd-client' : component;
  return `${instanceName(name, service)}.${namespace}.svc`;
}

/** URL of the HTTP server in the Pods of a component, with the name in its certificate. */
export const serverOf = (inputs: PkiInputs, component: Consumer): string =>
  component === 'apiserver' ? inputs.inClusterServer : `https://${serverNameOf(inputs, component)}`;
