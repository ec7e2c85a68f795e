/** CRDs that `kubectl apply` stored without `--server-side` before: server-side apply takes them over. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import { crd } from '../../../scripts/deploy/generate.ts';
import { lacksOf } from '../../../src/served-crd/compare.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { attempt, run } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';

const NAME = `crd/${karmadaCrd.metadata.name}`;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SERVER_SIDE = ['apply', '--server-side', '--force-conflicts'];

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface StoredCrd {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion: string;
  };
  readonly spec: object;
  readonly status?: { readonly conditions?: readonly Condition[] | null };
}

interface StoredKarmada {
  readonly metadata: { readonly uid: string; readonly generation: number };
}

let server: ApiServer;
let kubernetes: string;

const command = (args: readonly string[]): string[] => [
  ...[kubernetes, 'kubectl', `--kubeconfig=${join(server.directory, 'kubeconfig')}`],
  ...args,
];

const kubectl = (...args: readonly string[]): Promise<string> =>
  run(command(args), { cwd: checkout });

async function read<T>(name: string): Promise<T> {
  return JSON.parse(await kubectl('get', name, '-o', 'json')) as T;
}

/** Waits until the API server serves the CRD. `kubectl wait` fails as long as the CRD has no conditions at all. */
const established = (): Promise<true> =>
  poll(`${NAME} is Established`, async (seen) => {
    const { status } = await read<StoredCrd>(NAME);
    seen(JSON.stringify(status));
    const isEstablished = status?.conditions?.some(
      ({ type, status: value }) => type === 'Established' && value === 'True',
    );
    return isEstablished === true || undefined;
  });

/** An earlier CRD that fits into an annotation: without descriptions and rules. */
function earlier(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(earlier);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) =>
      key !== 'x-kubernetes-validations' && !(key === 'description' && typeof part === 'string'),
  );
  return Object.fromEntries(kept.map(([key, part]) => [key, earlier(part)]));
}

/** Writes a file into the directory of the server. */
async function fileOf(name: string, content: object): Promise<string> {
  const path = join(server.directory, name);
  await writeFile(path, JSON.stringify(content));
  return path;
}

beforeAll(async () => {
  ({ kubernetes } = await ensureBinaries(['kubernetes']));
  server = await startApiServer();
}, 20 * 60_000);

afterAll(() => server?.stop());

beforeEach(async () => {
  await kubectl('apply', '-f', await fileOf('earlier.json', earlier(karmadaCrd) as object));
  await established();
  const karmada = { apiVersion: 'operator.karmada.io/v1alpha1', kind: 'Karmada' };
  await kubectl(
    ...['create', '-f'],
    await fileOf('karmada.json', { ...karmada, metadata: { name: 'demo', namespace: 'default' } }),
  );
}, 120_000);

afterEach(async () => {
  await kubectl('delete', NAME, '--wait', '--timeout=60s');
}, 120_000);

/** What the CRD of this version has, and the stored one lacks. */
async function lacks(): Promise<readonly object[]> {
  return lacksOf(karmadaCrd, await read<StoredCrd>(NAME));
}

const hasAnnotation = async (): Promise<boolean> =>
  Object.hasOwn((await read<StoredCrd>(NAME)).metadata.annotations ?? {}, LAST_APPLIED);

describe('the CRD that kubectl applied without --server-side before', () => {
  it('is replaced by server-side apply, without its annotation, and keeps the Karmada objects', async () => {
    const before = await read<StoredKarmada>('karmada/demo');
    expect([await hasAnnotation(), (await lacks()).length > 0]).toEqual([true, true]);

    await kubectl(...SERVER_SIDE, '-f', crd.source);

    expect([await hasAnnotation(), await lacks()]).toEqual([false, []]);
    await established();
    const { metadata } = await read<StoredKarmada>('karmada/demo');
    expect([metadata.uid, metadata.generation]).toEqual([
      before.metadata.uid,
      before.metadata.generation,
    ]);
  }, 120_000);

  it('is replaced by server-side apply of another field manager', async () => {
    await kubectl(...SERVER_SIDE, '--field-manager=argocd-controller', '-f', crd.source);
    expect(await lacks()).toEqual([]);
  }, 120_000);

  it('does not change when server-side apply repeats', async () => {
    const version = async (): Promise<string> =>
      (await read<StoredCrd>(NAME)).metadata.resourceVersion;
    await kubectl(...SERVER_SIDE, '-f', crd.source);
    await established();
    const first = await version();
    await kubectl(...SERVER_SIDE, '-f', crd.source);
    expect(await version()).toBe(first);
  }, 120_000);
});

describe('docs/operate/upgrade.md', () => {
  it('quotes the error of kubectl apply without --server-side, and its remedy', async () => {
    const page = await readFile(join(checkout, 'docs/operate/upgrade.md'), 'utf8');
    const { code, stderr } = await attempt(command(['apply', '-f', crd.source]), { cwd: checkout });
    expect([code, page]).toEqual([1, expect.stringContaining(stderr.trim())]);
    expect(page).toContain(`kubectl ${SERVER_SIDE.join(' ')} -f crds/`);
  });
});
