import { describe, expect, it } from '@jest/globals';
import type { PodSettings } from '../../api/karmada.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { backupSource } from './backup-source.ts';
import { restorePod } from './restore-pod.ts';

const OBJECTS: Readonly<Record<string, object>> = {
  back: { spec: { backupRef: { name: 'first' } } },
  first: { spec: { storeRef: { name: 'main' } } },
  main: { spec: { encryption: { mode: 'None' }, volume: { claimName: 'backups' } } },
};

const management = {
  find: (_: object, { name = '' }: { readonly name?: string }) =>
    Promise.resolve({ metadata: { name }, ...OBJECTS[name] }),
};

interface Rendered {
  readonly spec: {
    readonly securityContext: object;
    readonly initContainers: readonly { readonly name: string; readonly securityContext: object }[];
  };
}

/** User of an etcd of the Go operator. */
const ROOT = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: false,
  runAsUser: 0,
  runAsGroup: 0,
};

/** Renders the Pod that restores a backup into an etcd that runs as root. */
async function rendered(podSettings: readonly PodSettings[] | undefined): Promise<Rendered> {
  const tools = { management: management as never, backupImage: 'operator' };
  const key = { name: 'demo', namespace: 'team', podSettings };
  const source = await backupSource(tools, key, 'back');
  if (source === undefined) throw new Error('there is no source');
  const template = {
    metadata: {},
    spec: {
      securityContext: { fsGroup: 65_532 },
      containers: [{ name: 'etcd', image: 'etcd', securityContext: ROOT }],
    },
  };
  const statefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'demo-etcd', namespace: 'team', uid: 'u1' },
    spec: { selector: { matchLabels: {} }, template },
  } as unknown as KubernetesObject;
  const recovery = {
    from: 'restore:back/a/5',
    token: 't',
    volume: 'r1',
    phase: 'restoring',
  } as const;
  const input = { ...key, statefulSet, former: statefulSet, recovery, domain: 'demo-etcd' };
  return restorePod(input, source) as unknown as Rendered;
}

describe('restorePod with a backup', () => {
  it('loads the files as the user of the Pods that saved them, and restores as that of etcd', async () => {
    const { initContainers, securityContext } = (await rendered(undefined)).spec;
    expect(initContainers).toMatchObject([
      {
        name: 'load',
        securityContext: { ...ROOT, runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532 },
      },
      { name: 'restore-snapshot', securityContext: ROOT },
    ]);
    expect(securityContext).toEqual({ fsGroup: 65_532 });
  });

  it('has the user and the groups that spec.podSettings gives to backups', async () => {
    const identity = {
      securityContext: { runAsUser: 1_000, runAsGroup: 2_000 },
      podSecurityContext: { fsGroup: 3_000, supplementalGroups: [5] },
    };
    const { spec } = await rendered([{ components: ['backups'], ...identity }]);
    expect(spec.initContainers[0]?.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1_000,
      runAsGroup: 2_000,
    });
    expect(spec.securityContext).toEqual({ fsGroup: 65_532, supplementalGroups: [3_000, 5] });
  });
});
