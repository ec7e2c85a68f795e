/**
 * The loss of a whole host cluster, without the operator and the control plane, but with the bucket of the backups. The control plane
 * is rebuilt in another cluster with the commands of the page for operators. Its member clusters keep running meanwhile: one in push
 * mode, which becomes the new host cluster too, and one in pull mode, whose agent knows the control plane by a DNS name.
 *
 * @size large
 * @tier all
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import type { KarmadaBackup } from '../../src/api/backup/kinds.ts';
import type { PropagationView } from '../../src/cli/propagation/read-propagation.ts';
import {
  findCluster,
  kubectl,
  tryKubectl,
  type Cluster,
} from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import type { ImageName } from '../../tools/embedded-cluster/images.ts';
import { giveAddress } from '../../tools/embedded-cluster/load-balancer.ts';
import { besideNode } from '../../tools/embedded-cluster/node.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { MOVABLE_NAME, pointName } from '../harness/dns-name.ts';
import { accessTo, register, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { ADDED, PropagatedDeployments } from '../harness/propagated-deployments.ts';
import { propagationOf, propagationText } from '../harness/propagation.ts';
import { scaleAgent } from '../harness/pull-agent.ts';
import { follow } from '../harness/runbook.ts';
import { startS3, stopS3, type S3 } from '../harness/s3.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';

const progress = createProgress(process.stderr);
const namespace = 'lost-host';
const elsewhere = 'lost-host-moved';
const KEYS = 2_500;
/** Goal for the rebuild in milliseconds. */
const REBUILD_MS = 300_000;
const IMAGES: readonly ImageName[] = ['busybox', 'etcd', 'kubernetes', 'karmada'];
const [PUSHED, PULLED] = ['pushed', 'pulled'] as const;
const ENDPOINT = `${MOVABLE_NAME}:5443`;
const SERVER = `https://${ENDPOINT}`;
/** The name of the backup on the page. */
const EXISTING = { BACKUP: 'existing' };
const deployments = new PropagatedDeployments('lost-host');
/** Propagated after the loss. */
const later = new PropagatedDeployments('lost-host-later');

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
  /** UIDs of objects by kind, namespace and name, before the backup. */
  let keys: Readonly<Record<string, string>>;
  /** Folder of the backup. */
  let folder: string;
  /** Address of the API server in the lost cluster. */
  let formerAddress: string;
  /** What the command `propagation` said about the agent. */
  let listed: readonly string[];
  /** Deployments of both member clusters at the time of the loss. */
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
  /** Runs the commands of a section of the page. */
  const recover = (title: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const variables = { NAMESPACE: namespace, NAME: name, ...more };
    return follow({ cluster: host, directory, variables }, title);
  };

  /** What the test and Karmada have stored in the control plane. */
  async function savedKeys(): Promise<Readonly<Record<string, string>>> {
    const row = '{.kind}/{.metadata.namespace}/{.metadata.name} {.metadata.uid}{"\\n"}';
    const shown = ['-o', `jsonpath={range .items[*]}${row}{end}`];
    const kinds = 'deployments,propagationpolicies,resourcebindings,works';
    const found = [
      await plane.kubectl(['get', 'configmaps', '-n', 'saved', ...shown]),
      await plane.kubectl(['get', kinds, '-A', ...shown]),
    ];
    const rows = found.flatMap((text) => text.trim().split('\n'));
    return Object.fromEntries(rows.map((text) => text.split(' ') as [string, string]));
  }

  async function fill(): Promise<void> {
    const metadata = { namespace: 'saved' };
    await applyInside({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'saved' } });
    const items = Array.from({ length: KEYS }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, name: `key-${String(index)}` },
    }));
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await plane.kubectl(['create', '-f', '-', '-o', 'name'], list);
  }

  /** What a cloud controller does: gives the Service of the API server an address. */
  async function assignAddress(cluster: Cluster, where: string): Promise<string> {
    const service = `${name}-apiserver`;
    await poll(
      'the Service of the API server exists',
      async (seen) => {
        const found = await tryKubectl(cluster, ['get', 'service', service, '-n', where]);
        seen(found.stderr);
        return found.code === 0 ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
    return giveAddress(cluster, where, service);
  }

  const storeText = (of: BackupScene): string => {
    const [, ca, , store] = of.s3Store(s3);
    return `${dump(ca)}---\n${dump(store)}`;
  };

  async function clean(): Promise<void> {
    await scene.clean();
    await new BackupScene(host, elsewhere).clean();
    for (const set of [deployments, later]) await set.clean(host);
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
    writeFileSync(join(directory, 'store.yaml'), storeText(scene));

    await installOperator(lost);
    await apply(lost, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const exposed = { serviceType: 'LoadBalancer', externalEndpoint: ENDPOINT };
    const components = { karmadaAPIServer: exposed };
    await apply(lost, scene.karmada(1, { components }), ...scene.s3Store(s3));
    formerAddress = await assignAddress(lost, namespace);
    await pointName(pulled, formerAddress);
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
    await register({ plane, host: lost, name, namespace, endpoint: ENDPOINT }, pulled, PULLED);
    await untilMember(plane, PUSHED, 'Push');
    await untilMember(plane, PULLED, 'Pull');
    const first = ['changed', 'same'].map((one) => deployments.deployment(one));
    await applyInside(deployments.policy([PUSHED, PULLED]), ...first);
    await fill();
    await untilRunning({ changed: 0, same: 0 });
    keys = await savedKeys();
    expect(Object.keys(keys).length).toBeGreaterThan(KEYS + 2 * members().length);

    await apply(lost, scene.backup('last'));
    const { status } = await new BackupScene(lost, namespace).untilEnded('last');
    expect(status?.phase).toBe('Verified');
    folder = status?.folder ?? '';
    process.stderr.write(`backup: ${String(status?.keys)} keys\n`);
    await applyInside(...['changed', 'newer'].map((one) => deployments.deployment(one, ADDED)));
    await untilRunning({ changed: 1, newer: 1, same: 0 });
    before = await running();
  }, 600_000);

  /** Milliseconds that the recovery has taken. */
  let tookMs = 0;
  /** Adds the time of a step of the recovery. */
  async function timed<T>(what: string, step: () => Promise<T>): Promise<T> {
    const began = Date.now();
    const result = await step();
    tookMs += Date.now() - began;
    process.stderr.write(`${what}: ${String(Date.now() - began)} ms\n`);
    return result;
  }

  it('gives back every key of the backup in another cluster, and changes nothing in the member clusters meanwhile', async () => {
    await down(lost.name, progress);
    expect(findCluster(lost.name)).toBeUndefined();
    await scaleAgent(pulled, 0);

    await timed('installation of the operator', () => installOperator(host));
    cpSync(join(s3.folder, folder), join(directory, folder), { recursive: true });
    await timed('rebuild of the control plane', () =>
      Promise.all([
        assignAddress(host, namespace),
        recover('Rebuild the control plane', { FOLDER: folder }),
      ]),
    );
    const found = await getObject<KarmadaBackup>(host, 'karmadabackup', 'existing', namespace);
    expect(found.status?.folder).toBe(folder);
    await timed('replacement of the data', () => recover('Replace the data', EXISTING));

    plane = await openControlPlane(host, name, namespace);
    expect(await savedKeys()).toMatchObject(keys);
    const { paused, members: compared } = await view();
    expect(paused).toBe(true);
    const counts = { create: 0, change: 1, delete: 0, orphaned: 1, blocked: 0 };
    expect(compared).toMatchObject([PULLED, PUSHED].map((member) => ({ name: member, counts })));
    expect(await running()).toEqual(before);
  }, 900_000);

  it('uses the member cluster in push mode again without a new join, within five minutes', async () => {
    await timed('release of the propagation', () => recover('Continue the propagation', EXISTING));
    process.stderr.write(`recovery from the loss of the host cluster: ${String(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(REBUILD_MS);
    await untilMember(plane, PUSHED, 'Push');
    await applyInside(later.policy([PUSHED, PULLED]), later.deployment('after'));
    await later.until(host, { after: 0 });
    await deployments.until(host, { changed: 0, newer: 1, same: 0 });
    const [{ newer, same } = {}] = await running();
    expect({ newer, same }).toEqual({ newer: before[0]?.['newer'], same: before[0]?.['same'] });
  }, 400_000);

  /** Waits until the control plane misses the agent, and returns what the command says about it. */
  async function missedAgent(): Promise<string> {
    await poll(
      'the agent does not report',
      async (seen) => {
        const { members: compared } = await view();
        const found = compared.find((member) => member.name === PULLED);
        seen(JSON.stringify(found));
        return found?.ready === 'Unknown' ? true : undefined;
      },
      { deadlineMs: 180_000, intervalMs: 2_000 },
    );
    return propagationText(host, { name, namespace });
  }

  it('lists the agent of the member cluster in pull mode that has a former address', async () => {
    await scaleAgent(pulled, 1);
    listed = commandsIn(await missedAgent());
    expect(listed).toContainEqual(expect.stringContaining(`--server '${SERVER}'`));
    expect((await running())[1]).toEqual(before[1]);
  }, 240_000);

  it('uses this member cluster again when the name of the API server has moved', async () => {
    await pointName(pulled, await assignAddress(host, namespace));
    await untilMember(plane, PULLED, 'Pull');
    await later.until(pulled, { after: 0 });
    await deployments.until(pulled, { changed: 0, newer: 1, same: 0 });
    const { newer, same } = (await running())[1] ?? {};
    expect({ newer, same }).toEqual({ newer: before[1]?.['newer'], same: before[1]?.['same'] });
  }, 480_000);

  /** Runs commands in the member cluster in pull mode. */
  async function inMember(commands: readonly string[]): Promise<void> {
    const context = (await kubectl(pulled, ['config', 'current-context'])).trim();
    const script = ['set -euo pipefail', ...commands].join('\n').replaceAll('MEMBER', context);
    const path = [pulled.bin, process.env['PATH'] ?? ''].join(delimiter);
    const env = { KUBECONFIG: pulled.kubeconfig, PATH: path };
    await run(besideNode(pulled.node, ['bash', '-c', script]), { cwd: directory, env });
  }

  it('uses this member cluster again when the listed commands have replaced a former address', async () => {
    const former = listed.map((line) => line.replace(MOVABLE_NAME, formerAddress));
    expect(former).not.toEqual(listed);
    // A rollout would keep the Pod with the valid address until one with the former address is ready.
    await scaleAgent(pulled, 0);
    await inMember(former);
    await scaleAgent(pulled, 1);
    expect(commandsIn(await missedAgent())).toEqual(listed);
    await inMember(listed);
    await untilMember(plane, PULLED, 'Pull');
  }, 600_000);

  it('gives back the control plane in another namespace', async () => {
    await scaleAgent(pulled, 0);
    await scene.clean();
    const storeFile = join(directory, 'store.yaml');
    writeFileSync(storeFile, storeText(new BackupScene(host, elsewhere)));
    const there = { NAMESPACE: elsewhere, ...EXISTING };
    await Promise.all([
      assignAddress(host, elsewhere),
      recover('Rebuild the control plane', { ...there, FOLDER: folder }),
    ]);
    await recover('Replace the data', there);
    await recover('Continue the propagation', there);
    plane = await openControlPlane(host, name, elsewhere);
    expect(await savedKeys()).toMatchObject(keys);
    await pointName(pulled, await assignAddress(host, elsewhere));
    await scaleAgent(pulled, 1);
    await applyInside(later.policy([PUSHED, PULLED]), later.deployment('moved'));
    for (const member of members())
      await poll('the Deployment exists in the member cluster', async (seen) => {
        const found = await later.variablesOf(member);
        seen(JSON.stringify(found));
        return found['moved'] === 0 ? true : undefined;
      });
  }, 900_000);
});

/** Commands that the command `propagation` lists for an agent. */
function commandsIn(text: string): readonly string[] {
  const [, after = ''] = text.split('replace the address:\n');
  const lines = after.split('\n');
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('    ')),
    )
    .map((line) => line.trim());
}
