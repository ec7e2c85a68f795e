/**
 * An operator upgrade: all components of running control planes leave the group `system:masters`, one after the other, while clients call
 * the control planes. One has three etcd members and member clusters in both modes, one was adopted from the Go operator, one restored
 * from a backup. Ten minutes for each component are not shortened.
 *
 * @size enormous
 * @job identities
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { COMPONENTS_GROUP, MASTERS_GROUP } from '../../src/api/identities.ts';
import { instanceName } from '../../src/api/naming.ts';
import { SWITCH_ORDER } from '../../src/features/identities/decide-identities.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { conditionOf, confirmationIn, untilAdopted } from '../harness/adopted-karmada.ts';
import {
  componentsOf,
  endAdoption,
  installByGoOperator,
  replaceGoCrd,
  startGoOperator,
  stopGoOperator,
} from '../harness/adoption-scene.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { clientOf } from '../harness/client.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { askWebhook } from '../harness/component-audit/ask-webhook.ts';
import { auditedComponents, ComponentAudit } from '../harness/component-audit/follow-components.ts';
import { mountedMasters, organizationOfComponent } from '../harness/component-leaves.ts';
import { ON_CLAIMS } from '../harness/control-plane-scene.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { formerOperator, WITH_MASTERS } from '../harness/former-operator.ts';
import { accessTo, register, untilMember } from '../harness/members.ts';
import { installBuild, installOperator } from '../harness/operator.ts';
import { podsIn, restartsBetween } from '../harness/plan.ts';
import { startCluster } from '../harness/remote-host-scene.ts';
import { underCalls } from '../harness/rotation-scene.ts';

const namespace = 'identities-switch';
const MINUTE = 60_000;

const MEMBERS = 'members';
const ADOPTED = 'adopted';
const RESTORED = 'restored';
const NAMES = [MEMBERS, ADOPTED, RESTORED] as const;
type Name = (typeof NAMES)[number];

/** Calls of each client: three control planes and two clients each for more than an hour. */
const CALLS_PER_SECOND = 4;

const PUSHED = 'pushed';
const PULLED = 'pulled';
/** Components of control planes without addons. */
const CORE = SWITCH_ORDER.filter((component) => !['descheduler', 'search'].includes(component));

const members = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: MEMBERS, namespace },
  spec: {
    components: {
      etcd: { local: { replicas: 3, volumeData: ON_CLAIMS } },
      karmadaAPIServer: { serviceType: 'NodePort', ...auditedComponents },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaSearch: { replicas: 1 },
      karmadaDescheduler: { replicas: 1 },
    },
  },
};

/** Components whose certificates are of a group. */
type Groups = Readonly<Record<string, readonly string[]>>;

