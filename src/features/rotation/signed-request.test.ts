import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { issueProbe } from '../../pki/probe.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import { EMPTY_RECORD, type Rotation } from './record.ts';
import {
  endedRequests,
  requestActions,
  requestOfPhase,
  signedRequestOf,
} from './signed-request.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const ISSUANCE = issuance(new Date(NOW));
const READS = readsOf(ready(await ensureCertificates(request(), ISSUANCE)));
const FACTS = authorityFacts(INPUTS, 'ca', READS, new Date(NOW));
const PAIRS = FACTS?.pairs ?? new Map<string, never>();
const [A = '', B = ''] = [...PAIRS.keys()];

/** A rotation whose Secrets were written ten minutes ago. */
const rotationIn = (phase: Rotation['phase'], more: Partial<Rotation> = {}): Rotation => ({
  ...{ authority: 'ca', phase, from: A, to: B, since: NOW - 20 * MINUTE },
  writtenAt: NOW - 10 * MINUTE,
  ...more,
});

const UNWRITTEN = { writtenAt: undefined } as object;

describe('requestOfPhase', () => {
  it.each<[string, Rotation, string | undefined]>([
    ['nothing before the switch', rotationIn('Preparing'), undefined],
    ['the new CA after the switch', rotationIn('Switching'), B],
    ['nothing until a user ends the overlap', rotationIn('Overlap'), undefined],
    ['the new CA before the end', rotationIn('Overlap', { completion: 'confirmed' }), B],
    ['nothing in the last phase', rotationIn('Completing'), undefined],
    ['the former CA after an abort', rotationIn('Preparing', { returns: true }), A],
    ['nothing of another CA', rotationIn('Switching', { authority: 'etcd-ca' }), undefined],
    ['nothing before the Secrets are written', rotationIn('Switching', UNWRITTEN), undefined],
  ])('requests %s', (_, rotation, root) => {
    expect(requestOfPhase(rotation)?.root).toBe(root);
  });

  it('has another name when the Secrets were written again', () => {
    const names = [rotationIn('Switching'), rotationIn('Switching', { writtenAt: NOW })].map(
      (rotation) => requestOfPhase(rotation)?.name,
    );
    expect(new Set(names).size).toBe(2);
    expect(names[0]).toMatch(/^karmada-operator-rotation-[0-9a-f]{16}-[0-9a-z]{6}$/);
  });
});

const certificateBy = async (root: string): Promise<string> => {
  const pair = PAIRS.get(root);
  if (pair === undefined) throw new Error('no CA');
  const { certificate } = await issueProbe('ca', pair, ISSUANCE);
  return Buffer.from(certificateBlocks(certificate)[0] ?? '').toString('base64');
};
const BY_A = await certificateBy(A);
const BY_B = await certificateBy(B);

interface Answer {
  readonly minutesAgo?: number;
  readonly certificate?: unknown;
  readonly types?: unknown;
}

const requestWith = ({ minutesAgo = 5, certificate, types = ['Approved'] }: Answer) => ({
  ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' },
  metadata: {
    name: 'karmada-operator-rotation-x',
    creationTimestamp: new Date(NOW - minutesAgo * MINUTE).toISOString(),
  },
  status: {
    certificate,
    conditions: Array.isArray(types) ? types.map((type) => ({ type: type as string })) : types,
  },
});

const asked = (found: KubernetesObject | undefined, rotation = rotationIn('Switching')) => ({
  ...{ rotation, pairs: PAIRS },
  seen: { observedAt: 7, ...(found && { request: found }) },
});

describe('the certificate request', () => {
  it.each<[string, Answer | undefined, string | undefined, string | undefined]>([
    ['is created if there is none', undefined, undefined, 'requestCertificate'],
    ['is awaited', {}, undefined, undefined],
    ['is a proof', { certificate: BY_B }, B, undefined],
    ['is replaced if the former CA has signed it', { certificate: BY_A }, A, 'deleteRequest'],
    ['is not replaced each second', { certificate: BY_A, minutesAgo: 0.5 }, A, undefined],
    ['is replaced, and never approved later', { types: [] }, undefined, 'deleteRequest'],
    ['is replaced when it is denied', { types: ['Denied'] }, undefined, 'deleteRequest'],
    [
      'is replaced when it has failed',
      { types: ['Approved', 'Failed'] },
      undefined,
      'deleteRequest',
    ],
    [
      'is replaced with unreadable fields',
      { types: 7, certificate: {} },
      undefined,
      'deleteRequest',
    ],
    ['of an unknown CA is no proof', { certificate: 'eA==', types: [] }, '', 'deleteRequest'],
    ['is replaced when its answer is unreadable', { certificate: 'eA==' }, '', 'deleteRequest'],
    [
      'is replaced when its answer is above the limit',
      { certificate: `${BY_B}${'A'.repeat(88 * 1_024)}` },
      '',
      'deleteRequest',
    ],
  ])('%s', (_, answer, root, action) => {
    const given = asked(answer && requestWith(answer));
    expect(signedRequestOf(given)).toEqual(
      root === undefined ? undefined : { root, observedAt: 7 },
    );
    expect(requestActions(given, NOW).map(({ kind }) => kind)).toEqual(action ? [action] : []);
  });

  it('is left alone in other phases, and if it was not read', () => {
    const found = requestWith({ certificate: BY_A });
    expect(requestActions(asked(found, rotationIn('Completing')), NOW)).toEqual([]);
    expect(requestActions({ ...asked(found), seen: undefined }, NOW)).toEqual([]);
  });

  it('is not created before the signer has loaded the CA', () => {
    const early = rotationIn('Switching', { writtenAt: NOW - 2 * MINUTE });
    expect(requestActions(asked(undefined, early), NOW)).toEqual([]);
  });
});

describe('endedRequests', () => {
  const record = (...rotations: readonly Rotation[]) => ({ ...EMPTY_RECORD, rotations });

  it.each<[string, Rotation, Rotation | undefined, boolean]>([
    ['stays in its phase', rotationIn('Switching'), rotationIn('Switching', { since: NOW }), false],
    ['ends with the switch', rotationIn('Switching'), rotationIn('Overlap'), true],
    [
      'ends with an abort',
      rotationIn('Switching'),
      rotationIn('Preparing', { returns: true, ...UNWRITTEN }),
      true,
    ],
    [
      'ends when others have changed Secrets',
      rotationIn('Switching'),
      rotationIn('Switching', UNWRITTEN),
      true,
    ],
    [
      'ends with the overlap',
      rotationIn('Overlap', { completion: 'confirmed' }),
      rotationIn('Completing'),
      true,
    ],
    [
      'ends when a user lets the overlap last',
      rotationIn('Overlap', { completion: 'confirmed' }),
      rotationIn('Overlap', { completion: 'awaited' }),
      true,
    ],
    ['ends with the rotation', rotationIn('Preparing', { returns: true }), undefined, true],
    ['does not exist in the last phase', rotationIn('Completing'), undefined, false],
  ])('%s', (_, before, after, isEnded) => {
    const ended = endedRequests(record(before), record(...(after ? [after] : [])));
    expect(ended).toEqual(isEnded ? [requestOfPhase(before)?.name] : []);
  });
});
