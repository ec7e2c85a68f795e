/** Readers of responses of API servers, and of JSON in their objects. */
import {
  checkedEvent,
  checkedList,
  checkedObject,
} from '../../../src/kubernetes/client/checked-response.ts';
import {
  type ApiError,
  NetworkError,
  parseJson,
  toApiError,
} from '../../../src/kubernetes/client/errors.ts';
import { JsonGuard, MEMBER_LIMITS } from '../../../src/kubernetes/client/limits.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { permanentErrorOf } from '../../../src/kubernetes/client/permanent-errors.ts';
import {
  CLAIM_ANNOTATION,
  claimAnnotationIn,
  RECORD_ANNOTATION,
  recordIn,
} from '../../../src/etcd-cluster/identity/record.ts';
import {
  FAILED_CHANGE_ANNOTATION,
  readyRecord,
  recordName,
  SPEC_HASH_ANNOTATION,
} from '../../../src/instance/ready-record.ts';
import { valuesOfText } from '../../../src/cli/report/redact/secret-values.ts';
import { redactPatterns } from '../../../src/redact/redact-text.ts';
import { UNTRUSTED } from '../../../src/untrusted/limits.ts';
import type { UntrustedParser } from '../parser.ts';
import { JSON_TOKENS } from './backups.ts';
import { YAML_TOKENS } from './kubeconfigs.ts';

const REQUEST = 'get Secret a/b';

const clusterInfo = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'cluster-info',
    namespace: 'kube-public',
    labels: { a: 'b' },
    resourceVersion: '1',
  },
  data: { kubeconfig: 'apiVersion: v1\nclusters: []\n' },
};

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function parsed(input: Buffer): unknown {
  const excess = new JsonGuard(MEMBER_LIMITS.answer).add(input);
  if (excess !== undefined) throw new NetworkError(REQUEST, 'TOO_LARGE', excess);
  return parseJson(REQUEST, input.toString('utf8'));
}

/** What the operator does with an error. */
function told(error: ApiError): unknown {
  try {
    return permanentErrorOf(error);
  } catch (thrown) {
    if (thrown === error) return error.message;
    throw thrown;
  }
}

const STATUS = {
  kind: 'Status',
  reason: 'Invalid',
  message:
    'Deployment.apps "x" is invalid: spec.selector: Invalid value: {"a":"b"}: field is immutable',
  details: {
    name: 'x',
    causes: [{ reason: 'FieldValueInvalid', field: 'spec', message: 'Invalid value: 1: x' }],
    retryAfterSeconds: 1,
  },
};

const answers = ['ApiError', 'NetworkError'];

export const RESPONSE_PARSERS: readonly UntrustedParser[] = [
  {
    name: 'object of an API server, such as cluster-info',
    seeds: [json(clusterInfo)],
    tokens: [...JSON_TOKENS, '"metadata":', '"labels":'],
    errors: answers,
    limit: MEMBER_LIMITS.answer,
    parse: (input) => checkedObject(REQUEST, parsed(input)),
  },
  {
    name: 'list of an API server',
    seeds: [
      json({
        kind: 'ConfigMapList',
        metadata: { resourceVersion: '1', continue: 'x' },
        items: [clusterInfo],
      }),
    ],
    tokens: [...JSON_TOKENS, '"metadata":', '"items":', '{"metadata":{"name":"a"}},'],
    errors: answers,
    limit: MEMBER_LIMITS.answer,
    parse: (input) => checkedList(REQUEST, parsed(input), resources.ConfigMap),
  },
  {
    name: 'event of a watch',
    seeds: [
      json({ type: 'ADDED', object: clusterInfo }),
      json({ type: 'ERROR', object: { ...STATUS, code: 410 } }),
    ],
    tokens: [...JSON_TOKENS, '"type":"ERROR"', '"object":'],
    errors: answers,
    limit: MEMBER_LIMITS.answer,
    parse: (input) => checkedEvent(REQUEST, parsed(input)),
  },
  {
    name: 'error of an API server',
    seeds: [json(STATUS)],
    tokens: [
      ...JSON_TOKENS,
      'Invalid value: ',
      'Duplicate value: "',
      ': a',
      'updates to ',
      ' are forbidden',
      '\\n',
      '"causes":',
      '"kind":"Status"',
    ],
    errors: [],
    limit: UNTRUSTED.errorBody,
    parse: (input: Buffer): unknown => {
      const body = input.toString('utf8');
      return [422, 500].map((code) => told(toApiError(REQUEST, { code, body })));
    },
    wrap: (text) => json({ ...STATUS, message: text, details: { causes: [{ message: text }] } }),
  },
  {
    name: 'records in annotations',
    seeds: [
      json({ state: 'born', token: 'a', ca: 'b', members: 1, clusterID: 'c' }),
      json({ clusterID: 'a', token: 'b', ordinal: 0, members: 1, ca: 'c' }),
    ],
    tokens: JSON_TOKENS,
    errors: [],
    limit: UNTRUSTED.record,
    parse: (input: Buffer): unknown => {
      const text = input.toString('utf8');
      const annotations = { [RECORD_ANNOTATION]: text, [CLAIM_ANNOTATION]: text };
      return [recordIn(annotations), claimAnnotationIn(annotations)];
    },
  },
  {
    name: 'failed change in an annotation',
    seeds: [
      json({
        specHash: 'a',
        step: 'etcd',
        reason: 'Failed',
        message: 'b',
        at: '2026-01-01T00:00:00Z',
      }),
    ],
    tokens: [...JSON_TOKENS, '"specHash":', '"step":', '"at":'],
    errors: [],
    limit: UNTRUSTED.record,
    parse: (input: Buffer): unknown => {
      const metadata = { name: 'demo', namespace: 'team' };
      const annotations = {
        [SPEC_HASH_ANNOTATION]: 'a',
        [FAILED_CHANGE_ANNOTATION]: input.toString('utf8'),
      };
      const name = recordName({ metadata });
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, annotations } };
      return readyRecord([secret], { metadata });
    },
  },
  {
    name: 'log in a report',
    seeds: [
      Buffer.from(
        'I1124 21:00:00 "Watching" token=abc password: "x" https://u:p@h/?a=b\n-----BEGIN PRIVATE KEY-----\nMIIE\n',
      ),
    ],
    tokens: [
      '-----BEGIN A',
      '-----BEGIN X-----',
      '-----END X-----',
      'a://',
      'token',
      'token=',
      'token="',
      "token='",
      '\\"',
      '?a=',
      'eyJaaaaaaaa',
      'A0a',
      'authorization: ',
      'glpat-',
      'ghp_',
      'bearer a',
      '@',
      ':',
      '//',
      'a:',
      'a:@',
      '://@',
      'a://a:a@',
      '@sha256:',
      '%3A%40',
      'pass=',
      'a_pass ',
      '-pass ',
      'dbPass: ',
      '\n',
      '=',
    ],
    errors: [],
    limit: Infinity,
    parse: (input) => redactPatterns(input.toString('utf8')),
  },
  {
    name: 'Secret in a report',
    seeds: [Buffer.from('users:\n- user: {password: secret-value}\n')],
    tokens: [...YAML_TOKENS, '-----BEGIN A', '-----BEGIN CERTIFICATE-----'],
    errors: [],
    limit: Infinity,
    parse: (input) => valuesOfText(input.toString('utf8'), 'all'),
  },
];
