import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { DIRECTORY } from './__fixtures__/golden.ts';
import { restrictedViolations } from './pod-security.ts';
import { isWorkload, type PodSpec } from './workload.ts';

const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
};
const POD: PodSpec = {
  containers: [{ name: 'main', securityContext: SAFE }],
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
};
const withContainer = (container: object): PodSpec => ({
  ...POD,
  containers: [...POD.containers, { name: 'more', securityContext: SAFE, ...container }],
});
const withContext = (context: object): PodSpec =>
  withContainer({ securityContext: { ...SAFE, ...context } });

describe('restrictedViolations', () => {
  it('finds nothing in a Pod that meets the standard', () => {
    expect(restrictedViolations(POD)).toEqual([]);
    const allowed = { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] }, runAsUser: 7 };
    expect(restrictedViolations(withContext(allowed))).toEqual([]);
  });

  const workloads = globSync('*/__golden__/{minimal,external-etcd}.yaml', { cwd: DIRECTORY })
    .flatMap((file) => loadAll(readFileSync(join(DIRECTORY, file), 'utf8')) as KubernetesObject[])
    .filter(isWorkload)
    // The sidecar of a user.
    .filter(({ spec }) => spec.template.spec.containers.length === 1)
    .map((object) => [object.metadata.name, object] as const);

  it('has the workloads of all components', () => {
    expect(workloads.length).toBeGreaterThan(10);
  });

  it.each(workloads)('finds nothing in %s without settings of a user', (_, { spec }) => {
    expect(restrictedViolations(spec.template.spec)).toEqual([]);
  });

  it.each([
    ['unconfined', 1],
    ['runtime/default', 0],
    ['localhost/own', 0],
  ])('reads the AppArmor profile %s of an annotation', (profile, count) => {
    const key = 'container.apparmor.security.beta.kubernetes.io/main';
    const found = restrictedViolations(POD, { [key]: profile, 'a.example.com/b': 'unconfined' });
    expect(found).toHaveLength(count);
    expect(found.join()).toContain(count === 0 ? '' : `metadata.annotations: ${key} must be`);
  });

  it.each<[string, PodSpec, string]>([
    ['the network of the node', { ...POD, hostNetwork: true }, 'hostNetwork must not be true'],
    ['the processes of the node', { ...POD, hostPID: true }, 'hostPID'],
    ['the IPC of the node', { ...POD, hostIPC: true }, 'hostIPC'],
    [
      'a folder of the node',
      { ...POD, volumes: [{ name: 'root', hostPath: { path: '/' } }] },
      'volumes["root"]: hostPath is not allowed',
    ],
    [
      'an NFS volume',
      { ...POD, volumes: [{ name: 'x', nfs: { path: '/', server: 'a' } }] },
      'nfs is not allowed',
    ],
    ['a port of the node', withContainer({ ports: [{ hostPort: 80 }] }), 'hostPort'],
    ['a privileged container', withContext({ privileged: true }), 'privileged must not be true'],
    [
      'more privileges',
      withContext({ allowPrivilegeEscalation: true }),
      'allowPrivilegeEscalation',
    ],
    [
      'no statement about privileges',
      withContext({ allowPrivilegeEscalation: undefined }),
      'allowPrivilegeEscalation must be false',
    ],
    ['root', withContext({ runAsUser: 0 }), 'runAsUser must not be 0'],
    ['a user that may be root', withContext({ runAsNonRoot: false }), 'runAsNonRoot'],
    ['all capabilities', withContext({ capabilities: {} }), 'capabilities.drop must include ALL'],
    [
      'a capability',
      withContext({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }),
      'SYS_ADMIN is not allowed',
    ],
    ['no seccomp', withContext({ seccompProfile: { type: 'Unconfined' } }), 'seccompProfile'],
    ['no AppArmor', withContext({ appArmorProfile: { type: 'Unconfined' } }), 'appArmorProfile'],
    [
      'another SELinux user',
      withContext({ seLinuxOptions: { user: 'system_u' } }),
      'seLinuxOptions',
    ],
    ['another /proc', withContext({ procMount: 'Unmasked' }), 'procMount must be Default'],
    [
      'a process of a Windows node',
      withContext({ windowsOptions: { hostProcess: true } }),
      'windowsOptions.hostProcess',
    ],
    [
      'an unsafe sysctl',
      {
        ...POD,
        securityContext: {
          ...(POD['securityContext'] as object),
          sysctls: [{ name: 'kernel.msgmax', value: '1' }],
        },
      },
      'kernel.msgmax is not allowed',
    ],
    [
      'a probe of another host',
      withContainer({ livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } }),
      'must not name a host',
    ],
    [
      'an init container that is privileged',
      { ...POD, initContainers: [{ name: 'i', securityContext: { ...SAFE, privileged: true } }] },
      'initContainers["i"].securityContext.privileged',
    ],
    [
      'nothing about seccomp and the user',
      { containers: POD.containers },
      'seccompProfile.type must be RuntimeDefault or Localhost',
    ],
  ])('finds %s', (_, pod, text) => {
    expect(restrictedViolations(pod).join('; ')).toContain(text);
  });
});
