import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { lock } from '../../tools/embedded-cluster/lock.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { installOperator, operatorNamespace, release } from './install.ts';
import { applyManifests } from './manifests.ts';
import type { Target } from './target.ts';

/** The parts of a target that are needed to read the state of the Helm release. */
type Place = Pick<Target, 'kubeconfig'> & { readonly client: Pick<KubernetesClient, 'list'> };

/** Selects the Secrets in which Helm stores the revisions of the release, by state. */
const revisions = (...states: readonly string[]) => ({
  namespace: operatorNamespace,
  labelSelector: `owner=helm,name=${release},status in (${states.join()})`,
});

/** Returns the error for a pending release: another Helm process may be running. */
function unfinished({ metadata }: KubernetesObject, kubeconfig: string): Failure {
  const state = metadata.labels?.['status'] ?? 'unknown';
  return new Failure(
    `another Helm process has not finished: release ${operatorNamespace}/${release} is ${state}`,
    `wait until it has finished; if it was killed, remove everything first: npm run demo -- --down --kubeconfig ${kubeconfig}`,
  );
}

/** @throws Failure if the cluster of the user has a pending revision, which Helm would reject */
export async function requireSettled({ client, kubeconfig }: Place): Promise<void> {
  const selection = revisions('pending-install', 'pending-upgrade', 'pending-rollback');
  const { items } = await client.list(resources.Secret, selection);
  const [first] = items;
  if (first !== undefined) throw unfinished(first, kubeconfig);
}

/**
 * Installs the operator, also after an interrupted run: with plain YAML in the embedded cluster, where a build of Helm
 * would take a minute, and with Helm in a cluster of the user. A lock serializes concurrent demos.
 */
export async function installDemo(
  target: Target,
  image: string,
  progress: Progress,
): Promise<void> {
  const held = await lock(`demo:${target.kubeconfig}`, () =>
    progress.note('waiting: another process installs the operator'),
  );
  try {
    const { helm, bin = '', kubeconfig } = target;
    if (helm === undefined) {
      await progress.step('install the operator', () => applyManifests({ bin, kubeconfig }, image));
      return;
    }
    await progress.step('install the operator (helm)', async () => {
      await requireSettled(target);
      await installOperator({ helm, kubeconfig }, image);
    });
  } finally {
    held.release();
  }
}
