/** Rules for the containers that a user adds to a pod. */
import type { Rule } from '../schema.ts';
import { HANDLERS, VARIABLES } from './handlers.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import {
  DNS_LABEL,
  OPTIONAL_PORT_NAME,
  OPTIONAL_RELATIVE_PATH,
  PATH,
  PORT_NUMBER,
  PULL_POLICY,
} from './patterns.ts';
import { SECURITY } from './security.ts';

/** Of a probe that has no use for successes in a row. */
const ONE_SUCCESS: Overlay = { fields: { successThreshold: { maximum: 1 } } };

/** Each name once; those that are not set do not count. */
function unique(field: string, message: string): Rule {
  return {
    rule: `self.all(x, x.?${field}.orValue('') == '' || self.exists_one(y, y.?${field}.orValue('') == x.${field}))`,
    message,
  };
}

const RESTARTS: TypeRules = {
  ContainerResizePolicy: {
    fields: {
      resourceName: { enum: ['cpu', 'memory'] },
      restartPolicy: { enum: ['NotRequired', 'RestartContainer'] },
    },
  },
  ContainerRestartRule: { required: ['exitCodes'], fields: { action: { enum: ['Restart'] } } },
  ContainerRestartRuleOnExitCodes: {
    fields: { operator: { enum: ['In', 'NotIn'] }, values: { maxItems: 255 } },
  },
};

const MOUNT: Overlay = {
  fields: {
    mountPath: { minLength: 1, maxLength: 1024 },
    subPath: OPTIONAL_RELATIVE_PATH,
    subPathExpr: OPTIONAL_RELATIVE_PATH,
    mountPropagation: { enum: ['None', 'HostToContainer', 'Bidirectional'] },
    recursiveReadOnly: { enum: ['Disabled', 'IfPossible', 'Enabled'] },
  },
  rules: [
    {
      rule: "self.?subPath.orValue('') == '' || self.?subPathExpr.orValue('') == ''",
      message: 'subPath and subPathExpr exclude each other',
    },
    {
      rule: "self.?recursiveReadOnly.orValue('Disabled') == 'Disabled' || (self.?readOnly.orValue(false) && self.?mountPropagation.orValue('None') == 'None')",
      message: 'recursiveReadOnly goes with readOnly: true and without mountPropagation',
    },
  ],
};

const CONTAINER: Overlay = {
  required: ['image'],
  fields: {
    name: DNS_LABEL,
    image: { pattern: '^[!-~]+$' },
    imagePullPolicy: PULL_POLICY,
    env: { maxItems: 256 },
    envFrom: { maxItems: 256 },
    ports: { maxItems: 32, rules: [unique('name', 'every port needs a name of its own')] },
    resizePolicy: {
      maxItems: 2,
      rules: [unique('resourceName', 'every resource has one resizePolicy')],
    },
    restartPolicy: { enum: ['Always', 'Never', 'OnFailure'] },
    restartPolicyRules: { maxItems: 20 },
    terminationMessagePolicy: { enum: ['', 'File', 'FallbackToLogsOnError'] },
    volumeDevices: { maxItems: 16 },
    volumeMounts: { maxItems: 64 },
    livenessProbe: ONE_SUCCESS,
    startupProbe: ONE_SUCCESS,
    readinessProbe: {
      rules: [
        {
          rule: '!has(self.terminationGracePeriodSeconds)',
          message: 'terminationGracePeriodSeconds is for livenessProbe and startupProbe',
        },
      ],
    },
  },
  rules: [
    {
      rule: 'has(self.restartPolicy) || self.?restartPolicyRules.orValue([]) == []',
      message: 'restartPolicyRules need a restartPolicy',
    },
    {
      rule: "!has(self.volumeMounts) || self.?securityContext.?privileged.orValue(false) || self.volumeMounts.all(m, m.?mountPropagation.orValue('') != 'Bidirectional')",
      message: 'mountPropagation Bidirectional is for privileged containers',
    },
    {
      rule: '!has(self.volumeDevices) || self.volumeDevices.all(d, self.volumeDevices.exists_one(e, e.name == d.name) && (!has(self.volumeMounts) || !self.volumeMounts.exists(m, m.name == d.name || m.mountPath == d.devicePath)))',
      message: 'a device is used once, and neither it nor its path is mounted as well',
    },
  ],
};

export const CONTAINERS: TypeRules = {
  ...HANDLERS,
  ...VARIABLES,
  ...SECURITY,
  ...RESTARTS,
  ContainerPort: {
    fields: {
      name: OPTIONAL_PORT_NAME,
      containerPort: PORT_NUMBER,
      hostPort: { minimum: 0, maximum: 65_535 },
      protocol: { enum: ['TCP', 'UDP', 'SCTP'] },
    },
  },
  VolumeDevice: {
    fields: { name: { ...DNS_LABEL, maxLength: 63 }, devicePath: { ...PATH, maxLength: 1024 } },
  },
  VolumeMount: { ...MOUNT, fields: { ...MOUNT.fields, name: { ...DNS_LABEL, maxLength: 63 } } },
  Container: CONTAINER,
};
