/** Rules for probes, lifecycle handlers and environment variables of containers. */
import { exactlyOne, SUBSCRIPTED } from './files.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import {
  CONFIG_KEY,
  DNS_LABEL,
  OBJECT_NAME,
  OBJECT_NAME_PREFIX,
  OPTIONAL_VARIABLE_NAME,
  PATH,
  PORT,
  PORT_NUMBER,
  VARIABLE_NAME,
} from './patterns.ts';

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
      'exactly one of exec, httpGet, tcpSocket and grpc must be set',
    ),
  ],
};

export const HANDLERS: TypeRules = {
  ExecAction: { required: ['command'], fields: { command: { minItems: 1 } } },
  HTTPGetAction: { fields: { port: PORT, scheme: { enum: ['', 'HTTP', 'HTTPS'] } } },
  HTTPHeader: { fields: { name: { pattern: '^[-A-Za-z0-9]+$' } } },
  TCPSocketAction: { fields: { port: PORT } },
  GRPCAction: { fields: { port: PORT_NUMBER } },
  Probe: PROBE,
  // Grace period of the Pod, see `components/karmada-apiserver`.
  SleepAction: { fields: { seconds: { minimum: 0, maximum: 75 } } },
  LifecycleHandler: {
    rules: [
      exactlyOne(
        ['exec', 'httpGet', 'tcpSocket', 'sleep'],
        'exactly one of exec, httpGet, tcpSocket and sleep must be set',
      ),
    ],
  },
};

const VARIABLE_FIELDS =
  'metadata\\.(name|namespace|uid)|spec\\.(nodeName|serviceAccountName|host)|status\\.(hostIPs?|podIPs?)';

/** Fields of `valueFrom`: exactly one must be set, and only if `value` is not set. */
const VARIABLE_SOURCES = [
  'fieldRef',
  'resourceFieldRef',
  'configMapKeyRef',
  'secretKeyRef',
  'fileKeyRef',
];

export const VARIABLES: TypeRules = {
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
        message: 'value and valueFrom are mutually exclusive',
      },
    ],
  },
  EnvVarSource: {
    rules: [exactlyOne(VARIABLE_SOURCES, 'valueFrom must have exactly one source')],
  },
  EnvFromSource: {
    fields: { prefix: OPTIONAL_VARIABLE_NAME },
    rules: [
      exactlyOne(
        ['configMapRef', 'secretRef'],
        'exactly one of configMapRef and secretRef must be set',
      ),
    ],
  },
  ConfigMapEnvSource: { required: ['name'], fields: { name: OBJECT_NAME_PREFIX } },
  SecretEnvSource: { required: ['name'], fields: { name: OBJECT_NAME_PREFIX } },
  ConfigMapKeySelector: { required: ['name'], fields: { name: OBJECT_NAME, key: CONFIG_KEY } },
  SecretKeySelector: { required: ['name'], fields: { name: OBJECT_NAME, key: CONFIG_KEY } },
  FileKeySelector: {
    fields: { key: VARIABLE_NAME, volumeName: { ...DNS_LABEL, maxLength: 63 }, path: PATH },
  },
};
