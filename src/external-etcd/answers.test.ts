import { describe, expect, it } from '@jest/globals';
import { answerOf, verdictOf } from './answers.ts';
import type { Observation } from './ask.ts';
import { WRONG_NAME, type Failure, type Reply } from './dial.ts';
import { parseEndpoint } from './endpoint.ts';

const where = { namespace: 'team', dnsDomain: 'cluster.local' };
const reply = (body: object | string, status = 200): Reply => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const failure = (stage: Failure['stage'], code: string): Failure => ({ stage, code });

const HEALTHY = reply({ health: 'true', reason: '' });
const VERSION = reply({ etcdserver: '3.6.6', etcdcluster: '3.6.0' });

function seen(
  health: Reply | Failure,
  text = 'https://a:2379',
  version?: Reply | Failure,
): Observation {
  const same = 'stage' in health ? health : VERSION;
  return { endpoint: parseEndpoint(text, where), health, version: version ?? same };
}

describe('what a member of an external etcd says', () => {
  it.each<[string, Observation, object]>([
    ['is healthy', seen(HEALTHY), { version: '3.6.6' }],
    [
      'is healthy, in the words of other versions',
      seen(reply({ health: true })),
      { version: '3.6.6' },
    ],
    [
      'is healthy and keeps its version for itself',
      seen(HEALTHY, 'a:2379', failure('answer', 'TIMEOUT')),
      {},
    ],
  ])('4.6 %s', (_, observation, expected) => {
    expect(answerOf(observation)).toEqual(expected);
  });

  it.each<[string, Observation, string, RegExp]>([
    [
      'no leader',
      seen(reply({ health: 'false', reason: 'RAFT NO LEADER' }, 503)),
      'EtcdUnhealthy',
      /not healthy \("RAFT NO LEADER"\)/,
    ],
    [
      'no word',
      seen(failure('answer', 'TIMEOUT')),
      'EtcdUnhealthy',
      /does not say within 4 s how it is/,
    ],
    [
      'another program',
      seen(reply('404 page not found', 404)),
      'NotEtcd',
      /answers \/health with HTTP 404/,
    ],
    [
      'a program that is healthy too',
      seen(HEALTHY, 'a:2379', reply('<html>', 200)),
      'NotEtcd',
      /answers \/version with HTTP 200, but not as etcd does/,
    ],
    [
      'no HTTP',
      seen(failure('answer', 'HPE_INVALID_CONSTANT')),
      'NotEtcd',
      /does not answer \/health in HTTP/,
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
      seen({ ...failure('tls', WRONG_NAME), names: 'DNS:b' }),
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
      'the same in words',
      seen(reply('Client sent an HTTP request to an HTTPS server.', 400), 'http://a:2379'),
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
  ])('4.6 %s', (_, observation, reason, text) => {
    const answer = answerOf(observation);
    if (!('fault' in answer)) throw new Error('no fault');
    expect(answer.fault.reason).toBe(reason);
    expect(answer.fault.text).toMatch(text);
    expect(answer.fault.remedy.length).toBeGreaterThan(20);
  });

  it('3.6 words of a stranger are quoted and cut', () => {
    const answer = answerOf(seen(reply({ health: 'false', reason: `a\n${'b'.repeat(900)}` })));
    if (!('fault' in answer)) throw new Error('no fault');
    expect(answer.fault.text).toMatch(/\("a\\nb{78}…"\)$/);
    expect(answer.fault.text.length).toBeLessThan(150);
  });
});

describe('4.6 an external etcd of several members', () => {
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
    const old = reply({ etcdserver: '3.5.9' });
    const newer = reply({ etcdserver: '3.5.10' });
    expect(verdictOf([seen(HEALTHY, A, newer), seen(HEALTHY, B, old)])).toEqual({
      serves: true,
      version: '3.5.9',
    });
  });

  it('names every member with its fault when none serves', () => {
    const verdict = verdictOf([
      seen(failure('resolve', 'ENOTFOUND'), A),
      seen(reply({ health: 'false', reason: 'RAFT NO LEADER' }, 503), B),
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
