import type { KubernetesClient } from '../../src/kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { resources } from '../../src/kubernetes/resources.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { lock } from '../../tools/embedded-cluster/lock.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { installOperator, operatorNamespace, release, withPreloadedImage } from './install.ts';
import type { Target } from './target.ts';

/** The parts of a target that are needed to manage the Helm release. */
type Place = Pick<Target, 'kubeconfig' | 'bin'> & {
  readonly client: Pick<KubernetesClient, 'list' | 'delete'>;
};

/** Selects the Secrets in which Helm stores the revisions of the release, by state. */
const revisions = (...states: readonly string[]) => ({
  namespace: operatorNamespace,
  labelSelector: `owner=helm,name=${release},status in (${states.join()})`,
});

/** Returns the error for a pending release in a cluster of the user, where another Helm process may be running. */
function unfinished({ metadata }: KubernetesObject, kubeconfig: string): Failure {
  const state = metadata.labels?.['status'] ?? 'unknown';
  return new Failure(
    `another Helm process has not finished: release ${operatorNamespace}/${release} is ${state}`,
    `wait until it has finished; if it was killed, remove everything first: npm run demo -- --down --kubeconfig ${kubeconfig}`,
  );
}

/**
 * Deletes pending revisions of the release, because Helm rejects a release that a killed run left pending.
 * @throws Failure if a cluster of the user has a pending revision; nothing is deleted there
 */
export async function settle({ client, kubeconfig, bin }: Place): Promise<void> {
  const selection = revisions('pending-install', 'pending-upgrade', 'pending-rollback');
  const { items } = await client.list(resources.Secret, selection);
  const [first] = items;
  if (first === undefined) return;
  if (bin === undefined) throw unfinished(first, kubeconfig);
  // Without this revision Helm continues from the previous one, or adopts the objects of the first one.
  for (const { metadata } of items) await client.delete(resources.Secret, metadata);
}

/** Installs the operator, also after an interrupted run. A lock serializes concurrent demos. */
export async function installDemo(
  target: Target,
  image: string,
  progress: Progress,
): Promise<void> {
  const held = await lock(`demo:${target.kubeconfig}`, () =>
    progress.note('waiting: another process installs the operator'),
  );
  try {
    await progress.step('install the operator (helm)', async () => {
      await settle(target);
      // A cluster of the user, which has no programs of the embedded one, pulls the image.
      await installOperator(target, image, target.bin === undefined ? {} : withPreloadedImage());
    });
  } finally {
    held.release();
  }
}
