import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { writeOperatorImage, type OperatorImage } from '../../scripts/image/operator.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import { createClient } from '../../src/kubernetes/client/client.ts';
import { kubeConfigEndpoint } from '../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { loadImages } from '../../tools/embedded-cluster/cluster.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { demoImages, type ImageName } from '../../tools/embedded-cluster/images.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import type { DemoOptions } from './options.ts';

/** Name of the embedded cluster that the demo uses. */
export const demoCluster = 'host';

/** Name of the embedded cluster that runs the control plane with `--remote`. */
export const remoteCluster = `${demoCluster}-remote`;

/** Names of the member clusters of the demo, and of the embedded clusters with `--members`. */
export const memberClusters: Readonly<Record<string, string>> = {
  member1: `${demoCluster}-member1`,
  member2: `${demoCluster}-member2`,
};

/** Cluster that runs the operator of the demo. */
export interface Target {
  readonly kubeconfig: string;
  /** Folder with kubectl, helm and karmadactl; set for the embedded cluster only. */
  readonly bin?: string;
  /** Helm; set for a cluster of the user only. */
  readonly helm?: string;
  readonly client: KubernetesClient;
}

/** Creates a client for the current context of a kubeconfig; also returns server address and context name. */
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

/**
 * Returns the cluster of a kubeconfig of the user, after the user has confirmed changes in it.
 * @throws Failure if the file is missing or the user does not confirm
 */
export async function foreignTarget(
  options: DemoOptions,
  purpose: string,
  progress: Progress,
): Promise<Target> {
  const kubeconfig = resolve(process.env['INIT_CWD'] ?? process.cwd(), options.kubeconfig ?? '');
  if (!existsSync(kubeconfig))
    throw new Failure(`${kubeconfig} does not exist`, 'specify the path of a kubeconfig');
  const { client, server, context } = clientOf(kubeconfig);
  const question = `This ${purpose} the cluster ${server} (context ${JSON.stringify(context)}). Continue? [y/N] `;
  if (!options.yes && !(await agree(question))) {
    await client.close();
    throw new Failure('nothing was changed', 'answer y, or set --yes');
  }
  const { helm } = await ensureBinaries(['helm'], progress);
  return { kubeconfig, helm, client };
}

/**
 * Starts the embedded cluster and loads the operator image, which is written while a first run builds the programs.
 * @param images additional images to load; defaults to those of a control plane
 */
export async function embeddedTarget(
  progress: Progress,
  images: readonly ImageName[] = demoImages,
): Promise<{ target: Target; image: string }> {
  let writing: Promise<OperatorImage> | undefined;
  const image = (): Promise<OperatorImage> =>
    (writing ??= progress.step('operator image', () => writeOperatorImage()));
  const cluster = await up({ name: demoCluster, images, progress, meanwhile: image });
  const { file, reference } = await image();
  await progress.step('load operator image', () => loadImages(cluster, [file]));
  const { client } = clientOf(cluster.kubeconfig);
  return {
    target: { kubeconfig: cluster.kubeconfig, bin: cluster.bin, client },
    image: reference,
  };
}
