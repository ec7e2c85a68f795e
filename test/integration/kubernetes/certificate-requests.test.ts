/** With which CA a real kube-controller-manager signs the request of a rotation, also after the files of its CA have changed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  deleteRequest,
  requestCertificate,
} from '../../../src/features/rotation/execute-request.ts';
import type { Rotation } from '../../../src/features/rotation/record.ts';
import {
  requestActions,
  requestOfPhase,
  signedRequestOf,
  type SeenRequest,
} from '../../../src/features/rotation/signed-request.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import type { KeyPair } from '../../../src/pki/types.ts';
import { selfSigned } from '../../../src/pki/x509.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { startServer, type Server } from '../../harness/servers/process.ts';

const MINUTE = 60_000;
const KEYS = { keys: { generate: () => makeKey('ec-p256') } };
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];
const ROTATION: Rotation = {
  ...{ authority: 'ca', phase: 'Switching', from: A, to: B },
  ...{ since: Date.now() - 20 * MINUTE, writtenAt: Date.now() - 20 * MINUTE },
};
const NAME = requestOfPhase(ROTATION)?.name ?? '';

let api: ApiServer;
let client: KubernetesClient;
let signer: Server;
let directory: string;
let pairs: ReadonlyMap<string, KeyPair>;

const newCa = async (name: string): Promise<KeyPair> =>
  selfSigned(name, await makeKey('ec-p256'), { now: new Date(), random: randomBytes });

const file = (name: string): string => join(directory, name);

async function signWith(root: string): Promise<void> {
  const { certificate = '', key = '' } = pairs.get(root) ?? {};
  await writeFile(file('ca.key'), key, { mode: 0o600 });
  await writeFile(file('ca.crt'), certificate);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signer-'));
  pairs = new Map([
    [A, await newCa('karmada')],
    [B, await newCa('karmada-next')],
  ]);
  await signWith(A);
  api = await startApiServer();
  client = adminClient(api);
  await writeFile(file('kubeconfig'), api.kubeconfig, { mode: 0o600 });
  const { kubernetes } = await ensureBinaries(['kubernetes']);
  const args = [
    ...['kube-controller-manager', `--kubeconfig=${file('kubeconfig')}`],
    ...['--controllers=csrsigning', '--leader-elect=false', '--secure-port=0'],
    `--cluster-signing-cert-file=${file('ca.crt')}`,
    `--cluster-signing-key-file=${file('ca.key')}`,
  ];
  signer = startServer(kubernetes, args, file('log'));
}, 5 * MINUTE);

afterAll(async () => {
  await client.close();
  await signer.end('SIGKILL');
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

async function read(): Promise<SeenRequest> {
  const request = await client.find(resources.CertificateSigningRequest, { name: NAME });
  return { observedAt: 0, ...(request && { request }) };
}

/** Does what a reconcile does, without its limit of one request a minute. @returns what has signed the request */
async function reconcile(): Promise<string | undefined> {
  const seen = await read();
  const now = Date.now() + 2 * MINUTE;
  for (const action of requestActions({ rotation: ROTATION, seen, pairs }, now)) {
    if (action.kind === 'requestCertificate') await requestCertificate(KEYS, { client }, action);
    if (action.kind === 'deleteRequest') await deleteRequest({ client }, action);
  }
  return signedRequestOf({ seen, pairs })?.root;
}

it(
  'shows the former CA, and the new one when kube-controller-manager has loaded it',
  async () => {
    await eventually('signed by the former CA', async () => (await reconcile()) === A);
    await signWith(B);
    const isSigned = async (): Promise<boolean> => (await reconcile()) === B;
    for (const deadline = Date.now() + 2 * MINUTE; !(await isSigned());) {
      if (Date.now() > deadline) throw new Error(signer.tail());
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    // At rest, nothing is written.
    const { request } = await read();
    await reconcile();
    expect((await read()).request?.metadata.resourceVersion).toBe(
      request?.metadata.resourceVersion,
    );
  },
  4 * MINUTE,
);
