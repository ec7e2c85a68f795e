/** Summarizes the probe results of etcd members for the status. Pure functions. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { ADDRESS_NOT_ALLOWED } from '../kubernetes/connection/addresses.ts';
import { quoted } from '../api/validation/field-error.ts';
import { CODE, type Failure } from '../etcd/errors.ts';
import { ANSWER_MS, NO_TURN, TURNS_MS, type Health, type Observation } from './probe.ts';
import type { StoredData } from './stored-data.ts';

/** Why an etcd member is unusable, with the action for the user. */
interface Fault {
  readonly reason: Reason;
  /** Clause that follows the endpoint and a colon. */
  readonly text: string;
  readonly remedy: string;
}

/** Result for one etcd member: healthy with a quorum, or a fault. */
export type ProbeResult = { readonly version?: string } | { readonly fault: Fault };

/** Result for the complete etcd cluster. */
export type Verdict =
  | {
      /** At least one etcd member is healthy, so there is a quorum. */
      readonly serves: true;
      /** Lowest version of all etcd members, for example `3.6.6`. */
      readonly version?: string;
      /** What the etcd has below the prefixes of the control plane. */
      readonly data?: StoredData;
      /** Unhealthy etcd members. */
      readonly down?: Problem;
    }
  | { readonly serves: false; readonly problem: Problem };

/** Summarizes the probes of all etcd members. Groups endpoints with the same fault in the message. */
export function summarizeProbes(observations: readonly Observation[]): Verdict {
  const answers = observations.map((seen) => [seen.endpoint.text, probeResultOf(seen)] as const);
  const faults = answers.flatMap(([text, answer]) =>
    'fault' in answer ? [[text, answer.fault] as const] : [],
  );
  const problem = problemOf(faults);
  if (faults.length === answers.length) return { serves: false, problem: problem ?? NO_ENDPOINTS };
  const versions = answers.flatMap(([, answer]) =>
    'version' in answer && answer.version !== undefined ? [answer.version] : [],
  );
  const [version] = versions.sort(byNumbers);
  const data = storedIn(observations.filter((seen) => !('fault' in probeResultOf(seen))));
  return {
    serves: true,
    ...(version && { version }),
    ...(data && { data }),
    ...(problem && { down: problem }),
  };
}

/** Data of any healthy member: members of one etcd have the same. */
function storedIn(healthy: readonly Observation[]): StoredData | undefined {
  const found = healthy.flatMap(({ data }) => data ?? []);
  return found.find(({ kind }) => kind !== 'none') ?? found[0];
}

const NO_ENDPOINTS: Problem = {
  reason: 'EtcdUnreachable',
  message: 'spec.components.etcd.external.endpoints: empty; set at least one endpoint',
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
    ({ fault, endpoints }) => `${endpoints.join(', ')}: ${fault.text}; ${fault.remedy}`,
  );
  return { reason: first.fault.reason, message: `external etcd: ${sentences.join('. ')}` };
}

/** Evaluates the probe of one etcd member. */
export function probeResultOf({ endpoint, health, version }: Observation): ProbeResult {
  if ('stage' in health) return { fault: faultOfFailure(health, endpoint.tls) };
  if (!health.healthy) return { fault: unhealthy(health) };
  if (version === undefined) return {};
  return /^[0-9]+\.[0-9][0-9A-Za-z.+-]*$/.test(version)
    ? { version: version.slice(0, SHOWN) }
    : { fault: noEtcd('gRPC response without an etcd version') };
}

const SHOWN = 40;

const FIELD = 'spec.components.etcd.external.endpoints';

const noEtcd = (text: string): Fault => ({
  reason: 'NotEtcd',
  text,
  remedy: `set the client URL of an etcd in ${FIELD}`,
});

/** A TLS server closes a plaintext connection without a response. */
const SPEAKS_TLS: Fault = {
  reason: 'EtcdSchemeWrong',
  text: 'no response without TLS, but the endpoint uses http',
  remedy: `use https in ${FIELD}`,
};

const unhealthy = ({ reason }: Health): Fault => ({
  reason: 'EtcdUnhealthy',
  text: `etcd reports that it is not healthy${reason === '' ? '' : ` (${quoted(reason)})`}`,
  remedy: 'check the log of the etcd member, and that a majority of the etcd members runs',
});

const REACH = `start the etcd member or correct ${FIELD}; the operator Pods must be able to reach it too`;

const TOO_LATE = `within ${ANSWER_MS / 1_000} s`;

