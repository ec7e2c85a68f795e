/**
 * Tests a host cluster whose role is older than the operator: missing permissions are reported, and all else is
 * reconciled.
 *
 * @size medium
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseCidr } from '../../../src/kubernetes/connection/addresses.ts';
import { systemClock, type Clock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Rule } from '../../../src/permissions/permission.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { startTenants, type Tenants } from '../../harness/servers/tenants.ts';
import { startWithRoles, type WithRoles } from './roles.ts';

/** Checks that run every few minutes run every few seconds here. */
const FASTER = 6;
const clock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * FASTER,
  after: (ms, action) => systemClock.after(ms / FASTER, action),
};

const CLAIMS = 'persistentvolumeclaims';
const key = { namespace: 'team', name: 'karmada-etcd' };

let host: WithRoles;
let management: Tenants;

beforeAll(async () => {
  host = await startWithRoles('config/remote-host/rights.yaml', 'karmada-operator-remote');
  management = await startTenants({ clock, addresses: { allowed: [parseCidr('127.0.0.0/8')] } });
  await management.namespace('team');
});

afterAll(async () => {
  await Promise.all([management.stop(), host.stop()]);
});

/** Kubeconfig of the host cluster, with the client certificate of the ServiceAccount. */
function kubeconfig({ api, pair }: WithRoles): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const cluster = { server: api.url, 'certificate-authority-data': base64(api.caData) };
  const user = {
    'client-certificate-data': base64(pair.cert),
    'client-key-data': base64(pair.key),
  };
  return JSON.stringify({
    'current-context': 'host',
    clusters: [{ name: 'host', cluster }],
    users: [{ name: 'host', user }],
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'host' } }],
  });
}

type Edit = (rule: Rule) => Rule | undefined;

/** Grants the roles of the file with changed rules. */
const grant = (edit: Edit): Promise<void> =>
  host.grant((object: KubernetesObject) => {
    if (object.kind !== 'ClusterRole') return object;
    const rules = (object['rules'] as readonly Rule[]).flatMap((rule) => edit(rule) ?? []);
    return { ...object, rules };
  });

const has = ({ resources: named = [] }: Rule, resource: string): boolean =>
  named.includes(resource);

const without = (verbs: readonly string[], rule: Rule): Rule => ({
  ...rule,
  verbs: rule.verbs.filter((verb) => !verbs.includes(verb)),
});

/** The file before the operator annotated PVCs and listed PersistentVolumes. */
const OLDER: Edit = (rule) => {
  if (has(rule, 'persistentvolumes')) return undefined;
  return has(rule, CLAIMS) ? without(['patch'], rule) : rule;
};

const spec = {
  hostCluster: { secretRef: { name: 'host', namespace: 'team' } },
  components: { etcd: { local: { volumeData: { emptyDir: {} } } } },
};

const warning = async (): Promise<string> => {
  const { conditions = [] } = await management.status('team');
  return conditions.find(({ type }) => type === 'Warning')?.message ?? '';
};

describe('host cluster with a role of an older operator', () => {
  it('is reconciled, and the Karmada reports exactly the missing permissions', async () => {
    await grant(OLDER);
    await management.secret({ namespace: 'team', name: 'host' }, { kubeconfig: kubeconfig(host) });
    await management.karmada('team', spec);
    const told = await management.told('team', ({ reason }) =>
      reason.startsWith('HostRightsMissing'),
    );
    expect(told).toMatchObject({ type: 'Warning', status: 'True' });
    expect(told.message).toContain(
      `the host cluster at ${host.api.url}: the operator lacks RBAC permissions to patch ${CLAIMS}, list persistentvolumes; apply config/remote-host/rights.yaml to that cluster.`,
    );
    await eventually('the etcd is created', () => host.admin.find(resources.StatefulSet, key));
    await management.told(
      'team',
      ({ type, status }) => type === 'HostReachable' && status === 'True',
    );
  });

  it('is no longer reported when the role is updated', async () => {
    await grant((rule) => rule);
    await eventually('the warning is gone', async () => !(await warning()).includes('lacks'));
  });

  it('gets no etcd when PVCs cannot be listed, because a failed list does not prove that there are none', async () => {
    await grant((rule) => (has(rule, CLAIMS) ? without(['list', 'watch'], rule) : rule));
    await eventually('the API server forbids the list', async () => {
      const listed = host.client.list(resources.PersistentVolumeClaim).then(() => true);
      return !(await listed.catch(() => false));
    });
    await host.admin.delete(resources.StatefulSet, key);
    const told = await management.told('team', ({ message }) =>
      message.includes(`lacks RBAC permissions to list ${CLAIMS}`),
    );
    expect(told.message).toContain('apply config/remote-host/rights.yaml to that cluster.');
    expect(await host.admin.find(resources.StatefulSet, key)).toBeUndefined();
  });
});
