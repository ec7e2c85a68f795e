import { describe, expect, it } from '@jest/globals';
import { instanceLabels } from '../../api/labels.ts';
import { instanceName } from '../../api/naming.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import { tooLarge } from '../../kubernetes/client/limits.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { INPUTS } from '../../pki/fixture.test-data.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { PresentSecrets } from '../../instance/present-secrets.ts';
import { readSecrets } from './read-secrets.ts';

const NAMES = ['ca-backup', 'service-account-key', 'cert', 'etcd-cert', 'webhook-cert'];

const secret = (
  suffix: string,
  labels = instanceLabels(INPUTS.name, 'karmada'),
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: instanceName(INPUTS.name, suffix),
    namespace: INPUTS.namespace,
    labels,
    resourceVersion: '7',
  },
  data: { key: Buffer.from(suffix).toString('base64') },
});

/** Reads with a client that has these Secrets. @returns requests and the roles that were found */
async function reading(
  stored: readonly KubernetesObject[],
  cached: readonly KubernetesObject[],
  { refusal, present }: { refusal?: Error; present?: PresentSecrets } = {},
): Promise<{ readonly requests: readonly string[]; readonly found: readonly string[] }> {
  const requests: string[] = [];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) => {
      requests.push(`get ${name.replace(instanceName(INPUTS.name, ''), '')}`);
      return Promise.resolve(stored.find(({ metadata }) => metadata.name === name));
    },
    list: (
      _: unknown,
      options: {
        metadataOnly?: boolean;
        transform?: () => { reduce: (item: KubernetesObject) => unknown };
      },
    ) => {
      const { metadataOnly = false } = options;
      requests.push(metadataOnly ? 'list names' : 'list');
      if (refusal !== undefined) return Promise.reject(refusal);
      const transform = options.transform?.();
      const labelled = stored.filter(
        ({ metadata }) => metadataOnly || Object.keys(metadata.labels ?? {}).length > 0,
      );
      const items = labelled.filter((item) => transform?.reduce(item) !== undefined);
      return Promise.resolve({ items });
    },
  };
  const snapshot = { host: { objects: cached } } as never as Pick<Snapshot, 'host'>;
  const subject = { ...snapshot, ...(present && { present }) };
  const { reads } = await readSecrets({ client: client as never }, INPUTS, subject);
  const found = Object.entries(reads).filter(([, data]) => data !== 'absent');
  return { requests, found: found.map(([role]) => role).sort() };
}

const ALL = NAMES.map((name) => secret(name));

describe('readSecrets', () => {
  it('reads the Secrets of an installed control plane with one list, and only absent ones by name', async () => {
    const { requests, found } = await reading(ALL.slice(1), ALL);
    expect(found).toEqual(NAMES.slice(1).sort());
    expect(requests.filter((request) => request === 'list')).toHaveLength(1);
    for (const name of NAMES.slice(1)) expect(requests).not.toContain(`get ${name}`);
    expect(requests).toContain('get ca-backup');
  });

  it('reads no absent Secret before the installation', async () => {
    const { requests, found } = await reading([], []);
    expect(found).toEqual([]);
    expect(requests).toEqual(['list names']);
  });

  it('uses the list of the preflight checks only before the installation', async () => {
    const present = (): Promise<ReadonlySet<string>> =>
      Promise.resolve(new Set([instanceName(INPUTS.name, 'ca-backup')]));
    expect(await reading(ALL, [], { present })).toEqual({
      requests: ['get ca-backup'],
      found: ['ca-backup'],
    });
    expect(await reading(ALL, ALL, { present })).toEqual(await reading(ALL, ALL));
  });

  it('reads existing Secrets by name when the caches have none, such as after a restore', async () => {
    const { requests, found } = await reading(ALL.slice(1), []);
    expect(found).toEqual(NAMES.slice(1).sort());
    const names = ['cert', 'etcd-cert', 'webhook-cert', 'service-account-key'];
    expect(requests).toEqual(['list names', ...names.map((name) => `get ${name}`)]);
  });

  it.each<[string, Error]>([
    [
      'it may not list',
      new ApiError({ request: 'list', code: 403, reason: 'Forbidden', message: 'forbidden' }),
    ],
    ['the namespace has too many', tooLarge('list', 'the list', 1)],
  ])('reads all by name before the installation when %s', async (_, refusal) => {
    const { requests, found } = await reading(ALL, [], { refusal });
    expect(found).toEqual([...NAMES].sort());
    expect(requests).toContain('get admin-config');
  });

  it('finds a Secret that lost its labels', async () => {
    const bare = {
      ...secret('cert', {} as never),
      metadata: { ...secret('cert').metadata, labels: {} },
    };
    const unlabelled = {
      ...bare,
      metadata: {
        ...bare.metadata,
        managedFields: [{ manager: 'karmada-operator', operation: 'Apply' }],
      },
    };
    const { found, requests } = await reading(
      [...ALL.filter((one) => one.metadata.name !== instanceName(INPUTS.name, 'cert')), unlabelled],
      ALL,
    );
    expect(requests).toContain('get cert');
    expect(found).toContain('cert');
  });

  it('reads by name if it may not list', async () => {
    const refusal = new ApiError({
      request: 'list secrets',
      code: 403,
      reason: 'Forbidden',
      message: 'forbidden',
    });
    const { found } = await reading(ALL, ALL, { refusal });
    expect(found).toEqual([...NAMES].sort());
  });
});
