/** @tier always */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada, KarmadaSpec } from '../../src/api/karmada.ts';
import { countRequests, readAudit } from '../../tools/embedded-cluster/audit.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { etcdTags, karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { operatorNamespace } from '../demo/install.ts';
import { apply, getObject, quiet, useCluster } from '../harness/cluster.ts';
import { askWebhook } from '../harness/component-audit/ask-webhook.ts';
import { auditedComponents, ComponentAudit } from '../harness/component-audit/follow-components.ts';
import { mountedMasters } from '../harness/component-leaves.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';

const namespace = 'core-test';
const name = 'karmada-core';
const inNamespace = ['-n', namespace];
const operatorUser = `system:serviceaccount:${operatorNamespace}:karmada-operator`;
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const EPHEMERAL: KarmadaSpec = {
  components: {
    etcd: { local: { volumeData: { emptyDir: {} } } },
    karmadaAPIServer: auditedComponents,
    karmadaMetricsAdapter: { replicas: 1 },
  },
};

function karmada(spec: KarmadaSpec = EPHEMERAL, called = name): object {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: called, namespace },
    spec,
  };
}

function policy(called: string, spec: object): object {
  const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'hello' }];
  return {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: called, namespace: 'default' },
    spec: { resourceSelectors, ...spec },
  };
}

const hello = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'hello', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'hello' } },
    template: {
      metadata: { labels: { app: 'hello' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: 'hello', image: 'docker.io/library/busybox:1.36', command: ['sleep', '3600'] },
        ],
      },
    },
  },
};

