/** Rules for the security context of a container. */
import type { Overlay, TypeRules } from './overlay.ts';
import { OBJECT_NAME, OPTIONAL_RELATIVE_PATH, UNIX_ID } from './patterns.ts';

/** `localhostProfile` is required for type Localhost and forbidden for other types. */
const PROFILE: Overlay = {
  fields: { type: { enum: ['Localhost', 'RuntimeDefault', 'Unconfined'] } },
  rules: [
    {
      rule: "(self.type == 'Localhost') == has(self.localhostProfile)",
      message: 'type Localhost requires localhostProfile, other types forbid it',
    },
  ],
};

/** Windows user name, optionally as `DOMAIN\user`. */
const WINDOWS_USER =
  '^(([^\\\\/:*?"<>|.\\x00-\\x1f\\x7f][^\\\\/:*?"<>|\\x00-\\x1f\\x7f]{0,14}|[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)\\\\)?[. ]*[^. "/\\\\:;|=,+*?<>@\\[\\]\\x00-\\x1f\\x7f][^"/\\\\:;|=,+*?<>@\\[\\]\\x00-\\x1f\\x7f]*$';

const SYSCTL_SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL_NAME: Overlay = {
  pattern: `^(${SYSCTL_SEGMENT}[./])*${SYSCTL_SEGMENT}$`,
  maxLength: 253,
};

export const SECURITY: TypeRules = {
  SeccompProfile: {
    ...PROFILE,
    fields: { ...PROFILE.fields, localhostProfile: OPTIONAL_RELATIVE_PATH },
  },
  AppArmorProfile: {
    ...PROFILE,
    fields: {
      ...PROFILE.fields,
      localhostProfile: { pattern: '^[!-~]([ -~]*[!-~])?$', maxLength: 4095 },
    },
  },
  WindowsSecurityContextOptions: {
    fields: {
      gmsaCredentialSpecName: OBJECT_NAME,
      gmsaCredentialSpec: { minLength: 1, maxLength: 16_384 },
      hostProcess: { enum: [false] },
      runAsUserName: { pattern: WINDOWS_USER, maxLength: 360 },
    },
    rules: [
      {
        rule: "!has(self.runAsUserName) || self.runAsUserName.split('\\\\').all(p, size(bytes(p)) <= 255) && size(bytes(self.runAsUserName.substring(self.runAsUserName.lastIndexOf('\\\\') + 1))) <= 104",
        message: 'runAsUserName: domain must have at most 255 bytes, user at most 104',
      },
    ],
  },
  PodSecurityContext: {
    fields: {
      fsGroup: UNIX_ID,
      runAsUser: UNIX_ID,
      runAsGroup: UNIX_ID,
      supplementalGroups: { items: UNIX_ID },
      fsGroupChangePolicy: { enum: ['Always', 'OnRootMismatch'] },
      supplementalGroupsPolicy: { enum: ['Merge', 'Strict'] },
      sysctls: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    },
  },
  Sysctl: { fields: { name: SYSCTL_NAME } },
  SecurityContext: {
    fields: {
      capabilities: { fields: { add: { maxItems: 64 } } },
      runAsUser: UNIX_ID,
      runAsGroup: UNIX_ID,
      procMount: { enum: ['Default'] },
    },
    rules: [
      {
        rule: "self.?allowPrivilegeEscalation.orValue(true) || !(self.?privileged.orValue(false) || (has(self.capabilities) && has(self.capabilities.add) && self.capabilities.add.exists(c, c == 'CAP_SYS_ADMIN')))",
        message: 'allowPrivilegeEscalation must not be false with privileged or CAP_SYS_ADMIN',
      },
    ],
  },
};
