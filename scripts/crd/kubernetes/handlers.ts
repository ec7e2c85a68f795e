/** Rules for what a container runs besides its program, and for its environment. */
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
      'a probe has one of exec, httpGet, tcpSocket and grpc',
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
