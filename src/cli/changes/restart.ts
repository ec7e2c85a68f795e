/** Decides about a restart of components, which the operator executes in the order of changes. Pure functions. */
import { addonsOf } from '../../api/addon.ts';
import { CATALOG, type ComponentName } from '../../api/component-catalog.ts';
import type {
  ComponentKey,
  Components,
  Karmada,
  KarmadaSpec,
  KarmadaStatus,
  LocalEtcd,
} from '../../api/karmada.ts';
import { warningsIn } from '../../api/warnings/warning-condition.ts';
import { volumeKind } from '../../components/etcd/etcd.ts';
import { componentNamed } from '../program/component.ts';
import { CommandError } from '../program/environment.ts';
import { refuseDeleted, refuseSuspended, type Decision } from './change-karmada.ts';

/**
 * Annotation of a component whose change restarts its Pods. It is not kubectl.kubernetes.io/restartedAt: the operator
 * would revert a later `kubectl rollout restart` of the Deployment, because it owned the annotation.
 */
export const RESTART_ANNOTATION = 'restart.operator.karmada.io/time';

export interface RestartRequest {
  /** Components to restart; all that can restart if it is empty. */
  readonly components: readonly string[];
  /** RFC 3339. */
  readonly time: string;
}

/**
 * Sets the annotation of each component in the spec.
 * @throws CommandError for a component that is unknown, not installed, or must not restart
 */
export function restartDecision(karmada: Karmada, { components, time }: RestartRequest): Decision {
  refuseDeleted(karmada);
  refuseSuspended(karmada, 'restarts nothing');
  const rows = components.length === 0 ? restartable(karmada) : components.map(componentNamed);
  for (const row of rows) {
    const obstacle = obstacleTo(row, karmada);
    if (obstacle !== undefined) throw new CommandError(`${row.name}: ${obstacle}`);
  }
  const annotated = { annotations: { [RESTART_ANNOTATION]: time } };
  const changes = rows.map(({ key }) => [key, key === 'etcd' ? { local: annotated } : annotated]);
  return {
    patch: { spec: { components: Object.fromEntries(changes) as Components } },
    effect: restartEffect(karmada, rows),
    done: 'patched',
  };
}

/** What users of the control plane notice. */
function restartEffect({ spec }: Karmada, rows: readonly Row[]): readonly string[] {
  const { replicas = 1 } = spec?.components?.etcd?.local ?? {};
  const isEtcd = rows.some(({ key }) => key === 'etcd');
  return [
    `The operator replaces all Pods of ${rows.map(({ name }) => name).join(', ')}, in the order of an upgrade.`,
    ...(isEtcd && replicas === 1
      ? ['etcd has one member: the API of the control plane does not answer while it restarts.']
      : []),
  ];
}

interface Row {
  readonly key: keyof Components;
  readonly name: ComponentName;
}

const restartable = (karmada: Karmada): readonly Row[] =>
  CATALOG.filter((row) => obstacleTo(row, karmada) === undefined);

/** Why a component does not restart. A key in the spec would install an add-on, so it must be there already. */
function obstacleTo({ key }: Row, karmada: Karmada): string | undefined {
  if (key === 'etcd') return etcdObstacle(karmada);
  return isInstalled(key, karmada.spec ?? {})
    ? undefined
    : `not installed; to install it, set spec.components.${key}`;
}

function isInstalled(key: ComponentKey, spec: KarmadaSpec): boolean {
  const isAddon = CATALOG.some((row) => row.key === key && row.installed !== 'always');
  return !isAddon || addonsOf(spec).includes(key);
}

function etcdObstacle({ spec, status = {} }: Karmada): string | undefined {
  const { external, local = {} } = spec?.components?.etcd ?? {};
  if (external !== undefined) return 'the operator does not manage an external etcd';
  if (isOnlyCopy(local))
    return 'its only member keeps its data in an emptyDir, and would lose it with a restart';
  return hasWarning(status, 'EtcdTemplateKept')
    ? 'it keeps the Pod template of the Go operator, which the operator does not change'
    : undefined;
}

const isOnlyCopy = ({ replicas = 1, volumeData = {} }: LocalEtcd): boolean =>
  replicas === 1 && volumeKind(volumeData) === 'emptyDir';

const hasWarning = ({ conditions = [] }: KarmadaStatus, reason: string): boolean =>
  conditions
    .filter(({ type }) => type === 'Warning')
    .flatMap(warningsIn)
    .some((warning) => warning.reason === reason);
