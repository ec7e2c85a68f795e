/**
 * The loss of a remote host cluster, with the control plane and its etcd. The Karmada, the store and the backups in the management
 * cluster still exist. The control plane is rebuilt in another host cluster with the commands of the page for operators.
 *
 * @tier all
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findCluster, kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { contextName } from '../../tools/embedded-cluster/kubeconfig.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { accessTo, untilMember } from '../harness/members.ts';
import { loadOperatorImage } from '../harness/operator.ts';
import { ADDED, PropagatedDeployments } from '../harness/propagated-deployments.ts';
import { RemoteHostScene, REMOTE_NAMESPACE as namespace } from '../harness/remote-host-scene.ts';
import { follow } from '../harness/runbook.ts';
import { startS3, stopS3, type S3 } from '../harness/s3.ts';

const MEMBER = 'pushed';
const KEYS = 200;
const deployments = new PropagatedDeployments('lost-remote-host');

describeCluster('loss of a remote host cluster', () => {
  let scene: RemoteHostScene;
  let next: Cluster;
  let backups: BackupScene;
  let s3: S3;
  let plane: ControlPlane;
  /** Files of the operator of the control plane. */
  let directory: string;
  /** Folder of the backup. */
  let folder: string;
  /** UIDs of the saved keys. */
  let keys: string;
  /** Deployments of the member cluster at the time of the loss. */
  let before: Awaited<ReturnType<PropagatedDeployments['of']>>;

  const savedKeys = (): Promise<string> =>
    plane.kubectl(['get', 'configmaps', '-n', 'saved', '-o', 'jsonpath={.items[*].metadata.uid}']);
  const applyInside = async (...items: object[]): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  };
  /** Runs the commands of a section of the page. */
  const recover = (title: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
    follow(
      {
        cluster: scene.management,
        other: next,
        directory,
        variables: { NAMESPACE: namespace, NAME: name, BACKUP: 'last', ...more },
      },
      title,
    );

  beforeAll(async () => {
    scene = await RemoteHostScene.start();
    next = await scene.startFurther('remote-next', [], 'cluster.local');
    for (const host of [scene.host, next]) await loadOperatorImage(host);
    await deployments.clean(scene.management);
    directory = mkdtempSync(join(tmpdir(), 'recover-'));
    backups = new BackupScene(scene.management, namespace);
    writeFileSync(join(directory, 'backup.key'), backups.key);
    const read = 'read-backup.mjs';
    cpSync(join(checkout, 'docs/reference', read), join(directory, read));
    mkdirSync(join(directory, 'config'));
    const rights = 'config/remote-host';
    cpSync(join(checkout, rights), join(directory, rights), { recursive: true });

    s3 = await startS3(scene.management);
    const components = {
      etcd: { local: { replicas: 1, volumeData: VOLUME_CLAIM } },
      karmadaMetricsAdapter: { enabled: false },
    };
    const karmada = scene.karmada(name, 'host', { components });
    await apply(scene.management, karmada, ...backups.s3Store(s3));
    await untilReady(scene.management, name, namespace);
    plane = await openControlPlane(scene.host, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    stopS3(scene.management);
    await deployments.clean(scene.management);
    await scene.end();
    rmSync(directory, { recursive: true });
  }, 480_000);

  it('leaves a verified backup and a newer workload in a member cluster', async () => {
    await plane.karmadactl(['join', MEMBER, ...(await accessTo(scene.management))]);
    await untilMember(plane, MEMBER, 'Push');
    const items = Array.from({ length: KEYS }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `key-${String(index)}`, namespace: 'saved' },
    }));
    const metadata = { name: 'saved' };
    await applyInside({ apiVersion: 'v1', kind: 'Namespace', metadata }, ...items);
    await applyInside(deployments.policy([MEMBER]), deployments.deployment('saved'));
    await deployments.until(scene.management, { saved: 0 });
    keys = await savedKeys();

    await apply(scene.management, backups.backup('last'));
    const { status } = await backups.untilEnded('last');
    expect(status?.phase).toBe('Verified');
    folder = status?.folder ?? '';
    await applyInside(deployments.deployment('newer', ADDED));
    await deployments.until(scene.management, { newer: 1, saved: 0 });
    before = await deployments.of(scene.management);
  }, 600_000);

  it('gives back every key of the backup in another host cluster, and changes nothing in the member cluster meanwhile', async () => {
    await down(scene.host.name, createProgress(process.stderr));
    expect(findCluster(scene.host.name)).toBeUndefined();
    await scene.until(name, 'HostReachable', { status: 'False' });
    cpSync(join(s3.folder, folder), join(directory, folder), { recursive: true });
    const began = Date.now();
    await recover('Rebuild the control plane in another remote host cluster', {
      HOST: contextName(next.name),
      FOLDER: folder,
      SERVER: `https://${addressesOf(slotOf(next.name) ?? NaN).node}:6443`,
    });
    await recover('Replace the data');
    process.stderr.write(`rebuilt in another host cluster: ${String(Date.now() - began)} ms\n`);
    plane = await openControlPlane(next, name, namespace);
    expect(await savedKeys()).toBe(keys);
    expect(await deployments.of(scene.management)).toEqual(before);
  }, 900_000);

  it('uses the member cluster again without a new join', async () => {
    await recover('Continue the propagation');
    await untilMember(plane, MEMBER, 'Push');
    await applyInside(deployments.deployment('after'));
    await deployments.until(scene.management, { after: 0, newer: 1, saved: 0 });
    expect(await deployments.of(scene.management)).toMatchObject(before);
  }, 400_000);

  it('leaves no trace of the lost host cluster in the status, and a control plane that can be backed up', async () => {
    const { status } = await scene.current(name);
    const uid = ['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'];
    expect(status?.hostUID).toBe(await kubectl(next, uid));
    await apply(scene.management, backups.backup('again'));
    expect((await backups.untilEnded('again')).status?.phase).toBe('Verified');
  }, 300_000);
});
