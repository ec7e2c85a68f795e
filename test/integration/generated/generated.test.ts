/**
 * @size medium
 * @sample small
 */
import { join } from 'node:path';
import { createReadStream } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import { crdArchive } from '../../../scripts/image/karmada-module.ts';
import { defaultSpec } from '../../../src/api/defaults/defaults.ts';
import { DEFAULT_KARMADA_TAG } from '../../../src/api/images.ts';
import { verifyArchive } from '../../../src/crd-archives/verify.ts';
import { loadTemplates } from '../../../src/components/templates.ts';
import { renderControlPlane } from '../../../src/controlplane/controlplane.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { runsAll, seed } from '../../harness/sample.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { NEVER_ACCEPTED } from './exceptions.ts';
import { judge, type Court } from './judge.ts';
import { plan, ROUND } from './plan.ts';
import { karmada, LONG_NAMESPACE, runAll } from './runner.ts';
import { leafPaths, leavesOf } from './schema.ts';

jest.setTimeout(60 * 60_000);

const ROUNDS = runsAll ? 10 : 1;
const RUNS = ROUNDS * ROUND;

let server: ApiServer;
let court: Court;

async function make(object: object): Promise<void> {
  await court.client.create(object as KubernetesObject);
}

beforeAll(async () => {
  // Like in all clusters that allow privileged Pods.
  server = await startApiServer({ flags: ['--allow-privileged=true'] });
  const { cert, key } = server.admin;
  const endpoint = explicitEndpoint({
    server: server.url,
    caData: server.caData,
    certData: cert,
    keyData: key,
  });
  const client = createClient(endpoint, { resources: [karmadas] });
  const templates = loadTemplates(join(import.meta.dirname, '../../../src/components'));
  court = { client, templates, caBundle: server.caData, taken: new Set() };
  await make(karmadaCrd);
  await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: LONG_NAMESPACE } });
  const { namespaces } = renderControlPlane(
    {
      name: 'a',
      namespace: 'default',
      spec: defaultSpec({}, { defaultStorageClass: true }),
      caBundle: server.caData,
    },
    { crds: [], problems: [] },
  );
  for (const namespace of namespaces.filter(({ kind }) => kind === 'Namespace'))
    await make(namespace);
  await poll('the CRD is served', async (seen) => {
    const verdict = await judge(court, karmada('demo', 'default', {})).catch(String);
    seen(JSON.stringify(verdict));
    return typeof verdict === 'string' ? undefined : verdict;
  });
});

afterAll(async () => {
  await server?.stop();
});

/** Number of occurrences of each text. */
function tally(things: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

const paths = leafPaths();
const possible = paths.filter((path) => !NEVER_ACCEPTED.some((never) => never.paths.test(path)));

describe('generated Karmadas', () => {
  it(`are rejected by the CRD or render objects that the API server accepts, for ${RUNS} objects`, async () => {
    const { outcomes, faults } = await runAll(court, plan(possible, ROUNDS, seed));
    const kinds = tally(outcomes.map(({ verdict }) => verdict.kind));
    const named = tally(
      outcomes.flatMap(({ verdict }) =>
        verdict.kind === 'named' ? [...new Set(verdict.reasons)] : [],
      ),
    );
    process.stderr.write(`seed ${seed}: ${JSON.stringify({ ...kinds, named })}\n`);
    const again = `${faults.length} faults; to repeat them: KARMADA_TEST_SEED=${seed}`;
    expect([...(faults.length > 0 ? [again] : []), ...faults.slice(0, 5)].join('\n\n')).toBe('');
    const taken = new Set(
      outcomes.flatMap(({ karmada: { spec }, verdict }) =>
        verdict.kind === 'taken' ? [...leavesOf(spec)] : [],
      ),
    );
    expect(possible.filter((path) => !taken.has(path))).toEqual([]);
    expect(kinds['refused']).toBeGreaterThan(RUNS / 20);
  });

  it.each(NEVER_ACCEPTED)(
    'are rejected by the CRD when $paths is set',
    async ({ paths: never, spec, message }) => {
      expect(paths.some((path) => never.test(path))).toBe(true);
      const verdict = await judge(court, karmada('demo', 'default', spec));
      expect(verdict).toEqual({ kind: 'refused', message: expect.stringContaining(message) });
    },
  );

  it('include CRDs of the archive that the API server accepts', async () => {
    const file = await crdArchive(DEFAULT_KARMADA_TAG);
    const { archive } = await verifyArchive(createReadStream(file), {
      release: DEFAULT_KARMADA_TAG,
    });
    const spec = defaultSpec({}, { defaultStorageClass: true });
    const input = { name: 'demo', namespace: 'default', spec, caBundle: server.caData };
    const { crds } = renderControlPlane(input, archive);
    expect(crds.length).toBeGreaterThan(10);
    for (const crd of crds) {
      const options = { fieldManager: 'karmada-operator', force: true, dryRun: true };
      expect((await court.client.apply(crd, options)).metadata.name).toBe(crd.metadata.name);
    }
  });
});
