/** Rules for sidecar containers. */
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

/** Liveness and startup probes: Kubernetes allows only successThreshold 1. */
const ONE_SUCCESS: Overlay = { fields: { successThreshold: { maximum: 1 } } };

/** Rule: values of a field are unique; unset values do not count. */
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
      message: 'subPath and subPathExpr are mutually exclusive',
    },
    {
      rule: "self.?recursiveReadOnly.orValue('Disabled') == 'Disabled' || (self.?readOnly.orValue(false) && self.?mountPropagation.orValue('None') == 'None')",
      message: 'recursiveReadOnly requires readOnly: true and no mountPropagation',
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
    ports: { maxItems: 32, rules: [unique('name', 'port names must be unique')] },
    resizePolicy: {
      maxItems: 2,
      rules: [unique('resourceName', 'resourceNames must be unique')],
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
          message: 'terminationGracePeriodSeconds is only for livenessProbe and startupProbe',
        },
      ],
    },
  },
  rules: [
    {
      rule: 'has(self.restartPolicy) || self.?restartPolicyRules.orValue([]) == []',
      message: 'restartPolicyRules require restartPolicy',
    },
    {
      rule: "!has(self.volumeMounts) || self.?securityContext.?privileged.orValue(false) || self.volumeMounts.all(m, m.?mountPropagation.orValue('') != 'Bidirectional')",
      message: 'mountPropagation Bidirectional requires a privileged container',
    },
    {
      rule: '!has(self.volumeDevices) || self.volumeDevices.all(d, self.volumeDevices.exists_one(e, e.name == d.name) && (!has(self.volumeMounts) || !self.volumeMounts.exists(m, m.name == d.name || m.mountPath == d.devicePath)))',
      message: 'volumeDevices must be unique and must not share a name or path with volumeMounts',
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
