import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../api/karmada.ts';
import { ApiError, NetworkError } from '../kubernetes/client/errors.ts';
import { errorReason, secondsToReady } from './reconcile-record.ts';

const apiError = (reason: string): ApiError =>
  new ApiError({ request: 'get x', code: 409, reason, message: '' });

describe('errorReason', () => {
  it.each([
    ['the reason of the API server', apiError('Conflict'), 'Conflict'],
    ['the HTTP status for an unknown reason', apiError('<script>'), 'HTTP409'],
    ['NetworkError without a response', new NetworkError('get x', 'TIMEOUT', ''), 'NetworkError'],
    ['OperatorFault for any other error', new TypeError('x'), 'OperatorFault'],
  ])('returns %s', (_, error, expected) => {
    expect(errorReason(error)).toBe(expected);
  });
});

const CREATED = '2026-01-01T00:00:00Z';
const READY = {
  appliedSpecHash: 'a',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:40Z' }],
};
const karmada = (status?: object): Karmada =>
  ({ metadata: { name: 'demo', creationTimestamp: CREATED }, status }) as unknown as Karmada;

describe('secondsToReady', () => {
  it.each([
    ['the seconds when it became ready for the first time', karmada({}), karmada(READY), 40],
    ['nothing for the first sight of an object', undefined, karmada(READY), undefined],
    ['nothing while it is not ready', karmada({}), karmada({}), undefined],
    ['nothing when it becomes ready again', karmada(READY), karmada(READY), undefined],
  ])('returns %s', (_, previous, object, expected) => {
    expect(secondsToReady(previous, object)).toBe(expected);
  });
});
