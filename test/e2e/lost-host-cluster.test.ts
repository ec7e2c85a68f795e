/**
 * The loss of a whole host cluster, without the operator and the control plane, but with the bucket of the backups. The control plane
 * is rebuilt in another cluster with the commands of the page for operators. Its member clusters keep running meanwhile: one in push
 * mode, which becomes the new host cluster too, and one in pull mode, whose agent knows the control plane by a DNS name.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import type { KarmadaBackup } from '../../src/api/backup/kinds.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import type { PropagationView } from '../../src/cli/propagation/read-propagation.ts';
import { findCluster, kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { run } from '../embedded-cluster/command.ts';
import { down } from '../embedded-cluster/down.ts';
import type { ImageName } from '../embedded-cluster/images.ts';
import { giveAddress } from '../embedded-cluster/load-balancer.ts';
import { besideNode } from '../embedded-cluster/node.ts';
import { checkout } from '../embedded-cluster/paths.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { createProgress } from '../embedded-cluster/progress.ts';
import { up } from '../embedded-cluster/up.ts';
import { BackupScene, karmadaName as name } from '../harness/backup-scene.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { MOVABLE_NAME, pointName } from '../harness/dns-name.ts';
import { accessTo, register, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { ADDED, PropagatedDeployments } from '../harness/propagated-deployments.ts';
import { propagationOf, propagationText } from '../harness/propagation.ts';
import { follow } from '../harness/runbook.ts';
import { startS3, stopS3, type S3 } from '../harness/s3.ts';
import { sharedCluster } from '../harness/shared.ts';

const progress = createProgress(process.stderr);
const namespace = 'lost-host';
const KEYS = 2_500;
/** Goal for the rebuild in milliseconds. */
const REBUILD_MS = 300_000;
const IMAGES: readonly ImageName[] = ['busybox', 'etcd', 'kubernetes', 'karmada'];
const [PUSHED, PULLED] = ['pushed', 'pulled'] as const;
const PORT = 5443;
const deployments = new PropagatedDeployments('lost-host');
const agent = ['-n', 'karmada-system', 'deployment/karmada-agent'];

