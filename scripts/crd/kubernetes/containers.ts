/** Rules for the containers that a user adds to a pod. */
import type { Rule } from '../schema.ts';
import { EACH_WITHIN_LIMITS } from './claims.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import {
  CONFIG_KEY,
  DNS_LABEL,
  NOT_EMPTY,
  OBJECT_NAME,
  OBJECT_NAME_PREFIX,
  OPTIONAL_PORT_NAME,
  OPTIONAL_RELATIVE_PATH,
  OPTIONAL_VARIABLE_NAME,
  PATH,
  PORT,
  PORT_NUMBER,
  PULL_POLICY,
  UNIX_ID,
  VARIABLE_NAME,
} from './patterns.ts';
import { exactlyOne, SUBSCRIPTED } from './volumes.ts';

const NOT_NEGATIVE: Overlay = { minimum: 0 };

const PROBE: Overlay = {
  fields: {
    initialDelaySeconds: NOT_NEGATIVE,
    timeoutSeconds: NOT_NEGATIVE,
    periodSeconds: NOT_NEGATIVE,
    successThreshold: NOT_NEGATIVE,
    failureThreshold: NOT_NEGATIVE,
    terminationGracePeriodSeconds: { minimum: 1 },
  },
  rules: [
    exactlyOne(
      ['exec', 'httpGet', 'tcpSocket', 'grpc'],
      'a probe has one of exec, httpGet, tcpSocket and grpc',
    ),
  ],
};

/** Of a probe that has no use for successes in a row. */
const ONE_SUCCESS: Overlay = { fields: { successThreshold: { maximum: 1 } } };

const HANDLERS: TypeRules = {
  ExecAction: { required: ['command'], fields: { command: { minItems: 1 } } },
  HTTPGetAction: { fields: { port: PORT, scheme: { enum: ['', 'HTTP', 'HTTPS'] } } },
  HTTPHeader: { fields: { name: { pattern: '^[-A-Za-z0-9]+$' } } },
  TCPSocketAction: { fields: { port: PORT } },
  GRPCAction: { fields: { port: PORT_NUMBER } },
  Probe: PROBE,
  // The pod's own grace period, see `components/karmada-apiserver`.
  SleepAction: { fields: { seconds: { minimum: 0, maximum: 75 } } },
  LifecycleHandler: {
    rules: [
      exactlyOne(
        ['exec', 'httpGet', 'tcpSocket', 'sleep'],
        'a handler is one of exec, httpGet, tcpSocket and sleep',
      ),
    ],
  },
};

const VARIABLE_FIELDS =
  'metadata\\.(name|namespace|uid)|spec\\.(nodeName|serviceAccountName|host)|status\\.(hostIPs?|podIPs?)';

/** Exactly one source, and none beside a value. */
const VARIABLE_SOURCES = [
  'fieldRef',
  'resourceFieldRef',
  'configMapKeyRef',
  'secretKeyRef',
  'fileKeyRef',
];

const VARIABLES: TypeRules = {
  EnvVar: {
    fields: {
      name: VARIABLE_NAME,
      valueFrom: {
        fields: {
          fieldRef: {
            fields: { fieldPath: { pattern: `^(${VARIABLE_FIELDS}|${SUBSCRIPTED})$` } },
          },
        },
      },
    },
    rules: [
      {
        rule: "!has(self.valueFrom) || self.?value.orValue('') == ''",
        message: 'either value or valueFrom',
      },
    ],
  },
  EnvVarSource: {
    rules: [exactlyOne(VARIABLE_SOURCES, 'valueFrom names exactly one source')],
  },
  EnvFromSource: {
    fields: { prefix: OPTIONAL_VARIABLE_NAME },
    rules: [exactlyOne(['configMapRef', 'secretRef'], 'either configMapRef or secretRef')],
  },
  ConfigMapEnvSource: { required: ['name'], fields: { name: OBJECT_NAME_PREFIX } },
  SecretEnvSource: { required: ['name'], fields: { name: OBJECT_NAME_PREFIX } },
  ConfigMapKeySelector: { required: ['name'], fields: { name: OBJECT_NAME, key: CONFIG_KEY } },
  SecretKeySelector: { required: ['name'], fields: { name: OBJECT_NAME, key: CONFIG_KEY } },
  FileKeySelector: {
    fields: { key: VARIABLE_NAME, volumeName: { ...DNS_LABEL, maxLength: 63 }, path: PATH },
  },
};

/** A profile of the node goes with the type Localhost and with no other. */
const PROFILE: Overlay = {
  fields: { type: { enum: ['Localhost', 'RuntimeDefault', 'Unconfined'] } },
  rules: [
    {
      rule: "(self.type == 'Localhost') == has(self.localhostProfile)",
      message: 'localhostProfile goes with type Localhost, and only with it',
    },
  ],
};

/** `DOMAIN\user`, by the rules of Windows. */
const WINDOWS_USER =
  '^(([^\\\\/:*?"<>|.\\x00-\\x1f\\x7f][^\\\\/:*?"<>|\\x00-\\x1f\\x7f]{0,14}|[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)\\\\)?[. ]*[^. "/\\\\:;|=,+*?<>@\\[\\]\\x00-\\x1f\\x7f][^"/\\\\:;|=,+*?<>@\\[\\]\\x00-\\x1f\\x7f]*$';

const SECURITY: TypeRules = {
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
        message: 'runAsUserName: a domain has at most 255 bytes, a user at most 104',
      },
    ],
  },
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
        message:
          'allowPrivilegeEscalation cannot be false for a privileged container or CAP_SYS_ADMIN',
      },
    ],
  },
};

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
    resources: EACH_WITHIN_LIMITS,
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
