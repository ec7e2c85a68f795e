/**
 * Roles of the components of a control plane: what happens without one of their rules. The components are in the group
 * `system:masters`, so that none fails in the meantime.
 *
 * @size enormous
 * @job identities
 */
import { afterAll, beforeAll, it } from '@jest/globals';
import { IDENTITIES } from '../../src/controlplane/rbac-rules.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'identities-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const ANNOTATION = 'operator.karmada.io/component-identities';

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace, annotations: { [ANNOTATION]: 'Masters' } },
  spec: {
    components: {
      etcd: { local: {} },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaSearch: { replicas: 1 },
      karmadaDescheduler: { replicas: 1 },
    },
  },
};

/** A role of each component. */
const ROLES: readonly (readonly [string, readonly string[]])[] = [
  ...IDENTITIES.map(({ suffix }) => [`system:karmada:${suffix}`, ['clusterrole']] as const),
  ['system:karmada:components', ['clusterrole']],
  ['system:karmada:scheduler', ['role', '-n', 'karmada-system']],
];

describeCluster('identities of components', () => {
  let cluster: Cluster;
  let plane: ControlPlane;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  const notes = async (): Promise<string> =>
    kubectl(cluster, [
      ...['get', 'events.events.k8s.io', ...inNamespace],
      ...['-o', 'jsonpath={range .items[*]}{.note}{"\\n"}{end}'],
    ]);

  it.each(ROLES)(
    'names a rule that is taken from the role %s within 30 seconds, and gives it back',
    async (role, [kind = '', ...where]) => {
      const rules = ['get', kind, role, ...where, '-o', 'jsonpath={.rules}'];
      const before = await plane.kubectl(rules);
      const patch = JSON.stringify([{ op: 'remove', path: '/rules/0' }]);
      await plane.kubectl(['patch', kind, role, ...where, '--type=json', '-p', patch]);
      await poll(
        'an Event names the rule',
        async (seen) => {
          const text = await notes();
          seen(text.slice(-2_000));
          return new RegExp(`${role} lacks \\S+`).test(text) ? true : undefined;
        },
        { deadlineMs: 30_000, intervalMs: 500 },
      );
      await poll('the role is complete', async (seen) => {
        const now = await plane.kubectl(rules);
        seen(now);
        return now === before ? true : undefined;
      });
    },
    120_000,
  );
});
