/** @size small */
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, expect, it } from '@jest/globals';
import { countRequests, readAudit } from '../../tools/embedded-cluster/audit.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';

const busybox = 'docker.io/library/busybox:1.36';
const namespace = 'cluster-test';

function deployment(name: string, command: string[], volumes: object[] = []): object {
  const labels = { app: name };
  const container = {
    name,
    image: busybox,
    command,
    volumeMounts: volumes.length === 0 ? [] : [{ name: 'data', mountPath: '/data' }],
  };
  const template = {
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 1, containers: [container], volumes },
  };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec };
}

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Mi' } } },
};

describeCluster('embedded cluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await useCluster();
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--wait']);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }, 1_800_000);

  it('runs the Pods of a Deployment, which resolve and reach Services', async () => {
    const volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
    const serve = 'echo served from a PVC > /data/index.html; exec httpd -f -p 8080 -h /data';
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    };
    await apply(cluster, claim, service, deployment('web', ['sh', '-c', serve], [volume]));
    await apply(cluster, deployment('client', ['sleep', '3600']));
    for (const name of ['web', 'client']) {
      await kubectl(cluster, [
        'rollout',
        'status',
        `deployment/${name}`,
        '-n',
        namespace,
        '--timeout=120s',
      ]);
    }
    const url = `http://web.${namespace}.svc.cluster.local`;
    const fetch = ['exec', '-n', namespace, 'deployment/client', '--', 'wget', '-qO-', url];
    const page = await poll('the Service responds', async (seen) => {
      const result = await tryKubectl(cluster, fetch);
      seen(result.stderr);
      return result.code === 0 ? result.stdout : undefined;
    });
    expect(page).toBe('served from a PVC\n');
  }, 180_000);

  it('binds a PVC to a volume and deletes both together', async () => {
    interface Claim {
      spec: { volumeName: string; storageClassName: string };
      status: { phase: string };
    }
    interface Volume {
      spec: { local: { path: string } };
    }
    const bound = await getObject<Claim>(cluster, 'pvc', 'data', namespace);
    expect(bound).toMatchObject({
      status: { phase: 'Bound' },
      spec: { storageClassName: 'local-path' },
    });
    const volume = await getObject<Volume>(cluster, 'pv', bound.spec.volumeName, '');
    expect(readFileSync(`${volume.spec.local.path}/index.html`, 'utf8')).toBe(
      'served from a PVC\n',
    );
    await kubectl(cluster, ['delete', 'deployment/web', 'pvc/data', '-n', namespace, '--wait']);
    await poll('the volume is deleted', async (seen) => {
      const result = await tryKubectl(cluster, ['get', 'pv', bound.spec.volumeName]);
      seen(result.stdout);
      return result.code === 0 ? undefined : true;
    });
    expect(existsSync(volume.spec.local.path)).toBe(false);
  }, 120_000);

  it('rejects a Pod that violates the Pod Security level of its Namespace', async () => {
    const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const strict = `${namespace}-strict`;
    await apply(cluster, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: strict, labels: enforce },
    });
    const pod = [
      'run',
      'root',
      '-n',
      strict,
      '--image',
      busybox,
      '--privileged',
      '--restart=Never',
    ];
    const refused = await tryKubectl(cluster, pod);
    await kubectl(cluster, ['delete', 'namespace', strict, '--wait=false']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('violates PodSecurity "restricted:latest"');
  }, 60_000);

  it('drops packets from Pods to other machines', async () => {
    const leave = [
      'exec',
      '-n',
      namespace,
      'deployment/client',
      '--',
      'ping',
      '-c',
      '1',
      '-W',
      '2',
      '203.0.113.1',
    ];
    const result = await tryKubectl(cluster, leave);
    expect(result.code).not.toBe(0);
    expect(result.stdout).toContain('100% packet loss');
  }, 30_000);

  it('counts requests by user, verb and resource', async () => {
    const since = Date.now();
    const list = (): Promise<string> => kubectl(cluster, ['get', 'configmaps', '-n', namespace]);
    await Promise.all([list(), list(), list()]);
    const own = await poll('three requests are in the audit log', async (seen) => {
      const counts = countRequests(await readAudit(sharedCluster, since));
      const found = counts.find(
        ({ user, verb, resource }) =>
          user === 'admin' && verb === 'list' && resource === 'configmaps',
      );
      seen(JSON.stringify(counts));
      return found?.count === 3 ? found : undefined;
    });
    expect(own.count).toBe(3);
  }, 60_000);
});