describeCluster('loss of the host cluster', () => {
  let lost: Cluster;
  /** Member cluster in push mode, and the new host cluster. */
  let host: Cluster;
  let pulled: Cluster;
  let scene: BackupScene;
  let s3: S3;
  let plane: ControlPlane;
  /** Files of the operator of the control plane. */
  let directory: string;
  /** UIDs of the keys by name, as in the backup. */
  let keys: Readonly<Record<string, string>>;
  let folder: string;
  let before: readonly Awaited<ReturnType<PropagatedDeployments['of']>>[];

  const members = (): readonly Cluster[] => [host, pulled];
  const running = (): Promise<typeof before> =>
    Promise.all(members().map((member) => deployments.of(member)));
  const untilRunning = async (expected: Readonly<Record<string, number>>): Promise<void> => {
    for (const member of members()) await deployments.until(member, expected);
  };
  const applyInside = async (...objects: object[]): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  };
  const view = (): Promise<PropagationView> => propagationOf(host, { name, namespace });
  const recover = (title: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const variables = { NAMESPACE: namespace, NAME: name, ...more };
    return follow({ cluster: host, directory, variables }, title);
  };

  async function savedKeys(): Promise<Readonly<Record<string, string>>> {
    const columns = 'custom-columns=:metadata.name,:metadata.uid';
    const text = await plane.kubectl(
      ...([['get', 'configmaps', '-n', 'saved', '--no-headers', '-o', columns]] as const),
    );
    const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
    return Object.fromEntries(rows.flatMap(([key, uid]) => (key && uid ? [[key, uid]] : [])));
  }

  async function fill(): Promise<void> {
    const metadata = { namespace: 'saved' };
    await applyInside({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'saved' } });
    const items = Array.from({ length: KEYS }, (_, index) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { ...metadata, name: `key-${String(index)}` },
    }));
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await plane.kubectl(['create', '-f', '-', '-o', 'name'], list);
  }

  /** What a cloud controller does: gives the Service of the API server an address. */
  async function assignAddress(cluster: Cluster): Promise<string> {
    const service = `${name}-apiserver`;
    await poll(
      'the Service of the API server exists',
      async () => {
        const found = await tryKubectl(cluster, ['get', 'service', service, '-n', namespace]);
        return found.code === 0 ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
    return giveAddress(cluster, namespace, service);
  }

  async function clean(): Promise<void> {
    await scene.clean();
    await deployments.clean(host);
    await tryKubectl(host, ['delete', 'namespace', 'karmada-cluster', '--timeout=60s']);
  }

  beforeAll(async () => {
    host = await useCluster(IMAGES);
    lost = await up({ name: `${sharedCluster}-lost`, images: IMAGES, progress });
    pulled = await up({ name: `${sharedCluster}-pulled`, images: ['karmada'], progress });
    directory = mkdtempSync(join(tmpdir(), 'recover-'));
    scene = new BackupScene(host, namespace);
    await clean();
    s3 = await startS3(pulled);
    writeFileSync(join(directory, 'backup.key'), scene.key);
    for (const [file, text] of Object.entries(s3.credentials))
      writeFileSync(join(directory, file), text);
    const read = 'read-backup.mjs';
    cpSync(join(checkout, 'docs/reference', read), join(directory, read));
    const [, ca, , store] = scene.s3Store(s3);
    writeFileSync(join(directory, 'store.yaml'), `${dump(ca)}---\n${dump(store)}`);

    await installOperator(lost);
    await apply(lost, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const exposed = { serviceType: 'LoadBalancer', externalEndpoint: `${MOVABLE_NAME}:${PORT}` };
    const components = { karmadaAPIServer: exposed };
    await apply(lost, scene.karmada(1, { components }), ...scene.s3Store(s3));
    await pointName(pulled, await assignAddress(lost));
    await untilReady(lost, name, namespace);
    plane = await openControlPlane(lost, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
    stopS3(pulled);
    for (const cluster of [lost, pulled]) await down(cluster.name, progress);
    rmSync(directory, { recursive: true });
  }, 480_000);

  it('leaves a verified backup in the bucket, and newer workloads in the member clusters', async () => {
    await plane.karmadactl(['join', PUSHED, ...(await accessTo(host))]);
    const endpoint = `${MOVABLE_NAME}:${PORT}`;
    await register({ plane, host: lost, name, namespace, endpoint }, pulled, PULLED);
    await untilMember(plane, PUSHED, 'Push');
    await untilMember(plane, PULLED, 'Pull');
    const first = ['changed', 'same'].map((one) => deployments.deployment(one));
    await applyInside(deployments.policy([PUSHED, PULLED]), ...first);
    await fill();
    await untilRunning({ changed: 0, same: 0 });
    keys = await savedKeys();
    expect(Object.keys(keys)).toHaveLength(KEYS);

    await apply(lost, scene.backup('last'));
    const { status } = await new BackupScene(lost, namespace).untilEnded('last');
    expect(status?.phase).toBe('Verified');
    folder = status?.folder ?? '';
    process.stderr.write(`backup: ${String(status?.keys)} keys\n`);
    const later = ['changed', 'newer'].map((one) => deployments.deployment(one, ADDED));
    await applyInside(...later);
    await untilRunning({ changed: 1, newer: 1, same: 0 });
    before = await running();
  }, 600_000);

  it('is cured by a rebuild in another cluster within five minutes', async () => {
    await down(lost.name, progress);
    expect(findCluster(lost.name)).toBeUndefined();
    // The page: stop the agents of member clusters in pull mode.
    await kubectl(pulled, ['scale', '--replicas=0', ...agent]);

    const began = Date.now();
    const took = (what: string): number => {
      process.stderr.write(`${what}: ${String(Date.now() - began)} ms\n`);
      return Date.now() - began;
    };
    await installOperator(host);
    took('operator installed');
    cpSync(join(s3.folder, folder), join(directory, folder), { recursive: true });
    const [address] = await Promise.all([
      assignAddress(host),
      recover('Rebuild the control plane', { FOLDER: folder }),
    ]);
    took('control plane rebuilt');
    await recover('Replace the data', { BACKUP: 'existing' });
    const tookMs = took('data of the backup serves, propagation is paused');
    plane = await openControlPlane(host, name, namespace);
    expect(await savedKeys()).toEqual(keys);
    expect(await running()).toEqual(before);
    expect(address).not.toBe('');
    expect(tookMs).toBeLessThan(REBUILD_MS);
    const found = await getObject<KarmadaBackup>(host, 'karmadabackup', 'existing', namespace);
    expect(found.status?.folder).toBe(folder);
  }, 900_000);

  it('shows', async () => {
    process.stderr.write(await propagationText(host, { name, namespace }).catch(String));
    await recover('Continue the propagation', { BACKUP: 'existing' });
    await deployments.until(host, { changed: 0, newer: 1, same: 0 });
    process.stderr.write(JSON.stringify([before, await running()]));
    await untilMember(plane, PUSHED, 'Push');
    await applyInside(deployments.deployment('after'));
    await deployments.until(host, { after: 0, changed: 0, newer: 1, same: 0 });
    await kubectl(pulled, ['scale', '--replicas=1', ...agent]);
    await poll(
      'not ready',
      async (seen) => {
        const { status } = await getObject<Karmada>(host, 'karmada', name, namespace);
        seen(JSON.stringify(status?.memberClusters));
        return status?.memberClusters?.clusters?.some(
          (one) => one.name === PULLED && one.ready !== 'True',
        )
          ? true
          : undefined;
      },
      { deadlineMs: 180_000 },
    );
    process.stderr.write(await propagationText(host, { name, namespace }).catch(String));
    process.stderr.write(JSON.stringify(await view()));
    process.stderr.write(await run(besideNode(host.node, ['true'])));
    await pointName(pulled, await giveAddress(host, namespace, `${name}-apiserver`));
    await untilMember(plane, PULLED, 'Pull');
    await deployments.until(pulled, { after: 0, changed: 0, newer: 1, same: 0 });
  }, 900_000);
});
