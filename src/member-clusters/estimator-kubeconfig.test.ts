import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';
import { load } from 'js-yaml';
import {
  accessHash,
  accessSecret,
  readAccess,
  type MemberConnection,
} from './estimator-kubeconfig.ts';
import { serviceAccountOf, rbacName, rootRole } from './estimator-rbac.ts';

const OWNER = { name: 'demo', namespace: 'team', uid: 'u-1' };
const ACCESS: MemberConnection = {
  server: 'https://member:6443',
  ca: 'PEM',
  insecure: false,
  token: 'secret',
  narrow: true,
};

const file = (secret: object, key: string): string =>
  Buffer.from((secret as { data: Record<string, string> }).data[key] ?? '', 'base64').toString();

describe('estimator credentials', () => {
  it('are a Secret with a kubeconfig that refers to the mounted files', () => {
    const secret = accessSecret(OWNER, 'm1', { ...ACCESS, proxyUrl: 'http://proxy:3128' });
    expect(secret.metadata).toMatchObject({
      name: 'demo-karmada-scheduler-estimator-m1-kubeconfig',
      namespace: 'team',
      labels: { 'app.kubernetes.io/instance': 'demo', 'operator.karmada.io/cluster': 'm1' },
    });
    expect(load(file(secret, 'kubeconfig'))).toMatchObject({
      clusters: [
        {
          cluster: {
            server: 'https://member:6443',
            'certificate-authority': '/etc/karmada/member/ca.crt',
            'proxy-url': 'http://proxy:3128',
          },
        },
      ],
      users: [{ user: { tokenFile: '/etc/karmada/member/token' } }],
      'current-context': 'm1',
    });
    expect(file(secret, 'kubeconfig')).not.toContain('secret');
    expect(file(secret, 'token')).toBe('secret');
  });

  it('change their hash with address, CA and proxy, but not with the token', () => {
    const hash = accessHash(ACCESS);
    expect(accessHash({ ...ACCESS, token: 'new', narrow: false })).toBe(hash);
    for (const change of [
      { server: 'https://b' },
      { ca: 'X' },
      { insecure: true },
      { proxyUrl: 'p' },
    ])
      expect(accessHash({ ...ACCESS, ...change })).not.toBe(hash);
  });

  it('are read back unchanged for any values', () => {
    const access = fc.record(
      {
        server: fc.string({ unit: codePoint }),
        ca: fc.string({ unit: codePoint }),
        insecure: fc.boolean(),
        proxyUrl: fc.string({ unit: codePoint }),
        token: fc.string({ unit: codePoint }),
        narrow: fc.boolean(),
      },
      { requiredKeys: ['server', 'insecure', 'token', 'narrow'] },
    );
    fc.assert(
      fc.property(access, (given) => {
        fc.pre(given.server === given.server.toWellFormed());
        expect(readAccess(accessSecret(OWNER, 'm1', given))).toEqual(given);
      }),
    );
  });

  it('are undefined when the Secret was changed and cannot be parsed', () => {
    const secret = accessSecret(OWNER, 'm1', ACCESS);
    expect(readAccess({ ...secret, data: { token: '', kubeconfig: 'e30=' } })).toBeUndefined();
    expect(readAccess({ ...secret, data: { token: 'x', kubeconfig: '!' } })).toBeUndefined();
    expect(readAccess({ ...secret, data: {} })).toBeUndefined();
  });
});

describe('RBAC objects in a member cluster', () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', uid: 'ns' } };
  const root = { ...rootRole(OWNER, namespace) };

  it('allow reading estimated resources and deleting their own ClusterRole', () => {
    const rules = root['rules'] as {
      resources: string[];
      resourceNames?: string[];
      verbs: string[];
    }[];
    const [own, ...others] = rules.filter(({ verbs }) => verbs.includes('delete'));
    expect(others).toEqual([]);
    expect(own).toMatchObject({ resources: ['clusterroles'], resourceNames: [root.metadata.name] });
    const read = rules.filter((rule) => rule !== own);
    for (const { verbs } of read) expect(verbs).toEqual(['get', 'list', 'watch']);
    expect(read.flatMap(({ resources }) => resources)).not.toContain('secrets');
  });

  it('are owned by the ClusterRole, which is owned by the Namespace of the join', () => {
    expect(root.metadata.ownerReferences).toMatchObject([{ kind: 'Namespace', uid: 'ns' }]);
    const made = { ...root, metadata: { ...root.metadata, uid: 'root' } };
    for (const object of serviceAccountOf(OWNER, 'n', made))
      expect(object.metadata.ownerReferences).toMatchObject([{ kind: 'ClusterRole', uid: 'root' }]);
  });

  it('have different names for two control planes of the same name', () => {
    expect(rbacName(OWNER)).not.toBe(rbacName({ ...OWNER, uid: 'u-2' }));
    expect(rbacName(OWNER)).toMatch(/^demo-karmada-scheduler-estimator-[0-9a-f]{10}$/);
  });
});
