/** Descriptions of the fields of Kubernetes types for privileges. */
import type { TypeTexts } from '../with-texts.ts';

const IDENTITY = {
  appArmorProfile: 'AppArmor profile of the node that restricts the processes.',
  runAsGroup: 'Primary group ID of the processes. Defaults to that of the image.',
  runAsNonRoot: 'If true, the kubelet starts no container with user ID 0.',
  runAsUser: 'User ID of the processes. Defaults to that of the image.',
  seLinuxOptions:
    'SELinux label of the processes and files. Defaults to one that the container runtime chooses.',
  seccompProfile: 'Filter of the system calls that the processes may use.',
  windowsOptions: 'Settings of Windows nodes.',
} as const;

const PROFILE = (what: string, where: string): Readonly<Record<string, string>> => ({
  localhostProfile: `${where} Required for type Localhost, not allowed otherwise.`,
  type: `Localhost: a profile of the node. RuntimeDefault: the ${what} profile of the container runtime. Unconfined: none.`,
});

export const SECURITY_TEXTS: TypeTexts = {
  SecurityContext: {
    ...IDENTITY,
    allowPrivilegeEscalation:
      'If false, a process cannot get more privileges than the one that started it, for example by a setuid program.',
    capabilities: 'Linux capabilities to add to those of the container runtime, or to remove.',
    privileged: 'If true, the container has the privileges of root on the node. Defaults to false.',
    procMount: 'How the container sees /proc; only Default, which masks sensitive paths.',
    readOnlyRootFilesystem: 'If true, the container can write to volumes only.',
  },
  PodSecurityContext: {
    ...IDENTITY,
    fsGroup:
      'Group ID that owns the files of volumes that support it, and that all processes have in addition.',
    fsGroupChangePolicy:
      'When the owner of the files changes: Always, or OnRootMismatch if the root of the volume has another one. Defaults to Always.',
    seLinuxChangePolicy: 'How volumes get their SELinux label: Recursive or MountOption.',
    supplementalGroups: 'Additional group IDs of the processes.',
    supplementalGroupsPolicy:
      'Merge: also the groups of the user in the image. Strict: only those of this security context. Defaults to Merge.',
    sysctls:
      'Kernel parameters in the namespaces of the Pod. The kubelet rejects those that it does not allow.',
  },
  Sysctl: {
    name: 'Name of the parameter, such as net.ipv4.ip_unprivileged_port_start.',
    value: 'Value of the parameter.',
  },
  AppArmorProfile: PROFILE('AppArmor', 'Name of a profile that is loaded on the node.'),
  SeccompProfile: PROFILE('seccomp', 'Path of a file below the seccomp folder of the kubelet.'),
  Capabilities: {
    add: 'Capabilities to add, such as NET_BIND_SERVICE.',
    drop: 'Capabilities to remove; ALL removes all.',
  },
  SELinuxOptions: {
    level: 'Level of the label, such as s0:c123,c456.',
    role: 'Role of the label.',
    type: 'Type of the label.',
    user: 'User of the label.',
  },
  WindowsSecurityContextOptions: {
    gmsaCredentialSpec:
      'Content of the credential specification of a group managed service account (gMSA).',
    gmsaCredentialSpecName: 'Name of the credential specification of a gMSA.',
    hostProcess: 'Must be false: components run on Linux only.',
    runAsUserName: 'User of the processes on Windows. Defaults to that of the image.',
  },
};
