import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Recovery } from '../../etcd-cluster/identity/record.ts';
import { wishWith } from '../../instance/__fixtures__/instance.ts';
import { restoreClaim, restorePod, type RestoreInput } from './restore-pod.ts';
import { memberSnapshot, memberVolume } from './snapshot-source.ts';

const recovery: Recovery = {
  from: 'karmada-demo-etcd-2/a/50',
  token: 'new-token',
  volume: 'r1-etcd-data',
  phase: 'restoring',
};

const spec = {
  components: {
    etcd: {
      local: {
        replicas: 3,
        imageTag: '3.6.14-0',
        volumeData: {
          volumeClaim: {
            metadata: { labels: { tier: 'gold' } },
            spec: {
              accessModes: ['ReadWriteOnce' as const],
              resources: { requests: { storage: '1Gi' } },
            },
          },
        },
      },
    },
  },
};

/** StatefulSet of the new cluster. */
function newSet(): KubernetesObject {
  const membership = { replicas: 1, ordinals: [0], state: 'existing' as const };
  const given = { ...membership, token: recovery.token, volume: recovery.volume };
  const found = wishWith(spec, given).objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found.object;
}

const input: RestoreInput = {
  name: 'karmada-demo',
  namespace: 'team',
  statefulSet: newSet(),
  recovery,
  domain: 'karmada-demo-etcd.team.svc.cluster.local',
  podSettings: undefined,
  former: {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'karmada-demo-etcd', namespace: 'team', uid: 'u1' },
  },
};

interface Rendered {
  readonly metadata: KubernetesObject['metadata'];
  readonly spec: {
    readonly restartPolicy: string;
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string; readonly persistentVolumeClaim?: object }[];
  };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly securityContext?: object;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

const pod = restorePod(
  input,
  memberSnapshot(
    'https://karmada-demo-etcd-2.karmada-demo-etcd.team.svc.cluster.local:2379',
    'karmada-demo-etcd-cert',
  ),
) as unknown as Rendered;

describe('restorePod', () => {
  it('saves a snapshot, restores it, and runs the first member', () => {
    const { initContainers, containers, restartPolicy } = pod.spec;
    const [save, restore] = initContainers;
    const [etcd] = containers;
    expect([save?.name, restore?.name, etcd?.name]).toEqual([
      'save-snapshot',
      'restore-snapshot',
      'etcd',
    ]);
    expect(restartPolicy).toBe('Never');
    expect(save?.command).toContain(
      '--endpoints=https://karmada-demo-etcd-2.karmada-demo-etcd.team.svc.cluster.local:2379',
    );
    expect(restore?.command).toEqual([
      '/usr/local/bin/etcdutl',
      'snapshot',
      'restore',
      '/snapshot/etcd.db',
      '--data-dir=/var/lib/etcd/data',
      '--name=karmada-demo-etcd-0',
      '--initial-cluster=karmada-demo-etcd-0=https://karmada-demo-etcd-0.karmada-demo-etcd.team.svc.cluster.local:2380',
      '--initial-advertise-peer-urls=https://karmada-demo-etcd-0.karmada-demo-etcd.team.svc.cluster.local:2380',
      '--initial-cluster-token=new-token',
      '--bump-revision=1000000000',
      '--mark-compacted',
    ]);
    expect(etcd?.command).toContain('--data-dir=/var/lib/etcd/data');
    const variable = etcd?.env?.find(({ name }) => name === 'KARMADA_ETCD_NAME');
    expect(variable).toEqual({ name: 'KARMADA_ETCD_NAME', value: 'karmada-demo-etcd-0' });
  });

  it('restores the database of a volume, on the node of the member', () => {
    const source = memberVolume('r1-etcd-data', 'r1-etcd-data-karmada-demo-etcd-2', 'node-1');
    const { initContainers, volumes, ...spec } = (restorePod(input, source) as unknown as Rendered)
      .spec;
    const [restore] = initContainers;
    expect(initContainers).toHaveLength(1);
    expect(restore?.command.slice(0, 5)).toEqual([
      '/usr/local/bin/etcdutl',
      'snapshot',
      'restore',
      '/former/data/member/snap/db',
      '--skip-hash-check',
    ]);
    expect(restore?.volumeMounts).toContainEqual({
      name: 'former',
      mountPath: '/former',
      readOnly: true,
    });
    expect(volumes).toContainEqual({
      name: 'former',
      persistentVolumeClaim: { claimName: 'r1-etcd-data-karmada-demo-etcd-2' },
    });
    expect(JSON.stringify(spec)).toContain('"values":["node-1"]');
  });

  it('reads the database of a volume without a subfolder, on any node', () => {
    const source = memberVolume('etcd-data', 'etcd-data-karmada-demo-etcd-2');
    expect(source.file).toBe('/former/member/snap/db');
    const found = restorePod(input, source) as unknown as { spec: { affinity?: object } };
    expect(JSON.stringify(found.spec.affinity)).not.toContain('nodeAffinity');
  });

  it('has the image and the security context of etcd in all containers', () => {
    const [etcd] = pod.spec.containers;
    for (const one of pod.spec.initContainers) {
      expect(one.image).toBe(etcd?.image);
      expect(one.securityContext).toEqual(etcd?.securityContext);
    }
  });

  it('is selected by no Service of etcd, and ends with the former StatefulSet', () => {
    expect(pod.metadata.labels).toMatchObject({ 'app.kubernetes.io/name': 'etcd-recovery' });
    expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', uid: 'u1' }]);
    expect(pod.metadata.ownerReferences?.[0]).not.toHaveProperty('controller');
  });

  it('defines every volume that it mounts, once', () => {
    const names = pod.spec.volumes.map(({ name }) => name);
    const mounted = [...pod.spec.initContainers, ...pod.spec.containers].flatMap((one) =>
      one.volumeMounts.map(({ name }) => name),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(mounted.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('restoreClaim', () => {
  it('has the name, labels and spec of the PVC of the first member', () => {
    expect(restoreClaim(input)).toMatchObject({
      metadata: {
        name: 'r1-etcd-data-karmada-demo-etcd-0',
        namespace: 'team',
        labels: {
          tier: 'gold',
          'app.kubernetes.io/name': 'etcd',
          'app.kubernetes.io/instance': 'karmada-demo',
        },
        annotations: { 'operator.karmada.io/etcd-recovery': 'new-token' },
      },
      spec: { resources: { requests: { storage: '1Gi' } } },
    });
  });
});