function faultOfFailure(failure: Failure, tls: boolean): Fault {
  if (failure.code === ADDRESS_NOT_ALLOWED) return NOT_ALLOWED;
  if (failure.code === NO_TURN) return DELAYED;
  switch (failure.stage) {
    case 'resolve':
      return {
        reason: 'EtcdNameNotResolved',
        text: `the host name cannot be resolved (${failure.code})`,
        remedy: `correct the name in ${FIELD}, or fix the DNS of the cluster`,
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
  text: 'the operator does not connect to this address (loopback, link-local, or a metadata service)',
  remedy: `use another address in ${FIELD}, or start the operator with --allow-addresses`,
};

const DELAYED: Fault = {
  reason: 'EtcdCheckDelayed',
  text: `not checked, because the operator checked other external etcds for more than ${TURNS_MS / 1_000} s`,
  remedy: 'the operator checks it again',
};

function connection(code: string): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'TIMEOUT' || code === 'ETIMEDOUT') return `no response ${TOO_LATE}`;
  return `unreachable (${code})`;
}

const SECRET = 'the Secret of spec.components.etcd.external.secretRef';

const EXPIRED: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Verification codes of OpenSSL that concern the signer. */
const UNTRUSTED =
  /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_(UNTRUSTED|REJECTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE)|PATH_LENGTH|CA_MD_TOO_WEAK|KEY_TOO_SMALL|ISSUER/;

/** TLS alerts with which a server rejects a client certificate (RFC 8446, 6.2), as named by OpenSSL. */
const REFUSED = /ALERT_(BAD_|UNSUPPORTED_|REVOKED_)?CERTIFICATE|ALERT_(UNKNOWN_CA|ACCESS_DENIED)/;

const REFUSES: Fault = {
  reason: 'EtcdClientCertificateRefused',
  text: 'the server rejects the client certificate',
  remedy: `store a client certificate in tls.crt of ${SECRET} that is signed by a client CA of the etcd`,
};

function faultOfHandshake({ code, names = '' }: Failure): Fault {
  if (code === CODE.wrongName)
    return {
      reason: 'EtcdCertificateNameMismatch',
      text: `the server certificate is for other names${names === '' ? '' : ` (${quoted(names)})`}`,
      remedy: `use a name of the certificate in ${FIELD}, or issue a certificate for this name`,
    };
  if (EXPIRED.has(code))
    return {
      reason: 'EtcdServerCertificateExpired',
      text: `the server certificate or one of its CA certificates ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      remedy: 'renew the certificates of the etcd, or check the clocks',
    };
  if (REFUSED.test(code)) return REFUSES;
  if (UNTRUSTED.test(code))
    return {
      reason: 'EtcdCertificateUntrusted',
      text: `the server certificate is not signed by a CA in ca.crt (${code})`,
      remedy: `add the CA that signed it to ca.crt of ${SECRET}`,
    };
  return faultOfOtherServer(code);
}

/** Evaluates the TLS error of a server that is not etcd, or whose endpoint has the wrong scheme. */
function faultOfOtherServer(code: string): Fault {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code))
    return {
      reason: 'EtcdSchemeWrong',
      text: 'the server does not use TLS, but the endpoint uses https',
      remedy: `enable TLS in the etcd; without TLS use http in ${FIELD}`,
    };
  if (code === CODE.noHttp2 || code.endsWith('ALERT_NO_APPLICATION_PROTOCOL'))
    return noEtcd('the server does not support HTTP/2, as every etcd does');
  return {
    reason: 'EtcdHandshakeFailed',
    text: code === 'TIMEOUT' ? `no TLS handshake ${TOO_LATE}` : `TLS handshake failed (${code})`,
    remedy: `set the client URL of an etcd in ${FIELD}`,
  };
}

const CUT_AFTER_HANDSHAKE: Fault = {
  ...REFUSES,
  text: 'the server closes the connection after it has received the client certificate',
};

/** Codes of a connection that the server closed without a response. */
const CUT: ReadonlySet<string> = new Set([CODE.closed, 'EPIPE', 'ECONNABORTED']);

/** With TLS 1.3 a server verifies the client certificate after the client has completed the handshake. */
function faultOfAnswer(failure: Failure, tls: boolean): Fault {
  const { code } = failure;
  if (REFUSED.test(code)) return REFUSES;
  if (CUT.has(code)) return tls ? CUT_AFTER_HANDSHAKE : SPEAKS_TLS;
  if (code === 'TIMEOUT')
    return {
      reason: 'EtcdUnhealthy',
      text: `no health status ${TOO_LATE}`,
      remedy: 'check the log of the etcd member, and that a majority of the etcd members runs',
    };
  return noEtcd(`no gRPC response (${code})`);
}
