/** An S3 server (versitygw) on the node of a cluster, with HTTPS and a certificate of its own CA. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { controlGroups } from '../../tools/embedded-cluster/cgroups.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { inNode, startInNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';

/** Bucket on the node of a cluster. */
export interface S3 {
  /** As in `spec.s3` of a KarmadaBackupStore. */
  readonly location: {
    readonly endpoint: string;
    readonly region: string;
    readonly bucket: string;
    readonly pathStyle: true;
  };
  /** As in the Secret of `credentialsSecretRef`. */
  readonly credentials: { readonly accessKeyID: string; readonly secretAccessKey: string };
  /** PEM certificate. */
  readonly ca: string;
  /** Folder with the objects of the bucket. */
  readonly folder: string;
}

const PROGRAM = 'versitygw';
const PORT = 7070;
const REGION = 'eu-test-1';
const BUCKET = 'backups';
const CREDENTIALS = { accessKeyID: 'tester', secretAccessKey: 'planted-s3-secret' };

/** Starts a server with one empty bucket; replaces a running one. The data of an earlier one stays. */
export async function startS3(cluster: Cluster): Promise<S3> {
  stopS3(cluster);
  const { versitygw } = await ensureBinaries(['versitygw']);
  const { node } = addressesOf(slotOf(cluster.name) ?? NaN);
  const directory = join(cluster.node.directory, PROGRAM);
  const data = join(directory, 'data');
  await mkdir(join(data, BUCKET), { recursive: true });
  const ca = await newPair({ commonName: 's3-ca' });
  const serving = await newPair({ commonName: 's3', hosts: [node] }, ca);
  const [certificate, key] = [join(directory, 'serving.crt'), join(directory, 'serving.key')];
  await writeFile(certificate, serving.cert);
  await writeFile(key, serving.key, { mode: 0o600 });
  const { accessKeyID, secretAccessKey } = CREDENTIALS;
  startInNode(cluster.node, PROGRAM, [
    versitygw,
    '--access',
    accessKeyID,
    '--secret',
    secretAccessKey,
    '--region',
    REGION,
    '--port',
    `${node}:${String(PORT)}`,
    '--cert',
    certificate,
    '--key',
    key,
    'posix',
    data,
  ]);
  const endpoint = `https://${node}:${String(PORT)}`;
  await poll('the S3 server responds', async (seen) => {
    const result = await attempt(
      inNode(cluster.node, ['curl', '-sk', '-o', '/dev/null', endpoint]),
    );
    seen(result.stderr);
    return result.code === 0 ? true : undefined;
  });
  return {
    location: { endpoint, region: REGION, bucket: BUCKET, pathStyle: true },
    credentials: CREDENTIALS,
    ca: ca.cert,
    folder: join(data, BUCKET),
  };
}

/** Stops the server if it runs. */
export function stopS3(cluster: Cluster): void {
  for (const pid of controlGroups(cluster.name).processes(PROGRAM)) process.kill(pid, 'SIGKILL');
}
