/** An operator that watches single namespaces, with only the Roles of config/watch-namespaces. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Rule } from '../../../src/permissions/permission.ts';
import { WATCHED_NAMESPACE } from '../../../scripts/deploy/manifests.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { startTenants, type Tenants } from '../../harness/servers/tenants.ts';
import { serveKarmadas } from '../../harness/servers/reconciler.ts';
import { startWithRoles, type WithRoles } from './roles.ts';

const FILE = 'config/watch-namespaces/2-rights.yaml';
const [TEAM, OTHER, UNSEEN] = [WATCHED_NAMESPACE, 'team-b', 'unseen'];
const local = { components: { etcd: { local: { volumeData: { emptyDir: {} } } } } };
const etcdIn = (namespace: string) => ({ namespace, name: 'karmada-etcd' });

let environment: WithRoles;
let operator: Tenants;

const start = (...namespaces: readonly string[]): Promise<Tenants> =>
  startTenants(
    { client: environment.client, scope: { namespaces, without: [] } },
    { api: environment.api },
  );

beforeAll(async () => {
  environment = await startWithRoles(FILE, 'karmada-operator');
  await serveKarmadas(environment.admin);
  operator = await start(TEAM);
  for (const name of [OTHER, UNSEEN]) await operator.namespace(name);
});

afterAll(async () => {
  await operator.stop();
  await environment.stop();
});

describe('operator with a Role in one namespace', () => {
  it('installs the Karmada there, and does not see others', async () => {
    await operator.karmada(UNSEEN, local);
    await operator.karmada(TEAM, local);
    await eventually('the etcd is created', () =>
      environment.admin.find(resources.StatefulSet, etcdIn(TEAM)),
    );
    const other = await environment.admin.get(karmadas, { namespace: UNSEEN, name: 'karmada' });
    expect([other['status'], other.metadata.finalizers]).toEqual([undefined, undefined]);
  });

  it('refuses a Secret of another namespace with the reason, and without a request', async () => {
    const secretRef = { namespace: UNSEEN, name: 'host' };
    await operator.karmada(TEAM, { ...local, hostCluster: { secretRef } }, 'remote');
    const accepts = ({ message }: { readonly message: string }): boolean =>
      message.includes(`Secret ${UNSEEN}/host cannot be read`);
    const { message } = await operator.told(TEAM, accepts, 'remote');
    expect(message).toContain(`the operator does not watch namespace ${UNSEEN}`);
  });

  it('deletes a Karmada, and no call was forbidden', async () => {
    for (const name of ['karmada', 'remote'])
      await environment.admin.delete(karmadas, { namespace: TEAM, name });
    await eventually('the Karmadas are gone', async () => {
      const { items } = await environment.admin.list(karmadas, { namespace: TEAM });
      return items.length === 0;
    });
    expect(await environment.forbidden()).toEqual([]);
  });
});

describe('operator with an incomplete Role in one of two namespaces', () => {
  /** Applies the Role to another namespace, without a resource. */
  const grantIn = async (namespace: string, without: string): Promise<void> => {
    const objects = loadAll(await readFile(join(checkout, FILE), 'utf8')) as KubernetesObject[];
    for (const object of objects.filter(({ metadata }) => metadata.namespace === TEAM)) {
      const rules = (object['rules'] as readonly Rule[] | undefined)?.map((rule) => ({
        ...rule,
        resources: rule.resources?.filter((resource) => resource !== without),
      }));
      const metadata = { ...object.metadata, namespace };
      const granted = { ...object, metadata, ...(rules && { rules }) };
      await environment.admin.apply(granted, { fieldManager: 'admin', force: true });
    }
  };

  it('installs in the other namespace, and creates nothing where the API server denies a list', async () => {
    await operator.stop();
    await grantIn(OTHER, 'secrets');
    operator = await start(TEAM, OTHER);
    await operator.karmada(OTHER, local);
    await operator.karmada(TEAM, local, 'karmada-second');
    await eventually('the etcd is created', () =>
      environment.admin.find(resources.StatefulSet, {
        namespace: TEAM,
        name: 'karmada-second-etcd',
      }),
    );
    const { reason } = await operator.told(OTHER, ({ message }) =>
      message.includes(`secrets in namespace ${OTHER}`),
    );
    expect(reason).toBe('ClusterNotObserved');
    expect(await environment.admin.find(resources.StatefulSet, etcdIn(OTHER))).toBeUndefined();
    expect((await environment.admin.list(resources.Secret, { namespace: OTHER })).items).toEqual(
      [],
    );
    expect(operator.log.lines.join('\n')).toContain(OTHER);
  });
});
