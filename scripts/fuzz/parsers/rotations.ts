/** Readers of rotations: the record in a Secret, annotations of a Karmada, and responses of API servers. */
import { gitVersionIn } from '../../../src/features/versions/observe-version.ts';
import { keysIn, signerOf } from '../../../src/features/rotation/ask-api-server.ts';
import { parseRecord } from '../../../src/features/rotation/parse-record.ts';
import { formatRecord, type RotationRecord } from '../../../src/features/rotation/record.ts';
import {
  ABORT_ANNOTATION,
  COMPLETE_ANNOTATION,
  requestsIn,
  ROTATE_ANNOTATION,
} from '../../../src/features/rotation/requests.ts';
import { UNTRUSTED } from '../../../src/untrusted/limits.ts';
import type { UntrustedParser } from '../parser.ts';
import { JSON_TOKENS } from './backups.ts';

const AT = Date.UTC(2026, 0, 1);
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const C = 'c'.repeat(64);

const RECORD: RotationRecord = {
  rotations: [
    {
      ...{ authority: 'service-account-key', phase: 'Completing', since: AT, writtenAt: AT },
      ...{ from: A, to: B, next: C, completion: 'awaited' },
    },
    { authority: 'ca', phase: 'Preparing', since: AT, from: A, to: B, returns: true },
  ],
  published: [{ authority: 'etcd-ca', root: A, at: AT }],
  executed: ['rotate=ca/1', `complete=ca/${A.slice(0, 16)}`],
};

const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const KEY = { kid: base64url(A), kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'sig', alg: 'RS256' };
const FIELDS = Object.keys({ ...RECORD, ...RECORD.rotations[0], root: '', at: '' });

export const ROTATION_PARSERS: readonly UntrustedParser[] = [
  {
    name: 'record of rotations',
    errors: [],
    seeds: [Buffer.from(formatRecord(RECORD))],
    tokens: [...JSON_TOKENS, ...FIELDS.map((name) => `"${name}":`), '2026-01-01T00:00:00.000Z'],
    limit: UNTRUSTED.record,
    parse: (input: Buffer): unknown => {
      const record = parseRecord(input.toString('utf8'));
      // Whatever is accepted can be written again.
      return 'fault' in record ? record : formatRecord(record);
    },
  },
  {
    name: 'annotations that request rotations',
    errors: [],
    seeds: ['service-account-key,ca/1', `ca/${A.slice(0, 16)}`, `etcd-ca/${A}/2`].map((one) =>
      Buffer.from(one),
    ),
    tokens: ['ca', 'etcd-ca', 'leaves', ',', '/', '/1', '-', 'a'.repeat(16), '\n'],
    limit: UNTRUSTED.record,
    parse: (input: Buffer): unknown => {
      const value = input.toString('utf8');
      return requestsIn({
        [ROTATE_ANNOTATION]: value,
        [COMPLETE_ANNOTATION]: value,
        [ABORT_ANNOTATION]: value,
      });
    },
  },
  {
    name: 'keys of an API server (JWKS)',
    errors: [],
    seeds: [Buffer.from(JSON.stringify({ keys: [KEY, { ...KEY, kid: base64url(B) }] }))],
    tokens: [...JSON_TOKENS, '"keys":[', '"kid":"', '{"kid":"aa"},'],
    limit: UNTRUSTED.record,
    parse: (input) => keysIn(input.toString('utf8')),
  },
  {
    name: 'token of an API server',
    errors: [],
    seeds: [Buffer.from(`${base64url(JSON.stringify({ alg: 'RS256', kid: KEY.kid }))}.e30.AAAA`)],
    tokens: ['.', 'e30', 'eyJ', 'W3t9', base64url('{"kid":'), '_', '-', '='],
    limit: UNTRUSTED.record,
    parse: (input) => signerOf(input.toString('utf8')),
  },
  {
    name: 'version of an API server',
    errors: [],
    seeds: [Buffer.from(JSON.stringify({ major: '1', gitVersion: 'v1.35.4-gke.1+k3s1' }))],
    tokens: [...JSON_TOKENS, '"gitVersion":', '"v1.', '.1', '-a', '+'],
    limit: UNTRUSTED.record,
    parse: (input) => gitVersionIn(input.toString('utf8')),
  },
];
