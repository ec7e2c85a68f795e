import { describe, expect, it } from '@jest/globals';
import { answerOf, verdictOf } from './answers.ts';
import { CODE, type Failure } from '../etcd/errors.ts';
import type { Health, Observation } from './ask.ts';
import { parseEndpoint } from './endpoint.ts';

const where = { namespace: 'team', dnsDomain: 'cluster.local' };
const failure = (stage: Failure['stage'], code: string): Failure => ({ stage, code });
const unhealthy = (reason: string): Health => ({ healthy: false, reason });

const HEALTHY: Health = { healthy: true, reason: '' };

function seen(
  health: Health | Failure,
  text = 'https://a:2379',
  version: string | undefined = '3.6.6',
): Observation {
  const endpoint = parseEndpoint(text, where);
  return { endpoint, health, ...(!('stage' in health) && { version }) };
}

describe('what a member of an external etcd says', () => {
  it.each<[string, Observation, object]>([
    ['is healthy', seen(HEALTHY), { version: '3.6.6' }],
    [
      'is healthy and keeps its version for itself',
      { endpoint: parseEndpoint('a:2379', where), health: HEALTHY },
      {},
    ],
  ])('%s', (_, observation, expected) => {
    expect(answerOf(observation)).toEqual(expected);
  });

  it.each<[string, Observation, string, RegExp]>([
    [
      'no leader',
      seen(unhealthy('etcdserver: no leader')),
      'EtcdUnhealthy',
      /not healthy \("etcdserver: no leader"\)/,
    ],
    [
      'no word',
      seen(failure('answer', 'TIMEOUT')),
      'EtcdUnhealthy',
      /does not say within 4 s how it is/,
    ],
    [
      'an alarm',
      seen(unhealthy('memberID:1 alarm:NOSPACE')),
      'EtcdUnhealthy',
      /not healthy \("memberID:1 alarm:NOSPACE"\)/,
    ],
    [
      'another program in HTTP/2',
      seen(failure('answer', CODE.noGrpc)),
      'NotEtcd',
      /does not answer in gRPC \(NO_GRPC\)/,
    ],
    [
      'another program in gRPC',
      seen(failure('answer', 'GRPC_12')),
      'NotEtcd',
      /does not answer in gRPC \(GRPC_12\)/,
    ],
    [
      'a program that is healthy too',
      seen(HEALTHY, 'a:2379', '<html>'),
      'NotEtcd',
      /names no version as etcd does/,
    ],
    [
      'another program without TLS',
      seen(failure('answer', 'ERR_HTTP2_ERROR'), 'http://a:2379'),
      'NotEtcd',
      /does not answer in gRPC/,
    ],
    [
      'another program with TLS',
      seen(failure('tls', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')),
      'NotEtcd',
      /speaks no HTTP\/2/,
    ],
    [
      'another program with TLS that knows no ALPN',
      seen(failure('tls', CODE.noHttp2)),
      'NotEtcd',
      /speaks no HTTP\/2/,
    ],
    [
      'no name',
      seen(failure('resolve', 'ENOTFOUND')),
      'EtcdNameNotResolved',
      /cannot be looked up \(ENOTFOUND\)/,
    ],
    [
      'a closed port',
      seen(failure('connect', 'ECONNREFUSED')),
      'EtcdUnreachable',
      /refuses connections/,
    ],
    [
      'a silent address',
      seen(failure('connect', 'TIMEOUT')),
      'EtcdUnreachable',
      /does not answer within 4 s/,
    ],
    [
      'no route',
      seen(failure('connect', 'EHOSTUNREACH')),
      'EtcdUnreachable',
      /cannot be reached \(EHOSTUNREACH\)/,
    ],
    [
      'another CA',
      seen(failure('tls', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')),
      'EtcdNotTrusted',
      /ca.crt does not vouch for/,
    ],
    [
      'its own CA',
      seen(failure('tls', 'SELF_SIGNED_CERT_IN_CHAIN')),
      'EtcdNotTrusted',
      /ca.crt does not vouch for/,
    ],
    [
      'another name',
      seen({ ...failure('tls', CODE.wrongName), names: 'DNS:b' }),
      'EtcdWrongName',
      /for other names \("DNS:b"\)/,
    ],
    [
      'an old certificate',
      seen(failure('tls', 'CERT_HAS_EXPIRED')),
      'EtcdServerCertificateExpired',
      /has expired/,
    ],
    [
      'a certificate of tomorrow',
      seen(failure('tls', 'CERT_NOT_YET_VALID')),
      'EtcdServerCertificateExpired',
      /is not valid yet/,
    ],
    [
      'plain HTTP',
      seen(failure('tls', 'ERR_SSL_WRONG_VERSION_NUMBER')),
      'EtcdSchemeWrong',
      /speaks no TLS, but is named with https/,
    ],
    [
      'no handshake',
      seen(failure('tls', 'TIMEOUT')),
      'EtcdHandshakeFailed',
      /begins no TLS within 4 s/,
    ],
    [
      'a broken handshake',
      seen(failure('tls', 'ECONNRESET')),
      'EtcdHandshakeFailed',
      /breaks the TLS handshake off/,
    ],
    [
      'TLS where none was asked for',
      seen(failure('answer', 'ECONNRESET'), 'http://a:2379'),
      'EtcdSchemeWrong',
      /no answer without TLS/,
    ],
    [
      'no to the client',
      seen(failure('answer', 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA')),
      'EtcdClientCertificateRefused',
      /^refuses the client certificate/,
    ],
    [
      'no to the client in TLS 1.2',
      seen(failure('tls', 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE')),
      'EtcdClientCertificateRefused',
      /^refuses/,
    ],
    [
      'no to an old client',
      seen(failure('answer', 'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED')),
      'EtcdClientCertificateRefused',
      /^refuses/,
    ],
    [
      'no to no client',
      seen(failure('answer', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')),
      'EtcdClientCertificateRefused',
      /^refuses/,
    ],
    [
      'nothing more after the handshake',
      seen(failure('answer', 'ECONNRESET')),
      'EtcdClientCertificateRefused',
      /ends the connection/,
    ],
  ])('%s', (_, observation, reason, text) => {
    const answer = answerOf(observation);
    if (!('fault' in answer)) throw new Error('no fault');
    expect(answer.fault.reason).toBe(reason);
    expect(answer.fault.text).toMatch(text);
    expect(answer.fault.remedy.length).toBeGreaterThan(20);
  });

  it('words of a stranger are quoted and cut', () => {
    const answer = answerOf(seen(unhealthy(`a\n${'b'.repeat(900)}`)));
    if (!('fault' in answer)) throw new Error('no fault');
    expect(answer.fault.text).toMatch(/\("a\\nb{78}…"\)$/);
    expect(answer.fault.text.length).toBeLessThan(150);
  });
});

describe('an external etcd of several members', () => {
  const A = 'https://10.0.0.1:2379';
  const B = 'https://10.0.0.2:2379';
  const C = 'https://10.0.0.3:2379';
  const refused = failure('connect', 'ECONNREFUSED');

  it('serves when one of them has a quorum behind it; the others are named', () => {
    const verdict = verdictOf([seen(refused, A), seen(HEALTHY, B), seen(refused, C)]);
    expect(verdict).toEqual({
      serves: true,
      version: '3.6.6',
      down: {
        reason: 'EtcdUnreachable',
        message: `external etcd: ${A}, ${C} refuses connections; start the member or correct spec.components.etcd.external.endpoints; the operator's own pods must reach it too`,
      },
    });
  });

  it('has the version of its oldest member', () => {
    expect(verdictOf([seen(HEALTHY, A, '3.5.10'), seen(HEALTHY, B, '3.5.9')])).toEqual({
      serves: true,
      version: '3.5.9',
    });
  });

  it('names every member with its fault when none serves', () => {
    const verdict = verdictOf([
      seen(failure('resolve', 'ENOTFOUND'), A),
      seen(unhealthy('etcdserver: no leader'), B),
    ]);
    if (verdict.serves) throw new Error('serves');
    expect(verdict.problem.reason).toBe('EtcdNameNotResolved');
    expect(verdict.problem.message).toContain(`${A} has a name that cannot be looked up`);
    expect(verdict.problem.message).toContain(`${B} says that it is not healthy`);
  });

  it('serves nobody when it has no member', () => {
    expect(verdictOf([]).serves).toBe(false);
  });
});
