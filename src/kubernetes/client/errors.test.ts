import { describe, expect, it } from '@jest/globals';
import {
  ApiError,
  errorText,
  isExpired,
  isNotFound,
  NetworkError,
  parseJson,
  toApiError,
  toNetworkError,
} from './errors.ts';

function status(message: string, more: object = {}): string {
  return JSON.stringify({ kind: 'Status', message, ...more });
}

describe('ApiError', () => {
  it('contains request, HTTP status, reason and message of the server', () => {
    const body = status('pods "x" not found', { reason: 'NotFound', details: { name: 'x' } });
    const error = toApiError('get Pod team/x', { code: 404, body });
    expect(error.message).toBe('get Pod team/x: 404 NotFound: pods "x" not found');
    expect(isNotFound(error)).toBe(true);
    expect(error.details.name).toBe('x');
    expect(error.permanent).toBe(false);
  });

  it('is permanent with reason UndeclaredField when an undeclared field causes a 500', () => {
    const body = status(
      'failed to create typed patch object (a/b; apps/v1, Kind=Deployment): .spec.x: field not declared in schema',
    );
    const error = toApiError('apply Deployment a/b', { code: 500, body });
    expect(error).toMatchObject({ code: 400, reason: 'UndeclaredField', permanent: true });
    expect(error.message).toContain('.spec.x');
  });

  it.each([
    ['the header', { code: 429, retryAfter: '3', body: '' }, 3],
    ['the body', { code: 429, body: status('x', { details: { retryAfterSeconds: 2 } }) }, 2],
    ['neither header nor body', { code: 503, body: 'gateway' }, undefined],
    [
      'a date in the header',
      { code: 503, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT', body: '' },
      undefined,
    ],
  ])('returns retryAfterSeconds from %s', (_name, answer, expected) => {
    expect(toApiError('x', answer).retryAfterSeconds).toBe(expected);
  });

  it('omits rejected values that are objects, long or secret', () => {
    const long = `Deployment.apps "x" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"hidden"}}: field is immutable`;
    const error = toApiError('apply Deployment a/x', { code: 422, body: status(long) });
    expect(error.message).not.toContain('hidden');
    expect(error.message).toContain('field is immutable');
    const short = status('spec.replicas: Invalid value: -1: must be greater than or equal to 0');
    expect(toApiError('x', { code: 422, body: short }).message).toContain('-1');
    const causes = [{ field: 'data[key]', message: 'Invalid value: "hunter2": must be short' }];
    const secret = status('data[key]: Invalid value: "hunter2": must be short', {
      details: { causes },
    });
    const hidden = toApiError('x', { code: 422, body: secret, secret: true });
    expect(JSON.stringify([hidden.message, hidden.details])).not.toContain('hunter2');
    expect(hidden.details.causes?.[0]?.field).toBe('data[key]');
  });

  it('has a short message of one line when the response is long, empty or not a Status', () => {
    const error = toApiError('x', { code: 500, body: `a\n${'b'.repeat(10_000)}` });
    expect(error.message.length).toBeLessThan(450);
    expect(error.message).not.toContain('\n');
    expect(toApiError('x', { code: 502, body: '' }).message).toBe(
      'x: 502 HTTP 502: no reason given in the response',
    );
    expect(toApiError('x', { code: 502, body: 'null' }).message).toContain('502');
  });

  it('counts as expired when its code is 410 or its reason is Expired', () => {
    expect(isExpired(toApiError('x', { code: 410, body: '' }))).toBe(true);
    expect(isExpired(toApiError('x', { code: 400, body: status('', { reason: 'Expired' }) }))).toBe(
      true,
    );
    expect(isExpired(new Error('x'))).toBe(false);
  });
});

describe('NetworkError', () => {
  it.each([
    ['ECONNREFUSED', false, true],
    ['UND_ERR_CONNECT_TIMEOUT', false, true],
    ['ERR_HTTP2_INVALID_SESSION', false, true],
    ['ECONNRESET', true, true],
    ['UND_ERR_SOCKET', true, true],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, false],
    ['TIMEOUT', true, false],
    ['CLOSED', true, false],
  ])('%s: maybe sent %s, transient %s', (code, maybeSent, transient) => {
    expect(new NetworkError('x', code, 'y')).toMatchObject({ maybeSent, transient });
  });

  it('has the code of the innermost cause, or UNKNOWN', () => {
    const cause = Object.assign(new Error('inner'), { code: 'EPIPE' });
    expect(toNetworkError('get x', new TypeError('outer', { cause })).code).toBe('EPIPE');
    expect(toNetworkError('get x', 'text').code).toBe('UNKNOWN');
    expect(toNetworkError('get x', new Error('y'))).toBeInstanceOf(NetworkError);
  });

  it('reports the length but no content when a JSON response is incomplete', () => {
    expect(parseJson('get Secret team/x', '{"data":{}}')).toEqual({ data: {} });
    const halves = ['', '{"data":{"ca.key":"aHVudGVyMg', '{"data":{"ca.key":aHVudGVyMg=="}}'];
    for (const half of halves) {
      const parse = (): unknown => parseJson('get Secret team/x', half);
      const message = `get Secret team/x: incomplete response from the API server: it ends after ${half.length} characters`;
      expect(parse).toThrow(expect.objectContaining({ code: 'INCOMPLETE', message }));
      expect(parse).toThrow(expect.objectContaining({ transient: true, maybeSent: true }));
    }
  });

  it('errorText returns the text of an Error and of other thrown values', () => {
    expect(errorText(new Error('a'))).toBe('a');
    expect(errorText('b')).toBe('b');
    expect(new ApiError({ request: 'r', code: 1, reason: 'R', message: 'm' }).details).toEqual({});
  });
});
