import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { writeOperatorImage } from '../../scripts/image/operator.ts';
import { karmadas } from '../../src/hosts/host.ts';
import { createClient } from '../../src/kubernetes/client.ts';
import { kubeConfigEndpoint } from '../../src/kubernetes/connection.ts';
import type { KubernetesClient } from '../../src/kubernetes/contract.ts';
import { ensureBinaries } from '../cluster/binaries.ts';
import { loadImages } from '../cluster/cluster.ts';
import { Failure } from '../cluster/failure.ts';
import { demoImages, type ImageName } from '../cluster/images.ts';
import type { Progress } from '../cluster/progress.ts';
import { up } from '../cluster/up.ts';
import type { DemoOptions } from './options.ts';

/** Name of the embedded cluster that the demo uses. */
export const demoCluster = 'host';

/** Name of the embedded cluster that gets the control plane when that runs in another than the operator. */
export const remoteCluster = `${demoCluster}-remote`;

/** Where the demo happens. */
export interface Target {
  readonly kubeconfig: string;
  /** Set for the embedded cluster: commands that a user can call with it. */
  readonly bin?: string;
  readonly helm: string;
  readonly client: KubernetesClient;
}

/** A client for the current context of a kubeconfig, and where that leads to. */
export function clientOf(kubeconfig: string): {
  client: KubernetesClient;
  server: string;
  context: string;
} {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const endpoint = kubeConfigEndpoint(config);
  const context = config.getCurrentContext();
  return {
    client: createClient(endpoint, { userAgent: 'karmada-demo', resources: [karmadas] }),
    server: endpoint.server,
    context,
  };
}

async function agree(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(question)).trim());
  } finally {
    prompt.close();
  }
}

/** The cluster of a kubeconfig of the user's; nothing is written before they have agreed. */
export async function foreignTarget(
  options: DemoOptions,
  purpose: string,
  progress: Progress,
): Promise<Target> {
  const kubeconfig = resolve(process.env['INIT_CWD'] ?? process.cwd(), options.kubeconfig ?? '');
  if (!existsSync(kubeconfig))
    throw new Failure(`${kubeconfig} is not there`, 'give the path of a kubeconfig');
  const { client, server, context } = clientOf(kubeconfig);
  const question = `This ${purpose} the cluster ${server} (context ${JSON.stringify(context)}). Go on? [y/N] `;
  if (!options.yes && !(await agree(question))) {
    await client.close();
    throw new Failure('nothing was changed', 'answer y, or give --yes');
  }
  const { helm } = await ensureBinaries(['helm'], progress);
  return { kubeconfig, helm, client };
}

/**
 * The embedded cluster with the operator's image in it.
 * @param images images to load besides, for a control plane unless it runs elsewhere
 */
export async function embeddedTarget(
  progress: Progress,
  images: readonly ImageName[] = demoImages,
): Promise<{ target: Target; image: string }> {
  const cluster = await up({ name: demoCluster, images, progress });
  const { file, reference } = await progress.step('operator image', () => writeOperatorImage());
  await progress.step('load operator image', () => loadImages(cluster, [file]));
  const { helm } = await ensureBinaries(['helm'], progress);
  const { client } = clientOf(cluster.kubeconfig);
  return {
    target: { kubeconfig: cluster.kubeconfig, bin: cluster.bin, helm, client },
    image: reference,
  };
}