describeCluster('Karmada', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let audit: ComponentAudit | undefined;

  const condition = async (type: string, called = name): Promise<Condition | undefined> => {
    const found = await getObject<Karmada>(cluster, 'karmada', called, namespace);
    return found.status?.conditions?.find((item) => item.type === type);
  };

  const until = async (
    type: string,
    expected: Partial<Condition>,
    called = name,
  ): Promise<void> => {
    await poll(`${type} is ${JSON.stringify(expected)}`, async (seen) => {
      const found = await condition(type, called);
      seen(JSON.stringify(found));
      const same = Object.entries(expected).every(
        ([field, value]) => found?.[field as keyof Condition] === value,
      );
      return same ? true : undefined;
    });
  };

  /** Returns the writes of the operator as `count verb resource`, without Leases, Events and access reviews. */
  const writesSince = async (since: number): Promise<string[]> =>
    countRequests(await readAudit(cluster.name, since))
      .filter(({ user, verb }) => user === operatorUser && WRITES.includes(verb))
      .filter(({ resource }) => !/^(leases|events|selfsubject\w+reviews)\b/.test(resource))
      .map(({ verb, resource, count }) => `${count} ${verb} ${resource}`);

  beforeAll(async () => {
    cluster = await useCluster([
      ...(['busybox', 'etcd', 'kubernetes', 'kubernetes-previous'] as const),
      ...(['karmada', 'karmada-previous'] as const),
    ]);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    audit = await ComponentAudit.start(cluster, { name, namespace });
  }, 1_800_000);

  afterAll(async () => {
    await audit?.end();
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    await tryKubectl(cluster, ['delete', 'deployment', 'hello', '-n', 'default']);
  }, 120_000);

  it('becomes Ready with every APIService available and reports the running versions', async () => {
    const since = Date.now();
    await apply(cluster, karmada());
    const ready = await untilReady(cluster, name, namespace);
    expect(ready.status).toMatchObject({
      phase: 'Running',
      versions: {
        karmada: karmadaReleases.current,
        kubernetes: 'v1.35.4',
        etcd: etcdTags.current.split('-')[0],
      },
      etcd: '1/1',
      secretRef: { name: `${name}-admin-config`, namespace },
    });
    plane = await openControlPlane(cluster, name, namespace);
    const services = await plane.kubectl([
      'get',
      'apiservices',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Available")].status}{"\\n"}{end}',
    ]);
    expect(services).toContain('v1alpha1.cluster.karmada.io True');
    expect(services).not.toContain('False');
    // An installation writes only a few statuses and Events.
    const counts = countRequests(await readAudit(cluster.name, since)).filter(
      ({ user, verb }) => user === operatorUser && WRITES.includes(verb),
    );
    for (const { resource, count } of counts)
      if (/^(karmadas.*\/status|events)/.test(resource)) expect(count).toBeLessThanOrEqual(15);
    // No part of a healthy installation is called a failure, however slow it is.
    const failed = `involvedObject.kind=Karmada,involvedObject.name=${name},reason=Failed`;
    const list = ['get', 'events', ...inNamespace, `--field-selector=${failed}`];
    expect(await kubectl(cluster, [...list, '-o', 'jsonpath={.items[*].message}'])).toBe('');
  }, 300_000);

  it('runs a Deployment in the host cluster when it is joined as a member cluster', async () => {
    await plane.karmadactl(['join', 'host', `--cluster-kubeconfig=${cluster.kubeconfig}`]);
    await poll('the member cluster is Ready', async (seen) => {
      const result = await plane.tryKubectl([
        'get',
        'cluster',
        'host',
        '-o',
        'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
      ]);
      seen(result.stdout + result.stderr);
      return result.stdout === 'True' ? true : undefined;
    });
    const placement = { clusterAffinity: { clusterNames: ['host'] } };
    for (const object of [hello, policy('hello', { placement })])
      await plane.kubectl(['apply', '-f', '-'], JSON.stringify(object));
    await poll('the Deployment runs in the member cluster', async (seen) => {
      const ready = ['get', 'deployment', 'hello', '-n', 'default', '-o'];
      const result = await tryKubectl(cluster, [...ready, 'jsonpath={.status.readyReplicas}']);
      seen(result.stdout + result.stderr);
      return result.stdout === '1' ? true : undefined;
    });
  }, 180_000);

  it('rejects a contradictory PropagationPolicy', async () => {
    const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 3, maxGroups: 1 }];
    const bad = JSON.stringify(policy('bad', { placement: { spreadConstraints } }));
    const result = await plane.tryKubectl(['apply', '-f', '-'], bad);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('denied the request');
    await plane.kubectl(['delete', 'propagationpolicy', 'hello', '-n', 'default']);
    await plane.kubectl(['delete', 'deployment', 'hello', '-n', 'default']);
  }, 60_000);

  it('restores deleted and changed objects with the same CA', async () => {
    const caSecret = ['get', 'secret', `${name}-cert`, ...inNamespace, '-o'];
    const before = await kubectl(cluster, [...caSecret, 'jsonpath={.data.ca\\.crt}']);
    await kubectl(cluster, ['delete', 'secret', `${name}-cert`, ...inNamespace]);
    await kubectl(cluster, ['delete', 'service', `${name}-webhook`, ...inNamespace]);
    await kubectl(cluster, [
      'scale',
      'deployment',
      `${name}-scheduler`,
      '--replicas=0',
      ...inNamespace,
    ]);
    await poll('all objects are restored', async (seen) => {
      const found = await tryKubectl(cluster, [...caSecret, 'jsonpath={.data.ca\\.crt}']);
      const service = await tryKubectl(cluster, [
        'get',
        'service',
        `${name}-webhook`,
        ...inNamespace,
      ]);
      const scale = ['get', 'deployment', `${name}-scheduler`, ...inNamespace, '-o'];
      const { stdout } = await tryKubectl(cluster, [...scale, 'jsonpath={.spec.replicas}']);
      seen(found.stderr + service.stderr + stdout);
      return found.stdout === before && service.code === 0 && stdout === '1' ? true : undefined;
    });
    await untilReady(cluster, name, namespace);
  }, 240_000);

  it('blocks growth to an even number of etcd members', async () => {
    const members = (replicas: number): object => ({
      components: { etcd: { local: { replicas } } },
    });
    await patchAsPlanned(cluster, { name, namespace }, members(2), () =>
      until('Ready', { status: 'False', reason: 'ChangeBlocked' }),
    );
    expect((await condition('EtcdHealthy'))?.status).toBe('True');
    await patchAsPlanned(cluster, { name, namespace }, members(1));
  }, 120_000);

  it('changes nothing while it is suspended and continues afterwards', async () => {
    const suspend = (value: boolean): Promise<string> =>
      kubectl(cluster, [
        'patch',
        'karmada',
        name,
        ...inNamespace,
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { suspend: value } }),
      ]);
    await suspend(true);
    await until('Suspended', { status: 'True' });
    const since = Date.now();
    await kubectl(cluster, ['delete', 'service', `${name}-webhook`, ...inNamespace]);
    await quiet(5_000);
    expect(await writesSince(since)).toEqual([]);
    await suspend(false);
    await untilReady(cluster, name, namespace);
    await kubectl(cluster, ['get', 'service', `${name}-webhook`, ...inNamespace]);
  }, 120_000);

  it('has forbidden no component a request so far', async () => {
    await askWebhook(plane);
    const found = await audit?.end();
    const expected = ['controller-manager', 'scheduler', 'webhook'];
    expect(found?.components).toEqual(expect.arrayContaining(expected));
    expect(found?.forbidden).toEqual([]);
  }, 60_000);

  it('has no Pod that can read a certificate in the group system:masters', async () => {
    expect(await mountedMasters(cluster, namespace)).toEqual([]);
  }, 60_000);

  it('rejects the Karmada created later when two use the same object names', async () => {
    // The object names of both would start with twin-karmada-.
    await apply(cluster, karmada({ suspend: true }, 'twin'));
    await until('Suspended', { status: 'True' }, 'twin');
    await quiet(1_100);
    await apply(cluster, karmada(EPHEMERAL, 'twin-karmada'));
    await until('Ready', { status: 'False', reason: 'NameCollision' }, 'twin-karmada');
    await kubectl(cluster, ['delete', 'karmada', 'twin-karmada', 'twin', ...inNamespace]);
  }, 120_000);

  it('reports the deletion and leaves nothing', async () => {
    await kubectl(cluster, ['delete', 'karmada', name, ...inNamespace, '--wait=false']);
    await until('Ready', { status: 'False', message: 'the control plane is being deleted' });
    await kubectl(cluster, ['wait', '--for=delete', `karmada/${name}`, ...inNamespace]);
    const kinds = 'deployment,statefulset,service,secret,poddisruptionbudget,persistentvolumeclaim';
    const left = await kubectl(cluster, ['get', kinds, ...inNamespace, '-o', 'name']);
    expect(left).toBe('');
    await poll(
      'the Pods are deleted',
      async (seen) => {
        const pods = await kubectl(cluster, ['get', 'pods', ...inNamespace, '-o', 'name']);
        seen(pods);
        return pods === '' ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
  }, 240_000);

  it('names the CRDs of another patch release, and what to set for another minor version', async () => {
    const untilSaid = (type: string, parts: readonly string[]): Promise<true> =>
      poll(`${type} contains ${parts.join(', ')}`, async (seen) => {
        const { message = '' } = (await condition(type)) ?? {};
        seen(message);
        return parts.every((part) => message.includes(part)) ? true : undefined;
      });
    await apply(cluster, karmada({ ...EPHEMERAL, version: 'v1.17.99' }));
    await untilSaid('Warning', [
      `the CRDs of Karmada v1.17.99 and uses those of ${karmadaReleases.previous}`,
    ]);
    await kubectl(cluster, ['delete', 'karmada', name, ...inNamespace, '--timeout=60s']);
    await apply(cluster, karmada({ ...EPHEMERAL, version: 'v1.99.0' }));
    await untilSaid('Degraded', [
      'CRDs of Karmada v1.99.0',
      'spec.crdTarball.configMapRef',
      '--crd-archive-url',
    ]);
    await kubectl(cluster, ['delete', 'karmada', name, ...inNamespace, '--timeout=60s']);
  }, 300_000);

  it('installs the previous Karmada release when the image tags select it', async () => {
    const imageTag = karmadaReleases.previous;
    const old = { imageTag };
    await apply(
      cluster,
      karmada({
        components: {
          ...EPHEMERAL.components,
          karmadaAPIServer: { imageTag: 'v1.34.3' },
          kubeControllerManager: { imageTag: 'v1.34.3' },
          karmadaAggregatedAPIServer: old,
          karmadaControllerManager: old,
          karmadaScheduler: old,
          karmadaWebhook: old,
          karmadaMetricsAdapter: { imageTag, replicas: 1 },
        },
      }),
    );
    const ready = await untilReady(cluster, name, namespace);
    expect(ready.status?.versions).toMatchObject({ karmada: imageTag });
    await kubectl(cluster, ['delete', 'karmada', name, ...inNamespace, '--timeout=60s']);
  }, 300_000);
});