describeCluster('operator upgrade, after which components leave system:masters', () => {
  let cluster: Cluster;
  let pulled: Cluster | undefined;
  let client: KubernetesClient;
  let scene: BackupScene;
  const planes = new Map<Name, ControlPlane>();
  const audits: ComponentAudit[] = [];

  const planeOf = (name: Name): ControlPlane => {
    const plane = planes.get(name);
    if (plane === undefined) throw new Error(`the control plane ${name} is not installed`);
    return plane;
  };

  /** Installs a control plane with the Go operator, which the earlier operator adopts. */
  async function adopt(install: () => Promise<void>): Promise<void> {
    const at = { cluster, name: ADOPTED, namespace };
    await startGoOperator(cluster, client, 'current');
    await installByGoOperator(client, at, {
      components: componentsOf('current', { volumeData: ON_CLAIMS }),
    });
    await replaceGoCrd(client);
    await install();
    await stopGoOperator(client);
    await kubectl(cluster, confirmationIn(await untilAdopted(at, 'AdoptionPending')));
    await untilReady(cluster, ADOPTED, namespace, 5 * MINUTE);
  }

  async function restore(): Promise<void> {
    const components = {
      etcd: { local: { volumeData: ON_CLAIMS } },
      karmadaAPIServer: auditedComponents,
      karmadaMetricsAdapter: { replicas: 1 },
    };
    await apply(cluster, scene.karmada(1, { components }), ...scene.store());
    await untilReady(cluster, RESTORED, namespace, 5 * MINUTE);
    await apply(cluster, scene.backup('first'));
    expect((await scene.untilEnded('first')).status?.phase).toBe('Verified');
    await scene.restored('back', 'first', 'Complete');
    await untilReady(cluster, RESTORED, namespace, 5 * MINUTE);
  }

  async function join(host: Cluster, member: Cluster): Promise<void> {
    await apply(host, members);
    await untilReady(host, MEMBERS, namespace, 5 * MINUTE);
    const plane = await openControlPlane(host, MEMBERS, namespace);
    planes.set(MEMBERS, plane);
    await plane.karmadactl(['join', PUSHED, ...(await accessTo(host))]);
    await register({ plane, host, name: MEMBERS, namespace }, member, PULLED);
    await untilMembers();
  }

  async function untilMembers(): Promise<void> {
    await untilMember(planeOf(MEMBERS), PUSHED, 'Push');
    await untilMember(planeOf(MEMBERS), PULLED, 'Pull');
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada', 'busybox']);
    client = clientOf(cluster);
    scene = new BackupScene(cluster, namespace, RESTORED);
    const former = await formerOperator(WITH_MASTERS);
    await scene.clean();
    await adopt(() => installBuild(cluster, former));
    for (const name of [MEMBERS, RESTORED])
      audits.push(await ComponentAudit.start(cluster, { name, namespace }));
    pulled = await startCluster(PULLED, ['karmada'], 'cluster.local');
    await join(cluster, pulled);
    await restore();
    for (const name of [ADOPTED, RESTORED] as const)
      planes.set(name, await openControlPlane(cluster, name, namespace));
  }, 2_400_000);

  afterAll(async () => {
    for (const audit of audits) await audit.end();
    await scene.clean();
    await endAdoption(cluster, namespace);
    await client.close();
    if (pulled !== undefined) await down(pulled.name, createProgress(process.stderr));
  }, 600_000);

  const componentsIn = (name: Name): readonly string[] => (name === MEMBERS ? SWITCH_ORDER : CORE);

  /** Components of each control plane whose certificates are in a group. */
  async function inGroup(group: string): Promise<Groups> {
    const rows = NAMES.map(async (name) => {
      const at = { cluster, name, namespace };
      const found: string[] = [];
      for (const component of componentsIn(name))
        if ((await organizationOfComponent(at, component)) === group) found.push(component);
      return [name, found] as const;
    });
    return Object.fromEntries(await Promise.all(rows));
  }

  const ALL: Groups = Object.fromEntries(NAMES.map((name) => [name, componentsIn(name)]));

  /** Waits until the operator reports for no control plane that a component is in the group, or on trial. */
  const untilSwitched = (): Promise<true> =>
    poll(
      'all components have left system:masters',
      async (seen) => {
        const found = await Promise.all(
          NAMES.map(async (name) => {
            const one = await conditionOf({ cluster, name, namespace }, 'ComponentIdentities');
            if (one?.reason === 'IdentityRefused') throw new Error(`${name}: ${one.message}`);
            return one && `${name}: ${one.message}`;
          }),
        );
        const left = await inGroup(MASTERS_GROUP);
        seen(JSON.stringify([found, left]));
        const isDone = Object.values(left).flat().length === 0;
        return isDone && found.every((one) => one === undefined) ? true : undefined;
      },
      { deadlineMs: 120 * MINUTE, intervalMs: 10_000 },
    );

  it('replaces no Pod and fails no call', async () => {
    expect(await inGroup(MASTERS_GROUP)).toEqual(ALL);
    const before = await podsIn(cluster, namespace);
    const upgraded = async (): Promise<void> => {
      await installOperator(cluster);
      await untilSwitched();
    };
    const work = NAMES.reduce<() => Promise<void>>(
      (inner, name) => () => underCalls({ cluster, plane: planeOf(name) }, inner, CALLS_PER_SECOND),
      upgraded,
    );
    await work();
    expect(await inGroup(COMPONENTS_GROUP)).toEqual(ALL);
    expect(restartsBetween(before, await podsIn(cluster, namespace))).toEqual([]);
    await untilMembers();
  }, 9_000_000);

  it('leaves one certificate in system:masters in Pods with a template of the earlier operator', async () => {
    const expected = NAMES.flatMap((name) =>
      (name === MEMBERS ? ['scheduler', 'descheduler'] : ['scheduler']).map(
        (component) => `karmada-${component}: ${instanceName(name, 'cert')}/karmada.crt`,
      ),
    );
    expect(await mountedMasters(cluster, namespace)).toEqual(expected.sort());
  }, 60_000);

  it('has forbidden no component a request', async () => {
    for (const name of [MEMBERS, RESTORED] as const) await askWebhook(planeOf(name));
    const [found, restored] = await Promise.all(audits.map((audit) => audit.end()));
    expect(found?.components).toEqual([...SWITCH_ORDER].sort());
    expect(restored?.components).toEqual([...CORE].sort());
    expect([found?.forbidden, restored?.forbidden]).toEqual([[], []]);
  }, 60_000);
});
