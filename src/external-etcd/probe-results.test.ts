import { describe, expect, it } from '@jest/globals';
import { probeResultOf, summarizeProbes } from './probe-results.ts';
import { CODE, type Failure } from '../etcd/errors.ts';
import type { Health, Observation } from './probe.ts';
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

describe('probeResultOf', () => {
  it.each<[string, Observation, object]>([
    ['the member is healthy', seen(HEALTHY), { version: '3.6.6' }],
    [
      'the member is healthy and reports no version',
      { endpoint: parseEndpoint('a:2379', where), health: HEALTHY },
      {},
    ],
  ])('returns the version without a fault when %s', (_, observation, expected) => {
    expect(probeResultOf(observation)).toEqual(expected);
  });

  it.each<[string, Observation, string, RegExp]>([
    [
      'no leader',
      seen(unhealthy('etcdserver: no leader')),
      'EtcdUnhealthy',
      /not healthy \("etcdserver: no leader"\)/,
    ],
    [
      'no response to the health check',
      seen(failure('answer', 'TIMEOUT')),
      'EtcdUnhealthy',
      /no health status within 4 s/,
    ],
    [
      'an alarm',
      seen(unhealthy('memberID:1 alarm:NOSPACE')),
      'EtcdUnhealthy',
      /not healthy \("memberID:1 alarm:NOSPACE"\)/,
    ],
    [
      'another HTTP/2 server',
      seen(failure('answer', CODE.noGrpc)),
      'NotEtcd',
      /no gRPC response \(NO_GRPC\)/,
    ],
    [
      'another gRPC server',
      seen(failure('answer', 'GRPC_12')),
      'NotEtcd',
      /no gRPC response \(GRPC_12\)/,
    ],
    [
      'another healthy server',
      seen(HEALTHY, 'a:2379', '<html>'),
      'NotEtcd',
      /without an etcd version/,
    ],
    [
      'another healthy server whose version goes on with other text',
      seen(HEALTHY, 'a:2379', '3.6.6\nready'),
      'NotEtcd',
      /without an etcd version/,
    ],
    [
      'another server without TLS',
      seen(failure('answer', 'ERR_HTTP2_ERROR'), 'http://a:2379'),
      'NotEtcd',
      /no gRPC response/,
    ],
    [
      'another server with TLS',
      seen(failure('tls', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')),
      'NotEtcd',
      /does not support HTTP\/2/,
    ],
    [
      'another server with TLS and without ALPN',
      seen(failure('tls', CODE.noHttp2)),
      'NotEtcd',
      /does not support HTTP\/2/,
    ],
    [
      'an unknown host name',
      seen(failure('resolve', 'ENOTFOUND')),
      'EtcdNameNotResolved',
      /cannot be resolved \(ENOTFOUND\)/,
    ],
    [
      'a closed port',
      seen(failure('connect', 'ECONNREFUSED')),
      'EtcdUnreachable',
      /connection refused/,
    ],
    [
      'an address that does not respond',
      seen(failure('connect', 'TIMEOUT')),
      'EtcdUnreachable',
      /no response within 4 s/,
    ],
    [
      'an unreachable host',
      seen(failure('connect', 'EHOSTUNREACH')),
      'EtcdUnreachable',
      /unreachable \(EHOSTUNREACH\)/,
    ],
    [
      'a server certificate of another CA',
      seen(failure('tls', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')),
      'EtcdCertificateUntrusted',
      /not signed by a CA in ca.crt/,
    ],
    [
      'a self-signed CA of the server',
      seen(failure('tls', 'SELF_SIGNED_CERT_IN_CHAIN')),
      'EtcdCertificateUntrusted',
      /not signed by a CA in ca.crt/,
    ],
    [
      'a server certificate for another name',
      seen({ ...failure('tls', CODE.wrongName), names: 'DNS:b' }),
      'EtcdCertificateNameMismatch',
      /for other names \("DNS:b"\)/,
    ],
    [
      'an expired server certificate',
      seen(failure('tls', 'CERT_HAS_EXPIRED')),
      'EtcdServerCertificateExpired',
      /has expired/,
    ],
    [
      'a server certificate that is not valid yet',
      seen(failure('tls', 'CERT_NOT_YET_VALID')),
      'EtcdServerCertificateExpired',
      /is not valid yet/,
    ],
    [
      'a plaintext server for an https endpoint',
      seen(failure('tls', 'ERR_SSL_WRONG_VERSION_NUMBER')),
      'EtcdSchemeWrong',
      /does not use TLS, but the endpoint uses https/,
    ],
    [
      'no TLS handshake',
      seen(failure('tls', 'TIMEOUT')),
      'EtcdHandshakeFailed',
      /no TLS handshake within 4 s/,
    ],
    [
      'no turn of the operator in time',
      seen(failure('tls', 'NO_TURN')),
      'EtcdCheckDelayed',
      /not checked, because the operator checked other external etcds for more than 60 s/,
    ],
    [
      'an aborted TLS handshake',
      seen(failure('tls', 'ECONNRESET')),
      'EtcdHandshakeFailed',
      /TLS handshake failed/,
    ],
    [
      'a TLS server for an http endpoint',
      seen(failure('answer', 'ECONNRESET'), 'http://a:2379'),
      'EtcdSchemeWrong',
      /no response without TLS/,
    ],
    [
      'a rejected client certificate in TLS 1.3',
      seen(failure('answer', 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA')),
      'EtcdClientCertificateRefused',
      /^the server rejects the client certificate/,
    ],
    [
      'a rejected client certificate in TLS 1.2',
      seen(failure('tls', 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE')),
      'EtcdClientCertificateRefused',
      /^the server rejects/,
    ],
    [
      'an expired client certificate',
      seen(failure('answer', 'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED')),
      'EtcdClientCertificateRefused',
      /^the server rejects/,
    ],
    [
      'a missing client certificate',
      seen(failure('answer', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')),
      'EtcdClientCertificateRefused',
      /^the server rejects/,
    ],
    [
      'a connection closed after the handshake',
      seen(failure('answer', 'ECONNRESET')),
      'EtcdClientCertificateRefused',
      /closes the connection/,
    ],
  ])('returns reason, text and action for %s', (_, observation, reason, text) => {
    const answer = probeResultOf(observation);
    if (!('fault' in answer)) throw new Error('no fault');
    expect(answer.fault.reason).toBe(reason);
    expect(answer.fault.text).toMatch(text);
    expect(answer.fault.remedy.length).toBeGreaterThan(20);
  });

  it('quotes and truncates text of the server', () => {
    const answer = probeResultOf(seen(unhealthy(`a\n${'b'.repeat(900)}`)));
    if (!('fault' in answer)) throw new Error('no fault');
    expect(answer.fault.text).toMatch(/\("a\\nb{78}…"\)$/);
    expect(answer.fault.text.length).toBeLessThan(150);
  });
});

describe('summarizeProbes', () => {
  const A = 'https://10.0.0.1:2379';
  const B = 'https://10.0.0.2:2379';
  const C = 'https://10.0.0.3:2379';
  const refused = failure('connect', 'ECONNREFUSED');

  it('reports a healthy etcd and names the other members when one member has a quorum', () => {
    const verdict = summarizeProbes([seen(refused, A), seen(HEALTHY, B), seen(refused, C)]);
    expect(verdict).toEqual({
      serves: true,
      version: '3.6.6',
      down: {
        reason: 'EtcdUnreachable',
        message: `external etcd: ${A}, ${C}: connection refused; start the etcd member or correct spec.components.etcd.external.endpoints; the operator Pods must be able to reach it too`,
      },
    });
  });

  it('returns the lowest version of all members', () => {
    expect(summarizeProbes([seen(HEALTHY, A, '3.5.10'), seen(HEALTHY, B, '3.5.9')])).toEqual({
      serves: true,
      version: '3.5.9',
    });
  });

  it('names every member with its fault when none is healthy', () => {
    const verdict = summarizeProbes([
      seen(failure('resolve', 'ENOTFOUND'), A),
      seen(unhealthy('etcdserver: no leader'), B),
    ]);
    if (verdict.serves) throw new Error('serves');
    expect(verdict.problem.reason).toBe('EtcdNameNotResolved');
    expect(verdict.problem.message).toContain(`${A}: the host name cannot be resolved`);
    expect(verdict.problem.message).toContain(`${B}: etcd reports that it is not healthy`);
  });

  it('reports an unhealthy etcd when there are no endpoints', () => {
    expect(summarizeProbes([]).serves).toBe(false);
  });
});
