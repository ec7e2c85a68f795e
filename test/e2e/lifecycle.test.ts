/** @alone */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { controlGroups } from '../../tools/embedded-cluster/cgroups.ts';
import { findCluster, kubectl, tryKubectl } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { clusterDirectory } from '../../tools/embedded-cluster/slot.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { runsAll, seed, seededRandom } from '../harness/sample.ts';

const name = 'lifecycle';
const progress = createProgress(process.stderr);

/** Returns the machine state that a cluster could leave behind, as comparable text. */
async function footprint(): Promise<Record<string, string[]>> {
  const lines = (text: string): string[] => text.split('\n').filter(Boolean).sort();
  const mounts = lines(readFileSync('/proc/self/mountinfo', 'utf8')).map(
    (line) => line.split(' ')[4] ?? '',
  );
  const processes = lines(await run(['ps', '-eo', 'args']));
  return {
    links: lines(await run(['ip', '-brief', 'link'])).map((line) => line.split(/[ @]/)[0] ?? ''),
    routes: lines(await run(['ip', 'route'])),
    namespaces: existsSync('/run/netns') ? lines(await run(['ls', '/run/netns'])) : [],
    mounts,
    groups: lines(await run(['find', '/sys/fs/cgroup', '-name', `*embedded-${name}*`])),
    processes: processes.filter((line) => line.includes(clusterDirectory(name))),
    directories: [
      '/var/lib/cni',
      '/var/lib/kubelet',
      '/run/containerd',
      clusterDirectory(name),
    ].filter((path) => existsSync(path)),
    forwarding: [readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8').trim()],
    settings: ['vm/overcommit_memory', 'kernel/panic', 'kernel/keys/root_maxkeys'].map((setting) =>
      readFileSync(`/proc/sys/${setting}`, 'utf8').trim(),
    ),
  };
}

/** Starts the command that creates or removes the cluster, and kills it after this time. */
async function killed(command: 'up' | 'down', milliseconds: number): Promise<void> {
  const child = spawn(process.execPath, ['tools/embedded-cluster/main.ts', command, name], {
    cwd: checkout,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([delay(milliseconds), ended]);
  child.kill('SIGKILL');
  await ended;
}

describeCluster('embedded cluster lifecycle', () => {
  let before: Record<string, string[]>;

  beforeAll(async () => {
    // The shared cluster runs at the same time. These tests must not affect it.
    await useCluster();
    await down(name, progress);
    before = await footprint();
  }, 1_800_000);

  afterAll(async () => {
    await down(name, progress);
  }, 120_000);

  it('runs next to another cluster and leaves nothing when it is removed', async () => {
    const other = await useCluster();
    const cluster = await up({ name, images: ['busybox'], progress });
    expect(cluster.node.holder).not.toBe(other.node.holder);
    await kubectl(cluster, [
      'run',
      'pod',
      '--image',
      'docker.io/library/busybox:1.36',
      '--',
      'sleep',
      '3600',
    ]);
    await kubectl(cluster, ['wait', '--for=condition=Ready', 'pod/pod', '--timeout=60s']);
    await down(name, progress);
    expect(await footprint()).toEqual(before);
    expect((await tryKubectl(other, ['get', '--raw=/readyz'])).stdout).toBe('ok');
  }, 180_000);

  it('starts and stops completely after its commands were killed at random times', async () => {
    const random = seededRandom(seed);
    const moments = Array.from({ length: runsAll ? 10 : 3 }, () => Math.round(random() * 8_000));
    for (const moment of moments) {
      process.stderr.write(`killed after ${String(moment)} ms\n`);
      await killed('up', moment);
      await down(name, progress);
      expect(await footprint()).toEqual(before);
    }
    await killed('up', moments[0] ?? 0);
    const cluster = await up({ name, images: ['busybox'], progress });
    expect((await tryKubectl(cluster, ['get', '--raw=/readyz'])).stdout).toBe('ok');
    await killed('down', 150 + Math.round(random() * 200));
    await up({ name, images: ['busybox'], progress });
    await killed('down', 150 + Math.round(random() * 200));
    await down(name, progress);
    expect(await footprint()).toEqual(before);
  }, 600_000);

  it('never kills a process outside its control groups', async () => {
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      await up({ name, images: [], progress });
      // A pid file could be stale, so the cluster has none.
      expect(await run(['find', clusterDirectory(name), '-maxdepth', '1', '-name', '*.pid'])).toBe(
        '',
      );
      expect(controlGroups(name).all()).not.toContain(stranger.pid);
      await down(name, progress);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
      expect(findCluster(name)).toBeUndefined();
    } finally {
      stranger.kill();
    }
  }, 120_000);

  it('keeps a healthy running cluster unchanged when it is started again', async () => {
    const first = await useCluster();
    const again = await up({ name: first.name, progress });
    expect(again.node.holder).toBe(first.node.holder);
    expect(existsSync(join(clusterDirectory(first.name), 'admin.kubeconfig'))).toBe(true);
  }, 120_000);
});
