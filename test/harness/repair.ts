import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import type { ControlPlane } from './control-plane.ts';

/** An object of a control plane, and kubectl for its API. */
export interface Subject {
  object: KubernetesObject;
  readonly ask: (args: readonly string[]) => Promise<string>;
}

/** A change to an object, and a check that the operator has repaired it. */
export interface Damage {
  readonly act: () => Promise<unknown>;
  readonly isRestored: (now: KubernetesObject) => boolean;
}

interface Edit {
  path: string;
  value: unknown;
}

const HOST_KINDS = 'deployments,statefulsets,services,secrets';
const INSIDE_KINDS =
  'namespaces,customresourcedefinitions,services,clusterroles,clusterrolebindings,roles,rolebindings,configmaps,' +
  'mutatingwebhookconfigurations,validatingwebhookconfigurations,apiservices,flowschemas';

/** All objects that the operator created for a control plane, on the host cluster and in the control plane. */
export async function subjectsOf(
  cluster: Cluster,
  plane: Pick<ControlPlane, 'kubectl'>,
  { name, namespace }: { name: string; namespace: string },
): Promise<Subject[]> {
  const labels = `app.kubernetes.io/managed-by=karmada-operator,app.kubernetes.io/instance=${name}`;
  const list = async (ask: Subject['ask'], kinds: string, where: readonly string[]) => {
    const text = await ask(['get', kinds, ...where, '-l', labels, '-o', 'json']);
    const { items } = JSON.parse(text) as { items: KubernetesObject[] };
    return items.map((object) => ({ object, ask }));
  };
  return [
    ...(await list((args) => kubectl(cluster, args), HOST_KINDS, ['-n', namespace])),
    ...(await list((args) => plane.kubectl(args), INSIDE_KINDS, ['-A'])),
  ];
}

const path = (...parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Path of the first data key of an object. */
function firstKey(object: KubernetesObject): string {
  const { data = {} } = object as unknown as { data?: Record<string, string> };
  return path('data', Object.keys(data).sort()[0] ?? '');
}

const POD_OWNER: Edit = { path: '/spec/revisionHistoryLimit', value: 9 };
const RULES: Edit = { path: '/rules', value: [] };
const SUBJECTS: Edit = { path: '/subjects', value: [] };
const TIMEOUT: Edit = { path: '/webhooks/0/timeoutSeconds', value: 1 };

/** For each kind, a field that the operator sets, with a value that it never uses. */
const EDITS: Readonly<Record<string, (object: KubernetesObject) => Edit>> = {
  Deployment: () => POD_OWNER,
  StatefulSet: () => POD_OWNER,
  Service: ({ spec }) =>
    (spec as { type?: string }).type === 'ExternalName'
      ? { path: '/spec/externalName', value: 'elsewhere.example.com' }
      : { path: '/spec/ports/0/targetPort', value: 1 },
  Secret: (object) => ({
    path: firstKey(object),
    value: Buffer.from('edited').toString('base64'),
  }),
  ConfigMap: (object) => ({ path: firstKey(object), value: 'edited' }),
  CustomResourceDefinition: () => ({
    path: '/spec/versions/0/additionalPrinterColumns',
    value: [],
  }),
  ClusterRole: () => RULES,
  Role: () => RULES,
  ClusterRoleBinding: () => SUBJECTS,
  RoleBinding: () => SUBJECTS,
  MutatingWebhookConfiguration: () => TIMEOUT,
  ValidatingWebhookConfiguration: () => TIMEOUT,
  APIService: () => ({ path: '/spec/groupPriorityMinimum', value: 1 }),
  FlowSchema: () => ({ path: '/spec/matchingPrecedence', value: 9000 }),
};

function valueAt(object: unknown, pointer: string): unknown {
  const keys = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/'));
  return keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    object,
  );
}

function addressed({ kind, apiVersion, metadata }: KubernetesObject): string[] {
  const [version = '', group] = apiVersion.split('/').reverse();
  const type = group === undefined ? kind : `${kind}.${version}.${group}`;
  const where = metadata.namespace === undefined ? [] : ['-n', metadata.namespace];
  return [type.toLowerCase(), metadata.name, ...where];
}

export const titleOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;

/** The current object; undefined if it does not exist. */
async function current({ object, ask }: Subject): Promise<KubernetesObject | undefined> {
  const text = await ask(['get', ...addressed(object), '--ignore-not-found', '-o', 'json']);
  return text === '' ? undefined : (JSON.parse(text) as KubernetesObject);
}

/** Whether the object has a field to edit. */
export const isEditable = ({ object }: Subject): boolean => EDITS[object.kind] !== undefined;

/** Overwrites a field that the operator sets. */
export async function editing(subject: Subject): Promise<Damage> {
  const { object, ask } = subject;
  const edit = EDITS[object.kind]?.(object);
  if (edit === undefined) throw new Error(`nothing to edit in ${titleOf(object)}`);
  const wanted = JSON.stringify(valueAt(await current(subject), edit.path));
  const patch = JSON.stringify([{ op: 'add', ...edit }]);
  return {
    act: () => ask(['patch', ...addressed(object), '--type=json', '-p', patch]),
    isRestored: (now) => {
      const value = JSON.stringify(valueAt(now, edit.path));
      // A damaged certificate is reissued with a new key, because no copy of the key exists.
      if (object.kind !== 'Secret') return value === wanted;
      return value !== undefined && value !== JSON.stringify(edit.value);
    },
  };
}

export async function deleting(subject: Subject): Promise<Damage> {
  const { object, ask } = subject;
  const uid = (await current(subject))?.metadata.uid;
  return {
    act: () => ask(['delete', ...addressed(object), '--wait=false']),
    isRestored: (now) => now.metadata.uid !== uid,
  };
}

/** Damages an object and waits until the operator has repaired it. @returns duration in milliseconds */
export async function restored(subject: Subject, { act, isRestored }: Damage): Promise<number> {
  await act();
  const began = performance.now();
  return poll(
    `${titleOf(subject.object)} is restored`,
    async (seen) => {
      const now = await current(subject);
      seen(JSON.stringify(now?.metadata));
      return now !== undefined && isRestored(now) ? performance.now() - began : undefined;
    },
    { deadlineMs: 90_000, intervalMs: 100 },
  );
}
