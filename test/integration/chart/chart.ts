import { basename, join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { attempt, type CommandResult } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { kubernetesReleases } from '../../../tools/embedded-cluster/releases.ts';

export const chart = join(checkout, 'charts/karmada-operator');
export const crdChart = join(checkout, 'charts/karmada-operator-crds');

/** Runs Helm without user settings. */
export async function helm(args: readonly string[]): Promise<CommandResult> {
  const { helm: program } = await ensureBinaries(['helm']);
  return attempt([program, ...args], { env: { KUBECONFIG: '/dev/null' } });
}

export interface Rendering {
  /** Error output of Helm; empty if the command succeeded. */
  readonly error: string;
  readonly text: string;
  readonly objects: readonly KubernetesObject[];
}

/** Value for the default image, which no registry has. */
export const preloaded = '--set=operator.image.preloaded=true';

/** `helm template` of the chart of the operator as release karmada-operator in karmada-system, with the default image. */
export const render = (args: readonly string[] = []): Promise<Rendering> =>
  renderChart(chart, [preloaded, ...args]);

/** `helm template` of a chart as a release of its name in karmada-system. */
export async function renderChart(
  folder: string,
  args: readonly string[] = [],
): Promise<Rendering> {
  const target = [basename(folder), folder, '--namespace=karmada-system'];
  const version = `--kube-version=${kubernetesReleases.current}`;
  const result = await helm(['template', ...target, version, '--skip-tests', ...args]);
  if (result.code !== 0) return { error: result.stderr, text: '', objects: [] };
  const objects = loadAll(result.stdout).filter((one) => one !== null && one !== undefined);
  return { error: '', text: result.stdout, objects: objects as KubernetesObject[] };
}

/** The only object of a kind. @throws Error if there is not exactly one */
export function only<T = KubernetesObject>(objects: readonly KubernetesObject[], kind: string): T {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`${String(found.length)} objects of kind ${kind}`);
  return found[0] as T;
}
