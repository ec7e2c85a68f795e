/** Schema of `spec.podSettings`: one list for all components, because eleven copies of it would be a large part of the CRD. */
import { ALL_SELECTABLE, RESERVED_ENV } from '../../src/api/defaults/pod-settings.ts';
import {
  ADDRESSES_TEXT,
  ESCALATION_TEXT,
  RESERVED_ENV_TEXT,
  ROOT_TEXT,
} from '../../src/api/validation/pod-settings.ts';
import { labels } from './kubernetes/claims.ts';
import { exactlyOne } from './kubernetes/files.ts';
import { lay, type Overlay } from './kubernetes/overlay.ts';
import { OBJECT_NAME, OPTIONAL_OBJECT_NAME } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
import { ADDRESS_PATTERN } from './syntax.ts';
import {
  described,
  list,
  object,
  SHOWN,
  stringMap,
  text,
  type Rule,
  type Schema,
} from './schema.ts';

/** Returns the schema of an object without some of its fields. */
function without({ properties, ...schema }: Schema, fields: readonly string[]): Schema {
  const kept = Object.entries(properties ?? {}).filter(([name]) => !fields.includes(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Components run on Linux only. */
const WINDOWS = ['windowsOptions'];

/**
 * Fields that a container has too, whose default takes precedence. Of `seLinuxChangePolicy`, Kubernetes accepts only its
 * default, unless a feature gate is set.
 */
const NOT_OF_POD = [
  ...['runAsUser', 'runAsGroup', 'runAsNonRoot', 'appArmorProfile', 'seccompProfile'],
  ...['seLinuxChangePolicy', ...WINDOWS],
];

/** A variable from a file needs a volume that another container writes. */
const VARIABLE: Schema = {
  ...kubernetes.EnvVar,
  properties: {
    ...kubernetes.EnvVar.properties,
    valueFrom: {
      ...without(kubernetes.EnvVar.properties?.['valueFrom'] ?? {}, ['fileKeyRef']),
      'x-kubernetes-validations': [
        exactlyOne(
          ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'],
          'valueFrom must have exactly one source',
        ),
      ],
    },
  },
};

const ENV: Overlay = {
  maxItems: 128,
  items: { fields: { name: { maxLength: 253 } } },
  rules: [{ rule: `self.all(e, !e.name.matches('${RESERVED_ENV}'))`, message: RESERVED_ENV_TEXT }],
};

const env = list(
  'Environment variables of the main container, such as proxies. Entries for one component are merged by name. Users who can read this object see their values.',
  VARIABLE,
  {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
);

/** The default forbids privilege escalation, so its rule is stricter than that of Kubernetes. */
const securityContext: Schema = {
  ...without(kubernetes.SecurityContext, WINDOWS),
  'x-kubernetes-validations': [
    {
      rule: "self.?allowPrivilegeEscalation.orValue(false) || !(self.?privileged.orValue(false) || (has(self.capabilities) && has(self.capabilities.add) && self.capabilities.add.exists(c, c == 'CAP_SYS_ADMIN')))",
      message: ESCALATION_TEXT,
    },
    {
      rule: 'self.?runAsUser.orValue(1) != 0 || !self.?runAsNonRoot.orValue(true)',
      message: ROOT_TEXT,
    },
  ],
};

const hostName = lay({ type: 'string' }, OBJECT_NAME);
const IP = { maxLength: 45, ...SHOWN } as const;

/** One rule for both fields, because the pattern is long. A list with the pattern lets the API server bound the cost. */
const ADDRESSES: Rule = {
  rule: `[r'${ADDRESS_PATTERN}'].all(p, (!has(self.hostAliases) || self.hostAliases.all(h, h.ip.matches(p))) && (!has(self.dnsConfig) || !has(self.dnsConfig.nameservers) || self.dnsConfig.nameservers.all(a, a.matches(p))))`,
  message: ADDRESSES_TEXT,
};

const hostAlias: Schema = {
  type: 'object',
  required: ['ip'],
  properties: {
    ip: text('IP address of the hosts.', IP),
    hostnames: list('Names of the hosts.', hostName, { maxItems: 16 }),
  },
};

const hostAliases = list(
  'Entries of the file /etc/hosts, in addition to those of the kubelet.',
  hostAlias,
  {
    maxItems: 16,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['ip'],
  },
);

/** The limit of searches keeps their total length below 2048 characters, as Kubernetes requires. */
const dnsConfig = object('DNS settings of the Pods, in addition to those of the host cluster.', {
  nameservers: list('IP addresses of name servers.', { type: 'string', ...IP }, { maxItems: 3 }),
  searches: list('Domains in which names without a domain are searched.', hostName, {
    maxItems: 8,
  }),
  options: list(
    'Options of the resolver.',
    {
      type: 'object',
      required: ['name'],
      properties: {
        name: text('Name of the option, such as ndots.', { minLength: 1, ...SHOWN }),
        value: text('Value of the option. Without it the option is a switch.'),
      },
    },
    { maxItems: 16 },
  ),
});

/** Types without the fields that have no effect, by the name of the Kubernetes type. */
export const partialTypes = {
  PodSecurityContext: without(kubernetes.PodSecurityContext, NOT_OF_POD),
  SecurityContext: securityContext,
  HostAlias: hostAlias,
  PodDNSConfig: dnsConfig,
} as const;

/** Schemas of the fields that select nodes, also of each component, with their descriptions. */
export const placement = (texts: {
  readonly nodeSelector: string;
  readonly topologySpreadConstraints: string;
}): Readonly<Record<string, Schema>> => ({
  nodeSelector: lay(stringMap(texts.nodeSelector), labels()),
  topologySpreadConstraints: list(
    texts.topologySpreadConstraints,
    kubernetes.TopologySpreadConstraint,
    {
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'],
    },
  ),
});

export const podSettings: Schema = list(
  'Settings for the Pods of several components. A later entry replaces the fields that it sets; a field of a component in spec.components takes precedence over all entries. A change restarts the Pods of the selected components.',
  object(
    'Settings of Pods.',
    {
      components: list(
        'Components that get the settings, by their field in spec.components, and backups for the Pods of KarmadaBackups. Defaults to all.',
        { type: 'string', enum: ALL_SELECTABLE },
        { minItems: 1 },
      ),
      ...placement({
        nodeSelector:
          'Labels that a node must have, with their values. Without such a node the Pods stay Pending.',
        topologySpreadConstraints:
          'How the Pods spread over nodes or zones. labelSelector selects the Pods of the component if it is not set.',
      }),
      // Fewer than for a component, because the API server multiplies the cost of their rule by the number of entries.
      tolerations: list(
        'Taints of nodes that the Pods tolerate. An empty list selects the default of the component.',
        kubernetes.Toleration,
        { maxItems: 32 },
      ),
      affinity: described(
        'Rules for the nodes of the Pods. Defaults to a preference of different nodes for the replicas of a component.',
        kubernetes.Affinity,
      ),
      priorityClassName: text(
        'PriorityClass of the Pods, in the host cluster. Defaults to system-node-critical. The same value in a component does not count as set, because it is the default there.',
        OPTIONAL_OBJECT_NAME,
      ),
      resources: described(
        'CPU and memory of the main container. Replaces the requests of the operator, which sets no limits.',
        kubernetes.ResourceRequirements,
      ),
      env: lay(env, ENV),
      podSecurityContext: described(
        'Fields of the security context that only a Pod has, such as fsGroup. Unset fields keep the defaults of the operator.',
        partialTypes.PodSecurityContext,
      ),
      securityContext: described(
        'Security context of the main container. Unset fields keep the restricted defaults.',
        partialTypes.SecurityContext,
      ),
      runtimeClassName: text(
        'RuntimeClass of the Pods, such as one for gVisor. It must exist in the host cluster. Defaults to the runtime of the nodes.',
        OPTIONAL_OBJECT_NAME,
      ),
      hostAliases,
      dnsConfig,
    },
    { 'x-kubernetes-validations': [ADDRESSES] },
  ),
  { maxItems: 32 },
);
