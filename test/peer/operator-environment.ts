import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { contextName } from '../../tools/embedded-cluster/kubeconfig.ts';
import type { SuiteEnvironment } from './run.ts';

/** Name of the member cluster in the control planes of the suite. It is the host cluster itself. */
const MEMBER = 'member1';

/** Environment of the suite of the Go operator, which creates its control planes itself. */
export async function operatorEnvironment(
  { name, kubeconfig }: Cluster,
  home: string,
): Promise<SuiteEnvironment> {
  const member = join(home, 'member.kubeconfig');
  const renamed = withContext(await readFile(kubeconfig, 'utf8'), contextName(name), MEMBER);
  await writeFile(member, renamed, { mode: 0o600 });
  const variables = {
    KUBECONFIG: kubeconfig,
    PUSH_MODE_CLUSTER_NAME: MEMBER,
    PUSH_MODE_KUBECONFIG_PATH: member,
  };
  return { variables, flags: [] };
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
