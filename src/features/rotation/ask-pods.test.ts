import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { NOW as TIME } from '../../instance/__fixtures__/instance.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { isSignedBy } from '../../pki/certificate-info.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { decode, INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { makeKey } from '../../pki/keys.ts';
import type { AuthorityName } from '../../pki/types.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import { EtcdConnectionError } from '../../etcd/errors.ts';
import { askPods, type AskingTools } from './ask-pods.ts';
import { endpointOf, serverOf } from './pod-endpoints.ts';
import { podOf } from './__fixtures__/objects.ts';

const READS = readsOf(ready(await ensureCertificates(request(), issuance(new Date(TIME)))));
const CA = decode(READS.cert, 'ca.crt');
const [A = ''] = certificateBlocks(CA);

function storedOf(name: AuthorityName) {
  const stored = authorityFacts(INPUTS, name, READS, new Date(TIME));
  if (stored === undefined) throw new Error(`no ${name}`);
  return stored;
}

interface Asked {
  readonly serverNames: string[];
  readonly questions: string[];
}

/** Servers that accept the active CA, and present the certificate of the API server. */
function toolsWith(asked: Asked, more: Partial<AskingTools> = {}): AskingTools {
  return {
    ...{ clock: manualClock(TIME), userAgent: '', keys: { generate: () => makeKey('ec-p256') } },
    host: {},
    askLeaf: (question, { server, leaf }) => {
      asked.questions.push(`${question} ${server}`);
      const isNamed = isSignedBy(certificateBlocks(leaf.certificate)[0] ?? '', A);
      return Promise.resolve(
        isNamed ? { kind: 'status', status: 201, isNamed } : { kind: 'status', status: 401 },
      );
    },
    askGrpc: ({ serverName, leaf }) => {
      asked.questions.push(`http2Settings ${serverName}`);
      const isAccepted = isSignedBy(certificateBlocks(leaf.certificate)[0] ?? '', A);
      return Promise.resolve({ kind: isAccepted ? 'answered' : 'closed' });
    },
    present: (_, serverName) => {
      asked.serverNames.push(serverName);
      return Promise.resolve(decode(READS.cert, 'apiserver.crt'));
    },
    ...more,
  };
}

async function shownBy(components: readonly string[], more: Partial<AskingTools> = {}) {
  const stored = storedOf('ca');
  const [from, to] = [stored.active.sha256, stored.successor?.sha256 ?? ''];
  const rotation = { authority: 'ca', phase: 'Preparing', since: TIME, from, to } as const;
  const asked: Asked = { serverNames: [], questions: [] };
  const pods = components.map((component, index) => podOf(component, TIME, index));
  const authority = { name: 'ca', inputs: INPUTS, stored, rotation, ca: CA } as const;
  const shown = await askPods(toolsWith(asked, more), authority, pods);
  return { shown, asked, from, to };
}

describe('askPods', () => {
  it('asks each server of a control plane, and looks at its certificate', async () => {
    const { shown, asked, from, to } = await shownBy([
      'karmada-apiserver',
      'karmada-webhook',
      'karmada-scheduler-estimator',
      'karmada-scheduler',
    ]);
    const names = ['karmada-apiserver', 'karmada-webhook', 'karmada-scheduler-estimator'];
    const presented = names.map((name, index) => shown.get(`${name}-${String(index)}`)?.presented);
    expect(presented.map((ends) => ends?.map(({ endpoint, root }) => [endpoint, root]))).toEqual([
      [['https', from]],
      [['https', from]],
      [['grpc', from]],
    ]);
    const answers = names.map((name, index) =>
      shown.get(`${name}-${String(index)}`)?.probes.map(({ root, answer }) => [root, answer.kind]),
    );
    const status = [from, to].map((root) => [root, 'status']);
    const settings = [
      [from, 'answered'],
      [to, 'closed'],
    ];
    expect(answers).toEqual([status, [], settings]);
    expect(shown.get('karmada-scheduler-3')).toEqual({ probes: [], presented: [] });
    const serverNames = ['apiserver', 'webhook', 'scheduler-estimator'] as const;
    expect(asked.serverNames).toEqual(
      serverNames.map((one) => endpointOf(INPUTS, one, 'https')?.serverName),
    );
    expect(asked.questions).toContain(`selfSubjectReview ${serverOf(INPUTS, 'apiserver')}`);
  });

  it('does not know a certificate of another CA', async () => {
    const present = () => Promise.resolve(decode(READS.cert, 'front-proxy-client.crt'));
    const { shown } = await shownBy(['karmada-webhook'], { present });
    expect(shown.get('karmada-webhook-0')?.presented).toMatchObject([{ root: '' }]);
  });

  it('returns why a Pod presents none', async () => {
    const present = () =>
      Promise.reject(new EtcdConnectionError({ stage: 'connect', code: 'ECONNREFUSED' }));
    const { shown } = await shownBy(['karmada-webhook'], { present });
    expect(shown.get('karmada-webhook-0')?.presented).toMatchObject([
      { endpoint: 'https', root: '', cause: 'connection refused' },
    ]);
  });

  it('asks a limited number of Pods at once, and none after the time of a proof', async () => {
    let [now, open, most] = [TIME, 0, 0];
    const present = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      now += 100;
      return '';
    };
    const clock = { ...manualClock(TIME), monotonic: () => now };
    const pods = Array.from({ length: 100 }, () => 'karmada-webhook');
    const { shown } = await shownBy(pods, { present, clock });
    expect(most).toBe(32);
    expect(shown.size).toBeLessThan(100);
    expect((await shownBy(pods)).shown.size).toBe(100);
  });
});

describe('endpointOf', () => {
  it.each([
    ['apiserver', 'https', 5443, ['cert', 'apiserver.crt']],
    ['webhook', 'https', 8443, ['webhook-cert', 'tls.crt']],
    ['scheduler-estimator', 'grpc', 10_352, ['scheduler-estimator-cert', 'tls.crt']],
    ['etcd', 'client', 2379, ['etcd-cert', 'etcd-server.crt']],
  ] as const)('names what the certificate of %s contains', (component, end, port, [role, key]) => {
    const endpoint = endpointOf(INPUTS, component, end);
    const certificate = new X509Certificate(decode(READS[role], key));
    expect(certificate.checkHost(endpoint?.serverName ?? '')).toBeDefined();
    expect(endpoint?.port).toBe(port);
  });

  it('has none for tokens', () => {
    expect(endpointOf(INPUTS, 'apiserver', 'token')).toBeUndefined();
  });
});
