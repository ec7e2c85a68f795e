import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { Karmada, KarmadaSpec } from '../api/karmada.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import { TEMPLATES } from '../components/__fixtures__/golden.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import { pkiInputs } from '../features/certificates/pki-inputs.ts';
import { ARCHIVE, karmadaOf, NOW, VIEW } from '../instance/__fixtures__/instance.ts';
import { simulate, type SnapshotInput } from './simulate.ts';

function inputOf(spec: KarmadaSpec): SnapshotInput {
  const host = { objects: [], pods: [], claims: [] };
  const defaulted = defaultSpec(spec, { defaultStorageClass: false });
  return { karmada: karmadaOf(spec), spec: defaulted, now: NOW, host, view: VIEW };
}

/** Tools that load no archive before `load` is called, and record for which Karmadas archives are loaded. */
function slowTools() {
  const loading: Karmada[] = [];
  let load = (): void => undefined;
  const loaded = new Promise<CrdArchive>((resolve) => {
    load = () => {
      resolve(ARCHIVE);
    };
  });
  const tools = {
    templates: TEMPLATES,
    client: { find: () => Promise.resolve(undefined) },
    clock: { wall: () => NOW },
    secretPolicy: createSecretPolicy('Granted', () => []),
    archiveOf: (karmada: Karmada) => {
      loading.push(karmada);
      return loaded;
    },
  };
  return { tools, loading, load };
}

const versions = (karmadas: readonly Karmada[]): readonly unknown[] =>
  karmadas.map(({ spec }) => spec?.version).sort();

const OLD: KarmadaSpec = { version: 'v1.16.0' };
const NEW: KarmadaSpec = { version: 'v1.17.1' };
const FROM_OBJECT: KarmadaSpec = { ...NEW, crdTarball: { configMapRef: { name: 'crds' } } };

describe('simulate', () => {
  it.each<[string, KarmadaSpec | undefined, KarmadaSpec, readonly string[]]>([
    ['both archives at once when the versions differ', OLD, NEW, ['v1.16.0', 'v1.17.1']],
    ['both archives at once when the sources differ', NEW, FROM_OBJECT, ['v1.17.1', 'v1.17.1']],
    ['one archive when the present spec has the same', NEW, { ...NEW, suspend: true }, ['v1.17.1']],
    ['one archive when the Karmada is new', undefined, NEW, ['v1.17.1']],
  ])('loads %s', async (_, before, after, expected) => {
    const { tools, loading, load } = slowTools();
    const present = before && inputOf(before);
    const preparation = { adoption: [], pki: {} as never, secrets: [] };
    const given = { present, blockedChanges: [], preparation };
    const found = simulate(tools, inputOf(after), given);
    expect(versions(loading)).toEqual(expected);
    load();
    expect((await found).rounds).not.toEqual([]);
    expect(versions(loading)).toEqual(expected);
  });

  it.each<[string, boolean, boolean]>([
    ['installs a control plane without data', false, true],
    ['does not install etcd of a control plane whose data is lost', true, false],
  ])('%s', async (_, wasReady, isCreated) => {
    const { tools, load } = slowTools();
    load();
    const name = 'karmada-demo-ca-backup';
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'team' } };
    const secrets = [{ what: 'create', cluster: 'host', step: undefined, object }] as const;
    const none = { claims: [], pods: [], volumes: [], record: undefined };
    const karmada = { name: 'karmada-demo', uid: 'u' };
    const evidence = { karmada, authorities: [], wasReady, ...none };
    const input = inputOf(NEW);
    const pki = pkiInputs(input, undefined, undefined);
    const etcdData = { evidence, backup: undefined };
    const preparation = { adoption: [], pki, secrets, etcdData };
    const given = { present: undefined, blockedChanges: [], preparation };
    const { rounds, blockedChanges, waiting } = await simulate(tools, input, given);
    const kinds = rounds.flat().map((change) => change.object.kind);
    expect(kinds.includes('StatefulSet')).toBe(isCreated);
    expect(blockedChanges.map(({ reason }) => reason)).toEqual(isCreated ? [] : ['DataLost']);
    expect(waiting.length > 0).toBe(!isCreated);
  });
});
