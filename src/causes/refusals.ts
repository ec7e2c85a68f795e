/** Explains why the API server of the host cluster refuses Pods, from the message of their controller: pure. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import { NAME_IN_TEXT as NAME } from './name-in-text.ts';
import { certain, type Cause, type Subject } from './cause.ts';
import { podRemedies, type PodRemedies } from './pod-remedies.ts';
import { NOT_SHOWN, type Quoter } from './quote.ts';

interface Means {
  readonly quote: Quoter['quoted'];
  readonly remedies: PodRemedies;
}

interface Refusal {
  readonly pattern: RegExp;
  readonly reason: Reason;
  readonly text: (groups: readonly string[], means: Means) => string;
}

const RESOURCE = String.raw`[a-z][a-z0-9.-]{0,62}(?:/[a-z0-9.-]{1,63})?`;
const RESOURCES = `${RESOURCE}(?:,${RESOURCE}){0,9}`;
const AMOUNT = String.raw`${RESOURCE}=[\d.]{1,20}[A-Za-z]{0,2}`;
const AMOUNTS = `${AMOUNT}(?:,${AMOUNT}){0,9}`;

const REFUSALS: readonly Refusal[] = [
  {
    pattern: new RegExp(
      `exceeded quota: (${NAME}), requested: (${AMOUNTS}), used: (${AMOUNTS}), limited: (${AMOUNTS})`,
    ),
    reason: 'QuotaExceeded',
    text: ([quota = '', requested = '', used = '', limited = ''], { remedies }) =>
      `ResourceQuota ${quota} is exceeded (requested ${requested}, used ${used}, limited to ${limited}); ${remedies.quota}`,
  },
  {
    pattern: new RegExp(`failed quota: (${NAME}): must specify (${RESOURCES})`),
    reason: 'QuotaExceeded',
    text: ([quota = '', missing = ''], { remedies }) =>
      `ResourceQuota ${quota} requires ${missing}; ${remedies.noResources}`,
  },
  {
    pattern: new RegExp(
      `insufficient quota to match these scopes: \\[\\{PriorityClass [A-Za-z]{2,12} \\[(${NAME}(?: ${NAME}){0,9})?\\]`,
    ),
    reason: 'QuotaExceeded',
    text: ([classes = ''], { remedies }) =>
      `the cluster admits their PriorityClass${classes === '' ? '' : ` (one of ${classes.replaceAll(' ', ', ')})`} only in a namespace with a ResourceQuota for it; ${remedies.classQuota}`,
  },
  {
    pattern: /quota/i,
    reason: 'QuotaExceeded',
    text: (_, { remedies }) =>
      `a ResourceQuota of the namespace does not allow them; ${remedies.quota}`,
  },
  {
    pattern: /violates PodSecurity "([a-z]{1,20}:[\w.]{1,20})": (.+)/,
    reason: 'PodSecurityRefused',
    text: ([level = '', why = ''], { quote }) =>
      `the Pod Security level ${level} of the namespace forbids them${detail(quote(why))}; set the securityContext in spec.podSettings, or change the label pod-security.kubernetes.io/enforce of the namespace`,
  },
  {
    pattern: /unable to validate against any security context constraint: (.+)/,
    reason: 'PodSecurityRefused',
    text: ([why = ''], { quote, remedies }) =>
      `no SecurityContextConstraints of OpenShift admit them${detail(quote(why))}; ${remedies.constraints}`,
  },
  {
    pattern: new RegExp(`admission webhook "(${NAME})" denied the request:?(.*)`),
    reason: 'WebhookRefusesPods',
    text: ([webhook = '', why = ''], { quote }) =>
      `the admission webhook ${webhook} denies them${detail(quote(why))}; change the policy behind it, or the settings of the component`,
  },
  {
    pattern: new RegExp(`failed calling webhook "(${NAME})"`),
    reason: 'WebhookRefusesPods',
    text: ([webhook = '']) =>
      `the admission webhook ${webhook} of the cluster does not respond; start its server, or correct its webhook configuration`,
  },
  {
    pattern: new RegExp(`ValidatingAdmissionPolicy '(${NAME})' .{0,200}denied request:?(.*)`),
    reason: 'PodsRefused',
    text: ([policy = '', why = ''], { quote }) =>
      `the ValidatingAdmissionPolicy ${policy} denies them${detail(quote(why))}; change the policy, or the settings of the component`,
  },
  {
    pattern: new RegExp(`no PriorityClass with name (${NAME}) was found`),
    reason: 'PodsRefused',
    text: ([name = ''], { remedies }) =>
      `the PriorityClass ${name} does not exist; ${remedies.noClass}`,
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
    text: ([limit = ''], { remedies }) =>
      `a LimitRange of the namespace does not allow them (${limit}); ${remedies.limits}`,
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

const detail = (text: string | undefined): string => (text === undefined ? '' : ` (${text})`);

/**
 * Explains a refusal.
 * @param what the workload whose Pods are refused, such as `StatefulSet team/demo-etcd`
 * @param message of the API server, repeated by the controller of the workload
 * @param subject component of the workload
 */
export function refusalCause(
  what: string,
  message: string,
  { quoter: { quoted }, field }: Pick<Subject, 'quoter' | 'field'>,
): Cause {
  const means = { quote: quoted, remedies: podRemedies(field) };
  const given = message.slice(0, 4_096).replaceAll(/\s+/g, ' ');
  for (const { pattern, reason, text } of REFUSALS) {
    const found = pattern.exec(given);
    if (found !== null)
      return certain(reason, `${what}: cannot create Pods: ${text(found.slice(1), means)}`);
  }
  const why = quoted(given);
  const remedy = 'the namespace must admit the Pods: correct what the text names';
  return certain(
    'PodsRefused',
    why === undefined
      ? `${what}: cannot create Pods (the message is ${NOT_SHOWN}); read it with kubectl describe; ${remedy}`
      : `${what}: cannot create Pods (${why}); ${remedy}`,
  );
}
