/**
 * Decides about a control plane that the Go operator created: pure. Until its owner confirms, the operator writes
 * nothing but the status. Then it labels the recognized objects, and every other reconcile treats them as its own.
 */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import { COMPONENT, instanceLabels } from '../../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Deployment } from '../../kubernetes/objects/kinds.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { AdoptObject } from '../../actions/karmada-action.ts';

/** Annotation of a Karmada: whether the operator adopts its control plane from the Go operator. */
export const ADOPTION_ANNOTATION = 'operator.karmada.io/adoption';

/** Lease of a running Go operator. */
export interface RunningGoOperator {
  /** `namespace/name` of its Lease. */
  readonly lease: string;
  readonly holder: string;
}

/** What was read live of a control plane that the Go operator created. */
export interface GoControlPlane {
  readonly karmada: { readonly name: string; readonly namespace: string };
  /** Value of the annotation. */
  readonly mode?: string;
  /** Recognized objects without the label of the Karmada; the Secret with the CAs is the last one. */
  readonly recognized: readonly KubernetesObject[];
  /** Kubeconfig next to the Karmada of a remote host cluster. */
  readonly copy?: KubernetesObject;
  /** Objects with a name of this control plane that are not recognized. */
  readonly foreign: readonly KubernetesObject[];
  /** Deployments whose Pods restart. */
  readonly deployments: readonly Deployment[];
  /** StatefulSet of etcd, whose Pods do not restart; absent for an external etcd. */
  readonly etcd?: KubernetesObject;
  readonly running?: RunningGoOperator;
}

export type AdoptionDecision =
  | { readonly kind: 'none' }
  /** The operator writes nothing but the status. */
  | { readonly kind: 'wait'; readonly problem: Problem }
  /** Rounds of actions, one after the other. */
  | { readonly kind: 'adopt'; readonly rounds: readonly (readonly AdoptObject[])[] };

/** @param found undefined for a control plane without objects of the Go operator */
export function decideAdoption(found: GoControlPlane | undefined): AdoptionDecision {
  if (found === undefined) return { kind: 'none' };
  const { mode, running, foreign } = found;
  if (mode === 'Never') return wait('AdoptionDisabled', neverText(found));
  if (running !== undefined) return wait('GoOperatorRunning', runningText(running));
  if (foreign.length > 0) return wait('AdoptionConflict', foreignText(foreign));
  if (mode !== 'Automatic') return wait('AdoptionPending', pendingText(found));
  return { kind: 'adopt', rounds: labelActions(found) };
}

const wait = (reason: Reason, message: string): AdoptionDecision => ({
  kind: 'wait',
  problem: { reason, message },
});

/**
 * Returns the actions that label the recognized objects, in rounds. The Secret with the CAs is the mark of a control
 * plane to adopt, so it is labeled last.
 */
export function labelActions({
  karmada,
  recognized,
  copy,
}: Pick<GoControlPlane, 'karmada' | 'recognized' | 'copy'>): readonly (readonly AdoptObject[])[] {
  const mark = instanceName(karmada.name, SECRET_SUFFIX.cert);
  const actions = recognized.map((object): AdoptObject => {
    const component = componentOf(object);
    return { kind: 'adoptObject', object, labels: instanceLabels(karmada.name, component) };
  });
  const isMark = ({ object: { kind, metadata } }: AdoptObject): boolean =>
    kind === 'Secret' && metadata.name === mark;
  const labels = instanceLabels(karmada.name, 'karmada');
  const copies = copy ? [{ kind: 'adoptObject', object: copy, labels, isCopy: true } as const] : [];
  return [[...copies, ...actions.filter((action) => !isMark(action))], actions.filter(isMark)];
}

function componentOf({ kind, metadata }: KubernetesObject): string {
  if (kind === 'Service') return 'karmada-metrics-adapter';
  return metadata.labels?.[COMPONENT] ?? 'karmada';
}

const neverText = ({ karmada: { namespace, name } }: GoControlPlane): string =>
  `metadata.annotations: ${ADOPTION_ANNOTATION} is Never, so this operator changes nothing of the control plane that the Go operator created; to adopt it, run "${commandOf({ namespace, name })}"`;

const commandOf = ({ namespace, name }: GoControlPlane['karmada']): string =>
  `kubectl annotate karmada ${name} --namespace ${namespace} --overwrite ${ADOPTION_ANNOTATION}=Automatic`;

const runningText = ({ lease, holder }: RunningGoOperator): string =>
  `Lease ${lease}: ${holder} renews it, so the Go operator still runs; two operators would overwrite each other's changes, so this one changes nothing; scale the Deployment of the Go operator to 0 replicas`;

const foreignText = (foreign: readonly KubernetesObject[]): string =>
  `${foreign.map(nameOf).join(', ')}: has the name of an object of this control plane, but its content does not belong to the CA of this control plane; the operator changes nothing; restore the object, or move it to another name`;

function pendingText({ karmada, mode, deployments, etcd }: GoControlPlane): string {
  const unknown =
    mode === undefined || mode === 'DryRun'
      ? ''
      : `metadata.annotations: ${ADOPTION_ANNOTATION} must be Automatic, DryRun or Never. `;
  const names = deployments.map(({ metadata }) => metadata.name).sort();
  const restarts =
    names.length === 0
      ? 'Adoption restarts no Pod'
      : `Adoption restarts the Pods of the Deployments ${names.join(', ')}, stage by stage`;
  const kept = etcd === undefined ? '' : `; the Pods of ${nameOf(etcd)} keep running`;
  const { namespace, name } = karmada;
  return `${unknown}The Go operator created this control plane, and the operator has changed nothing. ${restarts}${kept}. Preview with "kubectl karmada-operator plan ${name} -n ${namespace} --patch '{}'"; to adopt the control plane, run "${commandOf(karmada)}"`;
}
