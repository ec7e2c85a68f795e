/** Schema of `status`. */
import type { Schema } from './schema.ts';
import { integer, list, object, text } from './schema.ts';

function versions(description: string): Schema {
  return object(description, {
    karmada: text('Version of Karmada.'),
    kubernetes: text('Version of kube-apiserver.'),
    etcd: text('Version of etcd.'),
  });
}

const condition: Schema = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: text('What the condition is about.', { maxLength: 316 }),
    status: text('Whether it holds.', { enum: ['True', 'False', 'Unknown'] }),
    reason: text('Why, in one word for programs.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: text('Why, and what to do about it, for people.', { maxLength: 32768 }),
    lastTransitionTime: text('When the status changed last.', { format: 'date-time' }),
    observedGeneration: integer('metadata.generation this was found for.', 'int64', { minimum: 0 }),
  },
};

export const status = object('What the operator found. Written by the operator alone.', {
  observedGeneration: integer('metadata.generation the status belongs to.', 'int64'),
  appliedSpecHash: text('Hash of the spec that was applied last.'),
  phase: text('One word that sums up the conditions.'),
  secretRef: object('Secret with the kubeconfig of an administrator.', {
    name: text('Name of the Secret.'),
    namespace: text('Namespace of the Secret.'),
  }),
  karmadaVersion: text('Version of the running Karmada.'),
  kubernetesVersion: text('Version of the running kube-apiserver.'),
  versions: versions('Versions of the running servers.'),
  apiServerService: object(
    'Service of the API server, in the namespace of the Karmada.',
    { name: text('Name of the Service.') },
    { required: ['name'] },
  ),
  hostUID: text('Which cluster hosts it, by the uid of kube-system; absent for the own one.'),
  hostSecret: text('Secret of that cluster in use, as namespace/name.'),
  etcd: text('Members of etcd that serve, of those wanted, such as 3/3; or "external".'),
  certificateExpiry: text('When the first certificate of the instance runs out.', {
    format: 'date-time',
  }),
  upgrade: object('Upgrade under way.', {
    from: versions('Versions it started from.'),
    to: versions('Versions it leads to.'),
    step: text('Component it has come to.'),
  }),
  conditions: {
    ...list('Conditions of the instance; Ready is the one to wait for.', condition),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
});
