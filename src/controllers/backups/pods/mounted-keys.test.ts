/** Private keys that Pods of the operator mount, over all components, configurations, backups and recoveries. */
import { describe, expect, it } from '@jest/globals';
import type { KarmadaBackup, KarmadaBackupStore } from '../../../api/backup/kinds.ts';
import { MASTERS_GROUP } from '../../../api/identities.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { COMPONENT_SUFFIX, instanceName } from '../../../api/naming.ts';
import { TEMPLATES } from '../../../components/__fixtures__/golden.ts';
import {
  ADDONS,
  ESTIMATORS,
  EXTERNAL_ETCD,
  FULL,
  inputOf,
  MINIMAL,
  POD_SETTINGS,
} from '../../../components/__fixtures__/inputs.ts';
import { PLACEMENT } from '../../../components/__fixtures__/placement.ts';
import type { RenderInput } from '../../../components/component.ts';
import { renderHost } from '../../../components/desired.ts';
import { isWorkload } from '../../../components/workload.ts';
import { backupSource } from '../../../features/etcd-recovery/backup-source.ts';
import { memberSnapshot } from '../../../features/etcd-recovery/snapshot-source.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { storedKeys } from '../../../pki/__fixtures__/stored-keys.ts';
import { AUTHORITIES, LEAVES } from '../../../pki/inventory.ts';
import type { SecretRole } from '../../../pki/types.ts';
import { deletionPod } from '../backup/deletion-pod.ts';
import { probePod } from '../store/probe-pod.ts';
import { backupPod } from './backup-pod.ts';

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName?: string; readonly items?: readonly { key: string }[] };
}

/** A Pod with what it mounts. */
interface Mounting {
  readonly pod: string;
  readonly karmada: string;
  readonly volumes: readonly Volume[];
}

const COMPONENT_INPUTS: readonly (readonly [string, RenderInput])[] = [
  ['minimal', MINIMAL],
  ['full', FULL],
  ['an external etcd', EXTERNAL_ETCD],
  ['all add-ons', { ...inputOf({ components: ADDONS }), estimators: ESTIMATORS }],
  ['Pod settings', { ...inputOf({ components: ADDONS, podSettings: POD_SETTINGS }) }],
  ['a placement', { ...inputOf(PLACEMENT), estimators: ESTIMATORS }],
];

const componentPods = (input: RenderInput): readonly Mounting[] =>
  renderHost(TEMPLATES, input)
    .filter(isWorkload)
    .map(({ metadata, spec }) => ({
      pod: metadata.labels?.['app.kubernetes.io/name'] ?? '',
      karmada: input.name,
      volumes: spec.template.spec.volumes ?? [],
    }));

const NAME = 'karmada-demo';
const KARMADA = { metadata: { name: NAME, namespace: 'team' }, spec: {} } as Karmada;

const STORES = [
  { spec: { encryption: { mode: 'None' }, volume: { claimName: 'backups' } } },
  {
    spec: {
      encryption: { mode: 'AES256GCM', keySecretRef: { name: 'keys' }, keyID: 'k1' },
      s3: {
        endpoint: 'https://s3',
        region: 'r',
        bucket: 'b',
        credentialsSecretRef: { name: 's3' },
        caSecretRef: { name: 'ca' },
      },
    },
  },
].map((store) => ({
  metadata: { name: 'main', namespace: 'team' },
  ...store,
})) as unknown as readonly KarmadaBackupStore[];

const backupOf = (folder?: string): KarmadaBackup => ({
  apiVersion: 'backup.operator.karmada.io/v1alpha1',
  kind: 'KarmadaBackup',
  metadata: { name: 'first', namespace: 'team', uid: 'u1' },
  spec: {
    karmadaRef: { name: NAME },
    storeRef: { name: 'main' },
    ...(folder !== undefined && { folder }),
  },
});

const volumesOf = (pod: KubernetesObject): readonly Volume[] =>
  (pod['spec'] as { volumes: readonly Volume[] }).volumes;

const common = { image: 'operator', operatorVersion: '1', podSettings: [], imagePullSecrets: [] };
const etcd = { image: 'etcd', hosts: ['etcd-0'] };

