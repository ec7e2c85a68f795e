import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { KIND, type Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import type { Target } from './target.ts';

export const operatorNamespace = 'karmada-system';
export const release = 'karmada-operator';

/**
 * Splits an image reference into the chart values registry, repository and tag.
 * @throws Error if the text is not an image reference, or contains a digest
 */
export function splitReference(reference: string): {
  registry: string;
  repository: string;
  tag: string;
} {
  const match = /^(?:([^/]+[.:][^/]*|localhost)\/)?([^:@]+)(?::([^:@/]+))?$/.exec(reference);
  if (match === null)
    throw new Error(
      `${JSON.stringify(reference)} is not an image reference; write it like registry/name:tag`,
    );
  const [, registry = '', repository = '', tag = 'latest'] = match;
  return { registry, repository, tag };
}

/** Path of the chart in a checkout. */
export const chartFolder = 'charts/karmada-operator';

/** Values of the chart. */
export interface ChartValues {
  readonly operator?: { readonly image?: object; readonly [value: string]: unknown };
  readonly [value: string]: unknown;
}

/** Returns the values with an image that all nodes have. The charts of earlier commits do not know this value. */
export const withPreloadedImage = (values: ChartValues = {}): ChartValues => ({
  ...values,
  operator: { ...values.operator, image: { preloaded: true } },
});

/**
 * Installs or upgrades the operator with its Helm chart, and waits until it is available.
 * @param values additional values of the chart
 * @param chart folder of the chart; defaults to the chart of this checkout
 */
export async function installOperator(
  target: { readonly helm: string; readonly kubeconfig: string },
  image: string,
  values: ChartValues = {},
  chart = join(checkout, chartFolder),
): Promise<void> {
  const { operator } = values;
  const reference = { ...operator?.image, ...splitReference(image) };
  const all = { ...values, operator: { ...operator, image: reference } };
  const where = ['--kubeconfig', target.kubeconfig, '--namespace', operatorNamespace];
  await run(
    [
      target.helm,
      'upgrade',
      '--install',
      release,
      chart,
      ...where,
      '--create-namespace',
      '--wait',
      '--timeout=3m',
      '--values=-',
    ],
    { input: JSON.stringify(all) },
  );
}

export const sampleFile = 'samples/karmada.yaml';

/** Reads the objects of a sample by its path in the checkout. */
export async function sampleObjects(file = sampleFile): Promise<KubernetesObject[]> {
  return loadAll(await readFile(join(checkout, file), 'utf8')) as KubernetesObject[];
}

/** Applies objects one by one in the given order. */
export async function applyAll(
  { client }: Pick<Target, 'client'>,
  objects: readonly KubernetesObject[],
): Promise<void> {
  for (const object of objects) await client.apply(object, { fieldManager: 'karmada-demo' });
}

/** Returns the Karmada of a list of objects. @throws Error if the list contains none */
export function karmadaIn(objects: readonly KubernetesObject[]): Karmada {
  const karmada = objects.find(({ kind }) => kind === KIND);
  if (karmada === undefined) throw new Error(`the sample contains no ${KIND} object`);
  return karmada as unknown as Karmada;
}
