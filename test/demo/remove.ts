import { KIND } from '../../src/api/karmada.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import { isNotFound } from '../../src/kubernetes/client/errors.ts';
import { keyOf, resources } from '../../src/kubernetes/objects/resources.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { deleteAndWait } from '../harness/deletion.ts';
import { operatorNamespace, release, sampleObjects } from './install.ts';
import type { Target } from './target.ts';

const wait = { deadlineMs: 180_000, intervalMs: 500 };

/** Returns true if Karmada objects exist, false if none exist, and undefined if the cluster has no Karmada CRD. */
async function othersLeft({ client }: Target): Promise<boolean | undefined> {
  try {
    return (await client.list(karmadas)).items.length > 0;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Removes the objects of the demo in an order in which no object gets stuck: the Karmada while the operator runs, then
 * the operator with its namespace and the CRD, then the other namespaces. Operator and CRD stay if the cluster has
 * other Karmada objects.
 */
export async function removeDemo(target: Target, progress: Progress): Promise<void> {
  const { helm = 'helm' } = target;
  const objects = await sampleObjects();
  if ((await othersLeft(target)) !== undefined) {
    for (const object of objects.filter(({ kind }) => kind === KIND)) {
      await progress.step(`delete Karmada ${object.metadata.name}`, () =>
        deleteAndWait(target.client, karmadas, keyOf(object), wait),
      );
    }
  }
  const others = await othersLeft(target);
  if (others === true) {
    progress.note('other Karmada objects exist: the operator, its namespace and the CRD stay');
  } else {
    const where = ['--kubeconfig', target.kubeconfig, '--namespace', operatorNamespace];
    await progress.step('uninstall the operator', async () => {
      await attempt([helm, 'uninstall', release, ...where, '--ignore-not-found', '--wait']);
      await deleteAndWait(target.client, resources.Namespace, { name: operatorNamespace }, wait);
      await deleteAndWait(
        target.client,
        resources.CustomResourceDefinition,
        {
          name: 'karmadas.operator.karmada.io',
        },
        wait,
      );
    });
  }
  for (const object of objects.filter(({ kind }) => kind === 'Namespace')) {
    await progress.step(`delete namespace ${object.metadata.name}`, () =>
      deleteAndWait(target.client, resources.Namespace, { name: object.metadata.name }, wait),
    );
  }
}