/** Volumes of the Pods of backups and recoveries. */
async function jobPods(store: KarmadaBackupStore): Promise<readonly Mounting[]> {
  const of = { karmada: KARMADA, store, etcd, ...common };
  const find = (_: object, { name = '' }): Promise<unknown> =>
    Promise.resolve(name === 'main' ? store : { spec: backupOf().spec, metadata: {} });
  const restored = { ...backupOf().spec, backupRef: { name: 'first' } };
  const management = {
    find: async (type: object, key: { name?: string }) =>
      key.name === 'back' ? { spec: restored, metadata: {} } : find(type, key),
  };
  const tools = { management: management as never, backupImage: 'operator' };
  const loaded = await backupSource(
    tools,
    { name: NAME, namespace: 'team', podSettings: undefined },
    'back',
  );
  const volumes = {
    backup: volumesOf(backupPod({ ...of, backup: backupOf() })),
    'backup for a remote host cluster': volumesOf(
      backupPod({ ...of, backup: backupOf(), copied: { 'keys.k1': '' } }),
    ),
    'verification of an earlier backup': volumesOf(backupPod({ ...of, backup: backupOf('a/b') })),
    deletion: volumesOf(deletionPod({ backup: backupOf(), store, ...common })),
    probe: volumesOf(probePod(store, { ...common, hash: 'h' })),
    'recovery from a member': memberSnapshot('https://etcd-0', `${NAME}-etcd-cert`).volumes,
    'recovery from a backup': loaded?.volumes ?? [],
  };
  return Object.entries(volumes).map(([pod, mounted]) => ({
    pod,
    karmada: NAME,
    volumes: mounted as readonly Volume[],
  }));
}

const ROLES: readonly SecretRole[] = [
  ...new Set([...AUTHORITIES, ...LEAVES].flatMap(({ stored }) => stored.map((one) => one.secret))),
];

/** Pairs whose private keys a Pod mounts. A volume without `items` has all keys of its Secret. */
function mountedPairs({ karmada, volumes }: Mounting): readonly string[] {
  const keys = volumes.flatMap(({ secret }) => {
    const role = ROLES.find((one) => secret?.secretName === instanceName(karmada, one));
    if (role === undefined) return [];
    const names = secret?.items?.map(({ key }) => key) ?? storedKeys(role);
    return names.map((key) => `${role}/${key}`);
  });
  const pairs = [...AUTHORITIES, ...LEAVES].filter(({ stored }) =>
    stored.some(({ secret, key }) => keys.includes(`${secret}/${key}`)),
  );
  return pairs.map(({ name }) => name);
}

const MASTERS: ReadonlySet<string> = new Set(
  LEAVES.filter(({ subject }) => subject.organization === MASTERS_GROUP).map(({ name }) => name),
);

/** Certificates that the table has for a component. */
const usedBy = (component: string): readonly string[] => {
  const suffixes: Readonly<Partial<Record<string, string>>> = COMPONENT_SUFFIX;
  return LEAVES.filter(({ uses }) =>
    uses.some((use) => use.isFormer !== true && use.component === suffixes[component]),
  ).map(({ name }) => name);
};

/** kube-controller-manager signs certificates of agents. */
const SIGNERS: Readonly<Partial<Record<string, readonly string[]>>> = {
  'kube-controller-manager': ['ca'],
};

describe('Pods of components', () => {
  it.each(COMPONENT_INPUTS)('mount only keys of their own: %s', (_, input) => {
    const pods = componentPods(input);
    expect(pods.length).toBeGreaterThan(6);
    for (const pod of pods) {
      const allowed = [...usedBy(pod.pod), ...(SIGNERS[pod.pod] ?? [])];
      const others = mountedPairs(pod).filter((name) => !allowed.includes(name));
      expect({ pod: pod.pod, others }).toEqual({ pod: pod.pod, others: [] });
    }
  });

  it.each(COMPONENT_INPUTS)('mount no key in system:masters: %s', (_, input) => {
    const mounted = componentPods(input).flatMap(mountedPairs);
    expect(mounted).toContain('apiserver');
    expect(mounted.filter((name) => MASTERS.has(name))).toEqual([]);
  });
});

describe('Pods of backups and recoveries', () => {
  /** A backup saves the CAs, which no other Pod may do. */
  const ALLOWED: Readonly<Partial<Record<string, readonly string[]>>> = {
    backup: ['ca', 'etcd-ca', 'front-proxy-ca', 'etcd-client'],
    'backup for a remote host cluster': ['ca', 'etcd-ca', 'front-proxy-ca', 'etcd-client'],
    'recovery from a member': ['etcd-client'],
  };

  it.each(STORES)('mount only the keys that they need', async (store) => {
    for (const pod of await jobPods(store))
      expect([pod.pod, [...mountedPairs(pod)].sort()]).toEqual([
        pod.pod,
        [...(ALLOWED[pod.pod] ?? [])].sort(),
      ]);
  });
});

it('a Pod that mounts a whole Secret mounts the key of the operator', () => {
  const volumes = [{ name: 'all', secret: { secretName: `${NAME}-cert` } }];
  expect(mountedPairs({ pod: 'x', karmada: NAME, volumes })).toContain('karmada');
  expect(MASTERS).toEqual(new Set(['karmada', 'admin-client']));
});
