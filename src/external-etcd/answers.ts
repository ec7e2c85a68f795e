/** What the members of an etcd said, in the words of the status: pure. */
import type { Problem } from '../api/problem.ts';
import { ADDRESS_NOT_ALLOWED } from '../kubernetes/addresses.ts';
import { quoted } from '../api/field-error.ts';
import { CODE, type Failure } from '../etcd/errors.ts';
import { ANSWER_MS, type Health, type Observation } from './ask.ts';

/** Why a member is of no use, with what helps. */
interface Fault {
  readonly reason: string;
  /** To be read after the endpoint. */
  readonly text: string;
  readonly remedy: string;
}

/** One member: it serves with a quorum behind it, or it does not. */
export type Answer = { readonly version?: string } | { readonly fault: Fault };

/** What a whole etcd amounts to. */
export type Verdict =
  | {
      /** At least one member serves, so that there is a quorum. */
      readonly serves: true;
      /** Lowest version among the members, such as `3.6.6`. */
      readonly version?: string;
      /** Members that do not serve. */
      readonly down?: Problem;
    }
  | { readonly serves: false; readonly problem: Problem };

/** The members' answers together; endpoints with the same fault are named together. */
export function verdictOf(observations: readonly Observation[]): Verdict {
  const answers = observations.map((seen) => [seen.endpoint.text, answerOf(seen)] as const);
  const faults = answers.flatMap(([text, answer]) =>
    'fault' in answer ? [[text, answer.fault] as const] : [],
  );
  const problem = problemOf(faults);
  if (faults.length === answers.length) return { serves: false, problem: problem ?? NO_ENDPOINTS };
  const versions = answers.flatMap(([, answer]) =>
    'version' in answer && answer.version !== undefined ? [answer.version] : [],
  );
  const [version] = versions.sort(byNumbers);
  return { serves: true, ...(version && { version }), ...(problem && { down: problem }) };
}

const NO_ENDPOINTS: Problem = {
  reason: 'EtcdUnreachable',
  message: 'spec.components.etcd.external.endpoints is empty; name at least one member',
};

const byNumbers = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function problemOf(faults: readonly (readonly [string, Fault])[]): Problem | undefined {
  const groups = new Map<string, { readonly fault: Fault; readonly endpoints: string[] }>();
  for (const [endpoint, fault] of faults) {
    const group = groups.get(`${fault.reason} ${fault.text}`) ?? { fault, endpoints: [] };
    group.endpoints.push(endpoint);
    groups.set(`${fault.reason} ${fault.text}`, group);
  }
  const [first] = groups.values();
  if (first === undefined) return undefined;
  const sentences = [...groups.values()].map(
    ({ fault, endpoints }) => `${endpoints.join(', ')} ${fault.text}; ${fault.remedy}`,
  );
  return { reason: first.fault.reason, message: `external etcd: ${sentences.join('. ')}` };
}

/** What one member amounts to. */
export function answerOf({ endpoint, health, version }: Observation): Answer {
  if ('stage' in health) return { fault: faultOfFailure(health, endpoint.tls) };
  if (!health.healthy) return { fault: unhealthy(health) };
  if (version === undefined) return {};
  return /^[0-9]+(\.[0-9]+){1,2}/.test(version)
    ? { version: version.slice(0, SHOWN) }
    : { fault: noEtcd('answers in gRPC, but names no version as etcd does') };
}

const SHOWN = 40;

const FIELD = 'spec.components.etcd.external.endpoints';

const noEtcd = (text: string): Fault => ({
  reason: 'NotEtcd',
  text,
  remedy: `name the client URL of an etcd in ${FIELD}`,
});

/** A server that waits for TLS just ends the connection. */
const SPEAKS_TLS: Fault = {
  reason: 'EtcdSchemeWrong',
  text: 'gives no answer without TLS, but is named with http',
  remedy: `write https in ${FIELD}`,
};

const unhealthy = ({ reason }: Health): Fault => ({
  reason: 'EtcdUnhealthy',
  text: `says that it is not healthy${reason === '' ? '' : ` (${quoted(reason)})`}`,
  remedy: 'see the log of the member, and whether a majority of the members runs',
});

const REACH = `start the member or correct ${FIELD}; the operator's own pods must reach it too`;

const TOO_LATE = `within ${ANSWER_MS / 1_000} s`;

