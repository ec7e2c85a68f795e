/** Installs the operator with plain YAML, as docs/install.md describes. */
import { join } from 'node:path';
import { isWorkload, type Container } from '../../src/components/workload.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { operatorNamespace, release, sampleObjects } from './install.ts';

const FILES = ['1-namespace.yaml', '2-rights.yaml', '3-operator.yaml'];
const BACKUP_IMAGE = '--backup-image=';

/** Returns the objects of the manifests with another operator image, also for the Pods of backups. */
export function withOperatorImage(
  objects: readonly KubernetesObject[],
  image: string,
): KubernetesObject[] {
  const changed = (container: Container): Container => ({
    ...container,
    image,
    ...(container.args && {
      args: container.args.map((arg) =>
        arg.startsWith(BACKUP_IMAGE) ? `${BACKUP_IMAGE}${image}` : arg,
      ),
    }),
  });
  return objects.map((object) => {
    if (!isWorkload(object)) return object;
    const { template } = object.spec;
    const containers = template.spec.containers.map(changed);
    const spec = { ...template.spec, containers };
    return { ...object, spec: { ...object.spec, template: { ...template, spec } } };
  });
}

/**
 * Applies the CRDs and `config/deploy/` with the kubectl of the embedded cluster, and waits until the operator is
 * available.
 */
export async function applyManifests(
  { bin, kubeconfig }: { readonly bin: string; readonly kubeconfig: string },
  image: string,
): Promise<void> {
  const kubectl = [join(bin, 'kubectl'), '--kubeconfig', kubeconfig];
  // Fields that an installation with Helm owns are taken over.
  const apply = [...kubectl, 'apply', '--server-side', '--force-conflicts', '-f'];
  await run([...apply, join(checkout, 'crds')]);
  await run([...kubectl, 'wait', '--for=condition=Established', '-f', join(checkout, 'crds')]);
  const read = FILES.map((file) => sampleObjects(`config/deploy/${file}`));
  const items = withOperatorImage((await Promise.all(read)).flat(), image);
  await run([...apply, '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
  const rollout = ['rollout', 'status', `deployment/${release}`, '-n', operatorNamespace];
  await run([...kubectl, ...rollout, '--timeout=3m']);
}
