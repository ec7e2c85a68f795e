/** The commands that join a member cluster to a control plane. Pure functions. */
import { shellCommand } from '../program/shell-words.ts';
import { printable } from '../program/text.ts';

export interface JoinFacts {
  /** Name and namespace of the Karmada. */
  readonly name: string;
  readonly namespace: string;
  /** Flags of this program that select the management cluster. */
  readonly connection: readonly string[];
  /** Name of the member cluster. */
  readonly member: string;
  /** Kubeconfig of the member cluster and a context in it. */
  readonly kubeconfig: string;
  readonly context?: string;
  /** `host:port` of the API server, from the administrator kubeconfig. */
  readonly endpoint: string;
  /** Whether only clients in the host cluster reach this address. */
  readonly isInternal: boolean;
  /** SHA-256 of the public keys of the CAs, hex. */
  readonly pins: readonly string[];
}

export type JoinMode = 'push' | 'pull';

/** Returns the commands of the modes, with a comment above each. Each line ends with a line break. */
export function joinText(facts: JoinFacts, modes: readonly JoinMode[]): string {
  const blocks = modes.map((mode) => (mode === 'push' ? pushLines(facts) : pullLines(facts)));
  return blocks.map((lines) => lines.map((line) => `${printable(line)}\n`).join('')).join('\n');
}

const pushLines = (facts: JoinFacts): readonly string[] => [
  '# Push mode: the control plane connects to the member cluster, so it must reach the API server of the member cluster.',
  shellCommand([
    ...throughTunnel(facts),
    'karmadactl',
    'join',
    facts.member,
    `--cluster-kubeconfig=${facts.kubeconfig}`,
    ...(facts.context === undefined ? [] : [`--cluster-context=${facts.context}`]),
  ]),
];

function pullLines(facts: JoinFacts): readonly string[] {
  const { endpoint, member, kubeconfig, context, pins } = facts;
  const register = shellCommand([
    'karmadactl',
    'register',
    endpoint,
    '--cluster-name',
    member,
    '--kubeconfig',
    kubeconfig,
    ...(context === undefined ? [] : ['--context', context]),
    ...pins.flatMap((pin) => ['--discovery-token-ca-cert-hash', `sha256:${pin}`]),
  ]);
  return [
    `# Pull mode: an agent in the member cluster connects to the control plane, so it must reach ${endpoint}.`,
    ...(facts.isInternal
      ? [
          '# Clients outside the host cluster do not reach this address: expose the API server first (docs/configure/expose.md).',
        ]
      : []),
    `TOKEN=$(${shellCommand([...throughTunnel(facts), 'karmadactl', 'token', 'create', '--ttl', '15m'])})`,
    `${register} --token "$TOKEN"`,
  ];
}

const throughTunnel = ({ name, namespace, connection }: JoinFacts): readonly string[] => [
  'kubectl',
  'karmada-operator',
  'kubeconfig',
  name,
  '-n',
  namespace,
  ...connection,
  '--proxy',
  '--',
];

/** Flag of a command line, if it has a value. */
export const flagWords = (flag: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [flag, value];
