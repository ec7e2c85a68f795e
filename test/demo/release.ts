import type { KubernetesClient } from '../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { resources } from '../../src/kubernetes/resources.ts';
import { Failure } from '../cluster/failure.ts';
import { lock } from '../cluster/lock.ts';
import type { Progress } from '../cluster/progress.ts';
import { installOperator, operatorNamespace, release } from './install.ts';
import type { Target } from './target.ts';

/** Of the operator's cluster what it takes to look after the release. */
type Place = Pick<Target, 'kubeconfig' | 'bin'> & {
  readonly client: Pick<KubernetesClient, 'list' | 'delete'>;
};

/** Where helm notes revisions of the release, by their state. */
const revisions = (...states: readonly string[]) => ({
  namespace: operatorNamespace,
  labelSelector: `owner=helm,name=${release},status in (${states.join()})`,
});

/** The error for a release in a cluster of the user's in which somebody else may be at work right now. */
function unfinished({ metadata }: KubernetesObject, kubeconfig: string): Failure {
  const state = metadata.labels?.['status'] ?? 'unknown';
  return new Failure(
    `another run of helm has not ended: release ${operatorNamespace}/${release} is ${state}`,
    `wait for it; if it was killed, remove everything first: npm run demo -- --down --kubeconfig ${kubeconfig}`,
  );
}

/**
 * Makes way for helm, which refuses a release that a killed run has left half-way.
 * @throws Failure in a cluster of the user's, where nothing is taken away
 */
export async function settle({ client, kubeconfig, bin }: Place): Promise<void> {
  const selection = revisions('pending-install', 'pending-upgrade', 'pending-rollback');
  const { items } = await client.list(resources.Secret, selection);
  const [first] = items;
  if (first === undefined) return;
  if (bin === undefined) throw unfinished(first, kubeconfig);
  // Without the note of that revision helm goes on from the one before, or takes over what the first has made.
  for (const { metadata } of items) await client.delete(resources.Secret, metadata);
}

/** Installs the operator, also where a run before was interrupted. Demos that run at once do so one after the other. */
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
      await installOperator(target, image);
    });
  } finally {
    held.release();
  }
}
