import { KIND } from '../../src/api/karmada.ts';
import { karmadas } from '../../src/hosts/host.ts';
import { isNotFound } from '../../src/kubernetes/errors.ts';
import { keyOf, resources } from '../../src/kubernetes/resources.ts';
import { attempt } from '../cluster/command.ts';
import type { Progress } from '../cluster/progress.ts';
import { deleteAndWait } from '../harness/deletion.ts';
import { operatorNamespace, release, sampleObjects } from './install.ts';
import type { Target } from './target.ts';

const wait = { deadlineMs: 180_000, intervalMs: 500 };

/** Whether the cluster knows Karmada objects, and whether there are others than the demo's. */
async function othersLeft({ client }: Target): Promise<boolean | undefined> {
  try {
    return (await client.list(karmadas)).items.length > 0;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Removes what the demo made, in the order in which nothing gets stuck: the Karmada while its operator lives, then
 * the operator, then namespaces and the CRD, which stays when somebody else has a Karmada.
 */
export async function removeDemo(target: Target, progress: Progress): Promise<void> {
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
    progress.note('other Karmada objects are there: the operator, its namespace and the CRD stay');
  } else {
    const where = ['--kubeconfig', target.kubeconfig, '--namespace', operatorNamespace];
    await progress.step('uninstall the operator', async () => {
      await attempt([target.helm, 'uninstall', release, ...where, '--ignore-not-found', '--wait']);
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
