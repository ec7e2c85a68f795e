/**
 * A user requests new certificates with the annotation of a Karmada: the operator reissues them once, also if it is killed
 * between two Secrets, and the control plane stays Ready.
 *
 * @size small
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import { instanceName } from '../../../src/api/naming.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { describeCertificate } from '../../../src/pki/certificate-info.ts';
import { ROTATE_ANNOTATION } from '../../../src/pki/rotate-request.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { disturbedKarmada, disturbedName } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator, type OperatorBuild } from '../../stubs/operator/build.ts';
import { OperatorProcess, type Kills } from '../../stubs/operator/operator-process.ts';
import { StubCluster } from '../../stubs/stub-cluster.ts';

const NAMESPACE = 'reissue';
const KEY = { namespace: NAMESPACE, name: disturbedName };
const FLAGS = ['--leader-elect=false'];

let cluster: StubCluster;
let build: OperatorBuild;
let operator: OperatorProcess;
const ends: (() => unknown)[] = [];

const restart = async (kills?: Kills): Promise<void> => {
  await operator.stop('SIGKILL');
  operator = await OperatorProcess.start({ build, access: cluster.access, flags: FLAGS }, kills);
};

const karmada = async (): Promise<Karmada> => cluster.client.get(karmadas, KEY);

beforeAll(async () => {
  const [addresses, built] = await Promise.all([Addresses.claim(), buildOperator()]);
  build = built;
  ends.push(
    () => build.remove(),
    () => addresses.release(),
  );
  cluster = await StubCluster.start({ addresses });
  operator = await OperatorProcess.start({ build, access: cluster.access, flags: FLAGS });
  const { client } = cluster;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await client.create(disturbedKarmada(NAMESPACE) as KubernetesObject);
  await poll(
    'the control plane is Ready',
    async (seen) => {
      const found = await karmada();
      seen(JSON.stringify(found.status));
      return saysReady(found) ? true : undefined;
    },
    { deadlineMs: 300_000 },
  );
}, 600_000);

afterAll(async () => {
  await operator.stop('SIGKILL');
  await cluster.stop();
  for (const end of ends) await end();
});

/** SHA-256 of each certificate in the Secrets of the control plane, by Secret and key. */
async function fingerprints(): Promise<Readonly<Record<string, string>>> {
  const { items } = await cluster.client.list(resources.Secret, { namespace: NAMESPACE });
  const found = items.flatMap(({ metadata: { name }, data = {} }) =>
    Object.entries(data)
      .filter(([key]) => key.endsWith('.crt'))
      .map(([key, value]): [string, string] => {
        const pem = Buffer.from(value, 'base64').toString('utf8');
        return [`${name}/${key}`, describeCertificate(pem)?.sha256 ?? 'unreadable'];
      }),
  );
  return Object.fromEntries(found);
}

const isAuthority = (key: string): boolean =>
  /\/(?:signing-|etcd-|front-proxy-)?ca(?:-|\.)/.test(key);

/** Templates of the Deployments, which show what restarts. */
async function templates(): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await cluster.client.list(resources.Deployment, { namespace: NAMESPACE });
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [metadata.name, (spec as { template: unknown }).template]),
  );
}

async function request(value: string): Promise<void> {
  const annotations = { [ROTATE_ANNOTATION]: value };
  await cluster.client.patch(karmadas, KEY, { metadata: { annotations } });
}

/** Waits until a request is recorded and none of its former certificates is in use, and Ready stays. */
async function untilReissued(before: Readonly<Record<string, string>>, of: RegExp): Promise<void> {
  await poll(
    'the certificates are reissued',
    async (seen) => {
      const found = await karmada();
      if (!saysReady(found)) throw new Error(`not Ready: ${JSON.stringify(found.status)}`);
      const now = await fingerprints();
      const same = Object.keys(before).filter((key) => of.test(key) && now[key] === before[key]);
      seen(same.join(', '));
      return same.some((key) => !isAuthority(key)) ? undefined : true;
    },
    { deadlineMs: 120_000, intervalMs: 50 },
  );
}

/** Waits until the operator has written nothing for two seconds. */
async function untilQuiet(): Promise<void> {
  let last = -1;
  await poll(
    'no write follows',
    () => {
      const { version } = cluster.api.store;
      const isQuiet = version === last;
      last = version;
      return Promise.resolve(isQuiet ? true : undefined);
    },
    { deadlineMs: 120_000, intervalMs: 2_000 },
  );
}

const changedKeys = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] =>
  Object.keys(after)
    .filter((key) => !isDeepStrictEqual(after[key], before[key]))
    .sort();

describe('a request to reissue certificates', () => {
  it('replaces one certificate once, restarts nothing, and stays executed after a restart of the operator', async () => {
    const [before, running] = [await fingerprints(), await templates()];
    const name = `${instanceName(disturbedName, 'cert')}/apiserver.crt`;
    await request('apiserver/1');
    await untilReissued(before, /\/apiserver\.crt$/);
    await untilQuiet();
    const after = await fingerprints();
    expect(changedKeys(before, after)).toEqual([name]);
    expect(changedKeys(running, await templates())).toEqual([]);
    await restart();
    await untilQuiet();
    expect(changedKeys(after, await fingerprints())).toEqual([]);
  }, 300_000);

  it('replaces all certificates and no CA, and restarts only what does not reload', async () => {
    const [before, running] = [await fingerprints(), await templates()];
    await request('leaves/2');
    await untilReissued(before, /./);
    await untilQuiet();
    const after = await fingerprints();
    const changed = changedKeys(before, after);
    expect(changed.filter(isAuthority)).toEqual([]);
    expect(changed).toEqual(
      Object.keys(before)
        .filter((key) => !isAuthority(key))
        .sort(),
    );
    const restarted = changedKeys(running, await templates());
    const suffixes = ['descheduler', 'scheduler'].map((one) => instanceName(disturbedName, one));
    expect(suffixes).toEqual(expect.arrayContaining([...restarted]));
    expect(restarted).toContain(instanceName(disturbedName, 'scheduler'));
    expect(saysReady(await karmada())).toBe(true);
    await request('apiserver/1');
    await untilQuiet();
    expect(changedKeys(after, await fingerprints())).toEqual([]);
  }, 300_000);

  it.each([1, 5])(
    'is completed by the next process if the operator is killed after write %i of its Secrets',
    async (afterWrite) => {
      await untilQuiet();
      const before = await fingerprints();
      await operator.stop('SIGKILL');
      await request(`leaves/killed-${String(afterWrite)}`);
      operator = await OperatorProcess.start(
        { build, access: cluster.access, flags: FLAGS },
        { afterWrite, of: /\/secrets\// },
      );
      await untilReissued(before, /./);
      await untilQuiet();
      expect(operator.killed).toBe(1);
      const after = await fingerprints();
      expect(changedKeys(before, after).filter(isAuthority)).toEqual([]);
      await restart();
      await untilQuiet();
      expect(changedKeys(after, await fingerprints())).toEqual([]);
    },
    300_000,
  );
});
