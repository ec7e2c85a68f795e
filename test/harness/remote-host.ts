import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, load, loadAll } from 'js-yaml';
import { isReview, readAudit, type AuditEvent } from '../cluster/audit.ts';
import { kubectl, type Cluster } from '../cluster/cluster.ts';
import { checkout } from '../cluster/paths.ts';
import { poll } from '../cluster/poll.ts';
import { apply } from './cluster.ts';

const RIGHTS = 'config/remote-host/rights.yaml';
const ACCOUNT = { name: 'karmada-operator-remote', namespace: 'karmada-system' };

const rights = async (root = checkout): Promise<object[]> =>
  loadAll(await readFile(join(root, RIGHTS), 'utf8')) as object[];

/** What an operator in another cluster is given to get into a host. */
export interface HostCredentials {
  readonly token: string;
  /** PEM certificates of the host's API server. */
  readonly caBundle: string;
}

/**
 * Lets an operator in another cluster work in this one, as the documents tell.
 * @param root checkout whose rights it gets; this one when absent
 */
export async function letIn(host: Cluster, root = checkout): Promise<HostCredentials> {
  await apply(host, ...(await rights(root)));
  const { name, namespace } = ACCOUNT;
  const secret = ['get', 'secret', name, '-n', namespace, '-o', 'json'];
  return poll('the token is there', async (seen) => {
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

/** A kubeconfig with the token. */
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

/** Every single right of the remote role, such as `patch deployments.apps`. */
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

/** What operators in other clusters have asked of a host, by its audit log; questions for rights apart. */
export async function requestsTo({ name }: Cluster, since?: number): Promise<AuditEvent[]> {
  const user = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;
  const events = await readAudit(name, since);
  return events.filter((event) => event.user === user && !isReview(event));
}

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Their writes since then (milliseconds since the epoch), such as `patch deployments.apps karmada-webhook`. */
export async function writesTo(host: Cluster, since: number): Promise<string[]> {
  const events = (await requestsTo(host, since)).filter(({ verb }) => !READING.has(verb));
  return events.map(({ verb, resource, name = '' }) => `${verb} ${resource} ${name}`);
}

/** The rights that were made use of on hosts, by their audit logs. What every client may do (`/version`) is none. */
export async function usedRights(hosts: readonly Cluster[]): Promise<Set<string>> {
  const events = (await Promise.all(hosts.map((host) => requestsTo(host)))).flat();
  return new Set(
    events
      .filter(({ resource }) => !resource.startsWith('/'))
      .map(({ verb, resource }) => `${verb} ${resource}`),
  );
}
