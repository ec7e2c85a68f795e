/**
 * Asks the server in one Pod whether it accepts a leaf certificate of a CA. Through a Service only one Pod would answer.
 * Writes nothing: a review is not stored.
 */
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Dial } from '../../etcd/dial.ts';
import { explicitCredentials } from '../../kubernetes/connection/connection.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { PROBE_USER } from '../../pki/probe.ts';
import type { KeyPair } from '../../pki/types.ts';
import type { Answer, Question } from './facts.ts';
import { TIMEOUT_MS, withPodClient, type PodClientOptions } from './pod-client.ts';
import { watchedDial } from './watched-dial.ts';

/** How to reach a server, and with which leaf. */
export interface LeafAccess extends Omit<PodClientOptions, 'resources'> {
  /** URL with the name in the certificate of the server. */
  readonly server: string;
  readonly dial: Dial;
  /** PEM bundle of CAs of the server. */
  readonly ca: string;
  readonly leaf: KeyPair;
  /** Whether the leaf speaks for a user, as that of the aggregator of an API server. */
  readonly isFrontProxy: boolean;
}

/** Asks a question over HTTP. Never rejects: a server that does not respond is unreachable. */
export async function askWithLeaf(
  question: Extract<Question, 'selfSubjectReview' | 'forbiddenCall'>,
  { server, dial, ca, leaf, isFrontProxy, ...options }: LeafAccess,
): Promise<Answer> {
  const access = { server, caData: ca, certData: leaf.certificate, keyData: leaf.key };
  const headers: Readonly<Record<string, string>> = isFrontProxy
    ? { 'x-remote-user': PROBE_USER }
    : {};
  const credentials = { ...explicitCredentials(access), headers };
  const watched = watchedDial(dial);
  const route = () => watched.dial(AbortSignal.timeout(TIMEOUT_MS));
  const endpoint = { server, route, credentials: () => Promise.resolve(credentials) };
  try {
    return await withPodClient(
      endpoint,
      { ...options, resources: [SELF_SUBJECT_REVIEW] },
      QUESTIONS[question],
    );
  } catch (error) {
    return error instanceof ApiError
      ? { kind: 'status', status: error.code }
      : watched.unreachable(error);
  }
}

type Asking = (
  client: Pick<KubernetesClient, 'create' | 'raw'>,
  signal: AbortSignal,
) => Promise<Answer>;

const SELF_SUBJECT_REVIEW = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

const REVIEW: KubernetesObject = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  metadata: { name: '' },
};

/** A path that no server has, and that no role permits. */
const FORBIDDEN_PATH = '/operator-rotation';

const QUESTIONS = {
  selfSubjectReview: async (client, signal) => {
    const { username } = fieldsOf(
      fieldsOf((await client.create(REVIEW, { signal }))['status'])['userInfo'],
    );
    return { kind: 'status', status: 201, ...(username === PROBE_USER && { isNamed: true }) };
  },
  forbiddenCall: async (client, signal) => {
    const { status, body } = await client.raw(FORBIDDEN_PATH, { signal });
    const isNamed = body.includes(String.raw`User \"${PROBE_USER}\"`);
    return { kind: 'status', status, ...(isNamed && { isNamed: true }) };
  },
} satisfies Readonly<Record<string, Asking>>;
