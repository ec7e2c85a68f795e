/** Explains why the API server of the host cluster refuses Pods, from the message of their controller: pure. */
import { certain, type Cause } from './cause.ts';
import { quoted } from './quote.ts';

const NAME = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?';

interface Refusal {
  readonly pattern: RegExp;
  readonly reason: string;
  /** @param quote shortens a text and removes secrets */
  readonly text: (groups: readonly string[], quote: (text: string) => string) => string;
}

const QUOTA_REMEDY =
  'raise the ResourceQuota of the namespace, or lower the resources; a priorityClassName may need its own ResourceQuota';

const REFUSALS: readonly Refusal[] = [
  {
    pattern: new RegExp(
      `exceeded quota: (${NAME}), requested: ([\\w./=:, -]{1,300}?), used: ([\\w./=:, -]{1,300}?), limited: ([\\w./=:, -]{1,300})`,
    ),
    reason: 'QuotaExceeded',
    text: ([quota = '', requested = '', used = '', limited = '']) =>
      `ResourceQuota ${quota} is exceeded (requested ${requested}, used ${used}, limited to ${limited}); ${QUOTA_REMEDY}`,
  },
  {
    pattern: new RegExp(`failed quota: (${NAME}): must specify ([\\w./, :-]{1,300})`),
    reason: 'QuotaExceeded',
    text: ([quota = '', missing = '']) =>
      `ResourceQuota ${quota} requires ${missing}; set the resources of the component, or create a LimitRange with defaults`,
  },
  {
    pattern: /quota/i,
    reason: 'QuotaExceeded',
    text: () => `a ResourceQuota of the namespace does not allow them; ${QUOTA_REMEDY}`,
  },
  {
    pattern: /violates PodSecurity "([a-z]{1,20}:[\w.]{1,20})": (.{1,600})/,
    reason: 'PodSecurityRefused',
    text: ([level = '', why = ''], quote) =>
      `the Pod Security level ${level} of the namespace forbids them (${quote(why)}); set the securityContext in spec.podSettings, or change the label pod-security.kubernetes.io/enforce of the namespace`,
  },
  {
    pattern: new RegExp(`admission webhook "(${NAME})" denied the request:?(.{0,600})`),
    reason: 'WebhookRefusesPods',
    text: ([webhook = '', why = ''], quote) =>
      `the admission webhook ${webhook} denies them${detail(quote(why))}; change the policy behind it, or the settings of the component`,
  },
  {
    pattern: new RegExp(`failed calling webhook "(${NAME})"`),
    reason: 'WebhookRefusesPods',
    text: ([webhook = '']) =>
      `the admission webhook ${webhook} of the cluster does not respond; start its server, or correct its webhook configuration`,
  },
  {
    pattern: new RegExp(`ValidatingAdmissionPolicy '(${NAME})' .{0,200}denied request:?(.{0,600})`),
    reason: 'PodsRefused',
    text: ([policy = '', why = ''], quote) =>
      `the ValidatingAdmissionPolicy ${policy} denies them${detail(quote(why))}; change the policy, or the settings of the component`,
  },
  {
    pattern: new RegExp(`no PriorityClass with name (${NAME}) was found`),
    reason: 'PodsRefused',
    text: ([name = '']) =>
      `the PriorityClass ${name} does not exist; create it, or set another priorityClassName`,
  },
  {
    pattern: new RegExp(`service ?account "?(?:${NAME}/)?(${NAME})"? not found`),
    reason: 'PodsRefused',
    text: ([name = '']) =>
      `the ServiceAccount ${name} does not exist in the namespace; Kubernetes creates it: check kube-controller-manager of the host cluster`,
  },
  {
    pattern: /((?:maximum|minimum) [a-z.-]{1,40} usage per (?:Container|Pod) is [\w.]{1,20})/,
    reason: 'QuotaExceeded',
    text: ([limit = '']) =>
      `a LimitRange of the namespace does not allow them (${limit}); change the resources of the component, or the LimitRange`,
  },
  {
    pattern: new RegExp(
      `(?:RuntimeClass|runtimeclass(?:es)?(?:\\.node\\.k8s\\.io)?) "(${NAME})" not found`,
    ),
    reason: 'PodsRefused',
    text: ([name = '']) =>
      `the RuntimeClass ${name} does not exist; create it, or correct runtimeClassName in spec.podSettings`,
  },
];

const detail = (text: string): string => (text === '' ? '' : ` (${text})`);

/**
 * Explains a refusal.
 * @param what the workload whose Pods are refused, such as `StatefulSet team/demo-etcd`
 * @param message of the API server, repeated by the controller of the workload
 * @param hidden values that do not appear, see `hiddenForms`
 */
export function refusalCause(what: string, message: string, hidden: readonly string[]): Cause {
  const quote = (text: string): string => quoted(text, hidden);
  const given = message.slice(0, 4_096).replaceAll(/\s+/g, ' ');
  for (const { pattern, reason, text } of REFUSALS) {
    const found = pattern.exec(given);
    if (found !== null)
      return certain(reason, `${what}: cannot create Pods: ${text(found.slice(1), quote)}`);
  }
  return certain(
    'PodsRefused',
    `${what}: cannot create Pods (${quote(given)}); the namespace must admit the Pods: correct what the text names`,
  );
}
