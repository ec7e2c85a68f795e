/**
 * Identities of the components of a control plane: what happens without a rule of a role, and while the components of a running
 * control plane leave the group `system:masters`.
 *
 * @size enormous
 * @job identities
 */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import { IDENTITIES } from '../../src/controlplane/rbac-rules.ts';
import { SWITCH_ORDER } from '../../src/features/identities/decide-identities.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { auditedComponents, ComponentAudit } from '../harness/component-audit/follow-components.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { podsIn, restartsBetween } from '../harness/plan.ts';
import { underTraffic } from '../harness/traffic/traffic.ts';

const namespace = 'identities-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const ANNOTATION = 'operator.karmada.io/component-identities';

/** As an earlier operator has left it. */
const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace, annotations: { [ANNOTATION]: 'Masters' } },
  spec: {
    components: {
      etcd: { local: {} },
      karmadaAPIServer: auditedComponents,
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
  let audit: ComponentAudit | undefined;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    audit = await ComponentAudit.start(cluster, { name, namespace });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await audit?.end();
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  const condition = async (): Promise<Condition | undefined> => {
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    return status?.conditions?.find(({ type }) => type === 'ComponentIdentities');
  };

  /** Organization in the certificate of a component. */
  async function groupOf(component: string): Promise<string> {
    const secret = instanceName(name, `${component}-config`);
    const { data } = await getObject<KubernetesObject & { data: Record<string, string> }>(
      ...([cluster, 'secret', secret, namespace] as const),
    );
    const { subject } = new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'));
    return /O=(.*)/.exec(subject)?.[1] ?? '';
  }

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

  it('leaves system:masters with the first component without failed calls and restarts', async () => {
    const [first = '', second = ''] = SWITCH_ORDER;
    expect(await groupOf(first)).toBe('system:masters');
    const before = await podsIn(cluster, namespace);
    const report = await underTraffic(cluster, plane, async () => {
      await kubectl(cluster, ['annotate', 'karmada', name, ...inNamespace, `${ANNOTATION}-`]);
      await poll(
        'the second component is on trial',
        async (seen) => {
          const { reason, message } = (await condition()) ?? {};
          seen(`${reason ?? ''}: ${message ?? ''}`);
          expect(reason).not.toBe('IdentityRefused');
          return message?.startsWith(`${second}: uses an identity`) ? true : undefined;
        },
        { deadlineMs: 1_800_000, intervalMs: 5_000 },
      );
    });
    expect(report.failed).toEqual([]);
    expect([report.lost, report.unseen]).toEqual([[], []]);
    expect(restartsBetween(before, await podsIn(cluster, namespace))).toEqual([]);
    expect(await groupOf(first)).toBe('system:karmada:components');
  }, 2_400_000);

  it('has forbidden no component a request', async () => {
    const found = await audit?.end();
    expect(found?.components).toEqual(expect.arrayContaining(SWITCH_ORDER.slice(0, 1)));
    expect(found?.forbidden).toEqual([]);
  }, 60_000);
});