function faultOfFailure(failure: Failure, tls: boolean): Fault {
  if (failure.code === ADDRESS_NOT_ALLOWED) return NOT_ALLOWED;
  switch (failure.stage) {
    case 'resolve':
      return {
        reason: 'EtcdNameNotResolved',
        text: `has a name that cannot be looked up (${failure.code})`,
        remedy: `correct the name in ${FIELD}, or the DNS of the cluster`,
      };
    case 'connect':
      return { reason: 'EtcdUnreachable', text: connection(failure.code), remedy: REACH };
    case 'tls':
      return faultOfHandshake(failure);
    case 'answer':
      return faultOfAnswer(failure, tls);
  }
}

const NOT_ALLOWED: Fault = {
  reason: 'EtcdAddressNotAllowed',
  text: 'is at an address that the operator does not connect to (loopback, link-local, or a metadata service)',
  remedy: `use another address in ${FIELD}, or start the operator with --allow-addresses`,
};

function connection(code: string): string {
  if (code === 'ECONNREFUSED') return 'refuses connections';
  if (code === 'TIMEOUT' || code === 'ETIMEDOUT') return `does not answer ${TOO_LATE}`;
  return `cannot be reached (${code})`;
}

const SECRET = 'the Secret of spec.components.etcd.external.secretRef';

const EXPIRED: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Codes of OpenSSL's verification that are about who signed. */
const UNTRUSTED =
  /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_(UNTRUSTED|REJECTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE)|PATH_LENGTH|CA_MD_TOO_WEAK|KEY_TOO_SMALL|ISSUER/;

/** Alerts with which a server says no to a client's certificate (RFC 8446, 6.2), in the words of OpenSSL. */
const REFUSED = /ALERT_(BAD_|UNSUPPORTED_|REVOKED_)?CERTIFICATE|ALERT_(UNKNOWN_CA|ACCESS_DENIED)/;

const REFUSES: Fault = {
  reason: 'EtcdClientCertificateRefused',
  text: 'refuses the client certificate',
  remedy: `put a certificate into tls.crt of ${SECRET} that a CA of the etcd signed for clients`,
};

function faultOfHandshake({ code, names = '' }: Failure): Fault {
  if (code === CODE.wrongName)
    return {
      reason: 'EtcdWrongName',
      text: `has a certificate for other names${names === '' ? '' : ` (${quoted(names)})`}`,
      remedy: `name it in ${FIELD} as in its certificate, or give it a certificate for this name`,
    };
  if (EXPIRED.has(code))
    return {
      reason: 'EtcdServerCertificateExpired',
      text: `has a certificate, or one above it, that ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      remedy: 'renew the certificates of the etcd, or check the clocks',
    };
  if (REFUSED.test(code)) return REFUSES;
  if (UNTRUSTED.test(code))
    return {
      reason: 'EtcdNotTrusted',
      text: `has a certificate that ca.crt does not vouch for (${code})`,
      remedy: `put the CA that signed it into ca.crt of ${SECRET}`,
    };
  return faultOfOtherServer(code);
}

/** A server that is no etcd, or is named with another scheme. */
function faultOfOtherServer(code: string): Fault {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code))
    return {
      reason: 'EtcdSchemeWrong',
      text: 'speaks no TLS, but is named with https',
      remedy: `switch TLS on in the etcd; without it write http in ${FIELD}`,
    };
  if (code === CODE.noHttp2 || code.endsWith('ALERT_NO_APPLICATION_PROTOCOL'))
    return noEtcd('speaks no HTTP/2, as every etcd does');
  return {
    reason: 'EtcdHandshakeFailed',
    text:
      code === 'TIMEOUT' ? `begins no TLS ${TOO_LATE}` : `breaks the TLS handshake off (${code})`,
    remedy: `name the client URL of an etcd in ${FIELD}`,
  };
}

const CUT_AFTER_HANDSHAKE: Fault = {
  ...REFUSES,
  text: 'ends the connection when it has seen the client certificate',
};

/** A server ended the connection after it was open, without a word. */
const CUT: ReadonlySet<string> = new Set([CODE.closed, 'EPIPE', 'ECONNABORTED']);

/** With TLS 1.3 a server looks at the client's certificate only when the client takes the handshake for done. */
function faultOfAnswer(failure: Failure, tls: boolean): Fault {
  const { code } = failure;
  if (REFUSED.test(code)) return REFUSES;
  if (CUT.has(code)) return tls ? CUT_AFTER_HANDSHAKE : SPEAKS_TLS;
  if (code === 'TIMEOUT')
    return {
      reason: 'EtcdUnhealthy',
      text: `does not say ${TOO_LATE} how it is`,
      remedy: 'see the log of the member, and whether a majority of the members runs',
    };
  return noEtcd(`does not answer in gRPC (${code})`);
}
