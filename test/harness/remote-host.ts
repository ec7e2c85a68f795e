import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, load, loadAll } from 'js-yaml';
import { isReview, readAudit, type AuditEvent } from '../../tools/embedded-cluster/audit.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply } from './cluster.ts';

const RIGHTS = 'config/remote-host/rights.yaml';
const ACCOUNT = { name: 'karmada-operator-remote', namespace: 'karmada-system' };

const rights = async (root = checkout): Promise<object[]> =>
  loadAll(await readFile(join(root, RIGHTS), 'utf8')) as object[];

/** Credentials of an operator in another cluster for a host cluster. */
export interface HostCredentials {
  readonly token: string;
  /** CA certificates of the host cluster's API server, PEM. */
  readonly caBundle: string;
}

/**
 * Grants an operator in another cluster access to this host cluster, as the documentation describes.
 * @param root checkout with the RBAC manifest; defaults to this checkout
 */
export async function grantHostAccess(host: Cluster, root = checkout): Promise<HostCredentials> {
  await apply(host, ...(await rights(root)));
  const { name, namespace } = ACCOUNT;
  const secret = ['get', 'secret', name, '-n', namespace, '-o', 'json'];
  return poll('the token exists', async (seen) => {
    const { data = {} } = JSON.parse(await kubectl(host, secret)) as {
      data?: Readonly<Record<string, string>>;
    };
    seen(Object.keys(data).join());
    const { token, 'ca.crt': ca } = data;
    if (token === undefined || ca === undefined) return undefined;
    const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
    return { token: decoded(token), caBundle: decoded(ca) };
  });
}

/** Kubeconfig with the token. */
export async function kubeconfigWith(host: Cluster, { token }: HostCredentials): Promise<string> {
  const admin = load(await readFile(host.kubeconfig, 'utf8')) as {
    clusters: { name: string }[];
  };
  const context = { cluster: admin.clusters[0]?.name, user: 'operator' };
  return dump({
    ...admin,
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'remote', context }],
    'current-context': 'remote',
  });
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** All permissions of the remote role, one per verb and resource, for example `patch deployments.apps`. */
export async function grantedRights(): Promise<Set<string>> {
  const roles = (await rights()) as { kind: string; rules?: readonly Rule[] }[];
  const rules = roles.flatMap(({ kind, rules = [] }) => (kind === 'ClusterRole' ? rules : []));
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => {
          const [kind = '', subresource] = resource.split('/');
          const full = `${kind}${group === '' ? '' : `.${group}`}`;
          const named = subresource === undefined ? full : `${full}/${subresource}`;
          return verbs.map((verb) => `${verb} ${named}`);
        }),
      ),
    ),
  );
}

/** Requests of operators in other clusters to a host cluster, from its audit log, without access reviews. */
export async function requestsTo({ name }: Cluster, since?: number): Promise<AuditEvent[]> {
  const user = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;
  const events = await readAudit(name, since);
  return events.filter((event) => event.user === user && !isReview(event));
}

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Their writes since a time (milliseconds since the epoch), for example `patch deployments.apps karmada-webhook`. */
export async function writesTo(host: Cluster, since: number): Promise<string[]> {
  const events = (await requestsTo(host, since)).filter(({ verb }) => !READING.has(verb));
  return events.map(({ verb, resource, name = '' }) => `${verb} ${resource} ${name}`);
}

/**
 * Permissions used on host clusters, from their audit logs. Non-resource URLs such as `/version` need no permission.
 */
export async function usedRights(hosts: readonly Cluster[]): Promise<Set<string>> {
  const events = (await Promise.all(hosts.map((host) => requestsTo(host)))).flat();
  return new Set(
    events
      .filter(({ resource }) => !resource.startsWith('/'))
      .map(({ verb, resource }) => `${verb} ${resource}`),
  );
}
