/** Runs an e2e suite of the Karmada module against the operator of this checkout, on an embedded cluster. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import type { Cluster } from '../embedded-cluster/cluster.ts';
import { attempt } from '../embedded-cluster/command.ts';
import { Failure } from '../embedded-cluster/failure.ts';
import { contextName } from '../embedded-cluster/kubeconfig.ts';
import { inNode } from '../embedded-cluster/node.ts';
import type { PeerSuite } from './alterations.ts';
import { readReport, type PeerResult } from './report.ts';

/** Name of the member cluster in the control planes of the suite. It is the host cluster itself. */
const MEMBER = 'member1';
const TIMEOUT_MS = 1_800_000;

/**
 * Runs the test binary of a suite on the node of a cluster, with the environment that the scripts of Karmada give it.
 * @param log file for the output
 * @throws Failure if the binary ended without a report
 */
export async function runSuite(
  cluster: Cluster,
  binary: string,
  suite: PeerSuite,
  log: string,
): Promise<PeerResult> {
  const home = await mkdtemp(join(tmpdir(), 'peer-'));
  try {
    const report = join(home, 'report.json');
    const skip = suite.leftOut.map(({ pattern }) => `--ginkgo.skip=${pattern}`);
    const command = [
      ...[binary, `--ginkgo.json-report=${report}`, '--ginkgo.v', '--ginkgo.no-color', ...skip],
      `--host-context=${contextName(cluster.name)}`,
    ];
    const { code } = await attempt(inNode(cluster.node, command), {
      ...{ cwd: home, env: await environment(cluster, home), log, timeout: TIMEOUT_MS },
    });
    const json = await readFile(report, 'utf8').catch(() => undefined);
    if (json === undefined) throw new Failure(`the suite ended with ${String(code)}`, `see ${log}`);
    return readReport(json);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The suites find karmadactl in GOPATH, and write kubeconfigs to the home directory. */
async function environment(
  { name, kubeconfig, bin }: Cluster,
  home: string,
): Promise<Record<string, string>> {
  await Promise.all(
    ['.kube', 'go/bin'].map((path) => mkdir(join(home, path), { recursive: true })),
  );
  await symlink(join(bin, 'karmadactl'), join(home, 'go/bin/karmadactl'));
  const member = join(home, 'member.kubeconfig');
  const renamed = withContext(await readFile(kubeconfig, 'utf8'), contextName(name), MEMBER);
  await writeFile(member, renamed, { mode: 0o600 });
  return {
    KUBECONFIG: kubeconfig,
    HOME: home,
    GOPATH: join(home, 'go'),
    PUSH_MODE_CLUSTER_NAME: MEMBER,
    PUSH_MODE_KUBECONFIG_PATH: member,
  };
}

interface Kubeconfig {
  readonly contexts: readonly { readonly name: string }[];
}

/** Renames a context of a kubeconfig. */
function withContext(text: string, from: string, to: string): string {
  const config = load(text) as Kubeconfig;
  const contexts = config.contexts.map((one) => (one.name === from ? { ...one, name: to } : one));
  return dump({ ...config, contexts, 'current-context': to });
}
