/** @alone */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findCluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt, type CommandResult } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { demoCluster, remoteCluster } from '../demo/target.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';

const demo = [process.execPath, 'test/demo/main.ts'];
const options = { cwd: checkout, timeout: 900_000 };

/** Runs a command in a terminal with 80 columns. */
async function onTerminal(command: readonly string[]): Promise<CommandResult> {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const script = `stty cols 80 rows 24; exec ${quoted}`;
  return attempt(['script', '--quiet', '--return', '--command', script, '/dev/null'], options);
}

describeCluster('demo', () => {
  let wasUp: boolean;
  let directory: string;

  beforeAll(async () => {
    wasUp = [demoCluster, remoteCluster].some((name) => findCluster(name) !== undefined);
    directory = await mkdtemp(join(tmpdir(), 'karmada-demo-'));
    await useCluster();
  }, 1_800_000);

  afterAll(async () => {
    // The test keeps a demo that a user started before it.
    if (!wasUp) await attempt([...demo, '--down'], options);
    await rm(directory, { recursive: true, force: true });
  }, 300_000);

  it('prints its steps and the removal command when the output is not a terminal', async () => {
    const { code, stdout, stderr } = await attempt(demo, options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/install the operator +done +\d/);
    expect(stdout).toContain('Remove everything: npm run demo -- --down');
  }, 1_000_000);

  it('prints no line over 80 columns to a terminal when it runs a second time', async () => {
    const { code, stdout } = await onTerminal(demo);
    expect(code).toBe(0);
    const lines = stdout
      .split(/[\r\n]+/)
      .map((line) => line.replaceAll(/\u001b\[[0-9]*[A-Z]/gi, ''));
    const drawn = lines.filter((line) => /^ +[✓·] /.test(line));
    expect(drawn.filter((line) => line.length > 80)).toEqual([]);
  }, 1_000_000);

  it('installs the control plane in a second cluster and prints working commands when --remote is set', async () => {
    const { code, stdout, stderr } = await attempt([...demo, '--remote'], options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/host-remote: apply config\/remote-host\/rights.yaml +done +\d/);
    const named = stdout.split('\n').filter((line) => /^ {2}[a-z(]/.test(line));
    const typed = await attempt(['bash', '-euo', 'pipefail', '-c', named.join('\n')], {
      cwd: directory,
      timeout: 60_000,
    });
    expect(typed).toMatchObject({ code: 0, stderr: expect.stringContaining('No resources found') });
    expect(typed.stdout).toMatch(/^karmada-demo +True /m);
    expect(typed.stdout).toMatch(/^karmada-demo-etcd-0 +1\/1 +Running /m);
  }, 1_000_000);

  it('requires an image and a confirmation before it changes an existing cluster', async () => {
    const { kubeconfig } = await useCluster();
    const foreign = [...demo, '--kubeconfig', kubeconfig];
    const withoutImage = await attempt(foreign, options);
    expect(withoutImage).toMatchObject({ code: 1, stderr: expect.stringContaining('--image REF') });
    const unasked = await attempt([...foreign, '--image', 'registry.example/operator:1'], options);
    expect(unasked).toMatchObject({
      code: 1,
      stderr: 'error: nothing was changed: answer y, or set --yes\n',
    });
  }, 120_000);

  it('removes both clusters when --down is set', async () => {
    const { code } = await attempt([...demo, '--down'], options);
    expect(code).toBe(0);
    expect([findCluster(demoCluster), findCluster(remoteCluster)]).toEqual([undefined, undefined]);
  }, 300_000);
});
