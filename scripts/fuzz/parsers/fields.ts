/** Fields of objects of API servers, and what reads them. */
import { authoritiesIn } from '../../../src/controllers/backups/restore/authority-difference.ts';
import { claimUsersOf } from '../../../src/controllers/karmada/deletion/remaining-objects.ts';
import { restartsOf } from '../../../src/etcd-cluster/pods/etcd-pods.ts';
import { membershipIn, withUpdatedMembers } from '../../../src/etcd-cluster/pods/membership.ts';
import { secretValues } from '../../../src/host-clusters/parse-credentials.ts';
import { hashSecretValues } from '../../../src/kubernetes/objects/cache-transform.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { asType } from '../../../src/kubernetes/client/request.ts';
import { credentialExpiry } from '../../../src/member-clusters/credential-expiry.ts';
import { readAccess } from '../../../src/member-clusters/estimator-kubeconfig.ts';
import {
  clusters,
  memberClusterOf,
  reduceCluster,
} from '../../../src/member-clusters/member-cluster.ts';
import { checkedFields, checkedObject } from '../../../src/kubernetes/client/checked-response.ts';
import { NetworkError } from '../../../src/kubernetes/client/errors.ts';
import { MEMBER_LIMITS } from '../../../src/kubernetes/client/limits.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { parseJsonWithin } from '../../../src/untrusted/documents.ts';
import { UntrustedLimitError } from '../../../src/untrusted/limits.ts';
import type { UntrustedParser } from '../parser.ts';
import { JSON_TOKENS } from './backups.ts';

const REQUEST = 'get';

/** The object as a client returns it; undefined if it has another shape. */
function objectIn(type: ResourceType, content: unknown): KubernetesObject | undefined {
  try {
    return asType(type, checkedFields(REQUEST, type, checkedObject(REQUEST, content)));
  } catch (error) {
    if (error instanceof NetworkError) return undefined;
    throw error;
  }
}

/** Kinds whose fields decide how much work there is, and what reads them. */
const KINDS: readonly {
  readonly type: ResourceType;
  readonly object: object;
  readonly use: (object: KubernetesObject | undefined) => unknown;
}[] = [
  {
    type: resources.Secret,
    object: { metadata: { name: 'a' }, data: { token: 'YQ==', 'ca.crt': 'YQ==' } },
    use: (secret) =>
      secret && [
        ...[secretValues(secret), readAccess(secret), credentialExpiry(secret)],
        ...[hashSecretValues(secret), authoritiesIn(secret)],
      ],
  },
  {
    type: resources.StatefulSet,
    object: {
      metadata: { name: 'a', labels: {} },
      spec: {
        replicas: 3,
        selector: { matchLabels: {} },
        template: { metadata: { labels: {} }, spec: { containers: [{ name: 'etcd' }] } },
      },
      status: { readyReplicas: 1, conditions: [{ type: 'Ready', status: 'True' }] },
    },
    use: (set) => set && [membershipIn(set, 'existing'), withUpdatedMembers([set], [], 'a')],
  },
  {
    type: resources.Pod,
    object: {
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', command: ['x'] }], volumes: [{ name: 'v' }] },
      status: { containerStatuses: [{ name: 'a', state: { waiting: { reason: 'x' } } }] },
    },
    use: (pod) => pod && [claimUsersOf([pod]), restartsOf(pod)],
  },
  {
    type: clusters,
    object: { metadata: { name: 'a' }, spec: { syncMode: 'Push', proxyHeader: { a: 'b' } } },
    use: (cluster) => cluster && memberClusterOf(reduceCluster(cluster)),
  },
];

function parsed(input: Buffer): unknown {
  try {
    return parseJsonWithin(input.toString('utf8'), { size: MEMBER_LIMITS.answer });
  } catch (error) {
    if (error instanceof UntrustedLimitError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Never throws: an object of another shape is none. */
export const FIELD_PARSERS: readonly UntrustedParser[] = [
  {
    name: 'fields of an object of an API server',
    seeds: KINDS.map(({ object }) => Buffer.from(JSON.stringify(object))),
    tokens: [
      ...JSON_TOKENS,
      '{"length":1e9}',
      '"data":',
      '"spec":',
      '"template":',
      '"conditions":',
    ],
    errors: [],
    limit: MEMBER_LIMITS.answer,
    parse: (input: Buffer): unknown => {
      const content = parsed(input);
      return KINDS.map(({ type, use }) => use(objectIn(type, content)));
    },
  },
];
