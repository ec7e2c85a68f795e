/**
 * @size medium
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defaultSpec } from '../../../src/api/defaults/defaults.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { PLATFORM_KEYS } from '../../../src/pki/keys.ts';
import { ensureInstanceCertificates } from '../../../src/features/certificates/certificates.ts';
import { createHost } from '../../../src/host-clusters/host.ts';
import { createSecretPolicy } from '../../../src/api/secrets/secret-policy.ts';
import { pkiInputs } from '../../../src/features/certificates/pki-inputs.ts';
import { changedAuthorities, watchAuthorities } from '../../harness/authorities.ts';
import type { Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { faultsOf, type Decision, type Plan } from '../../harness/fault-proxy/faults.ts';
import { normalised } from '../../harness/normalize-objects.ts';
import { spread } from '../../harness/sample.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { behindFaults, proxyPair } from '../../harness/servers/behind-faults.ts';
import { adminClient, eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';

jest.setTimeout(600_000);

/** Milliseconds until a call without an answer ends; the faults of that kind wait as long. */
const FAULTY_CALL_MS = 1_000;

/** Milliseconds of a call of the undisturbed installation. A call that ends early on a busy machine is repeated. */
const UNDISTURBED_CALL_MS = 30_000;

/** Maximum number of reconciles until the control plane has its certificates. */
const passes = 10;

describe('certificates of a control plane with API faults', () => {
  let api: ApiServer;
  let direct: KubernetesClient;
  let tls: Pair;
  let calls: readonly Decision[];
  let undisturbed: { readonly secrets: object; readonly authorities: readonly string[] };

  const subjectIn = (
    namespace: string,
  ): { karmada: Karmada; spec: ReturnType<typeof defaultSpec> } => ({
    karmada: {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name: 'karmada', namespace },
      spec: {},
    },
    spec: defaultSpec({}, { defaultStorageClass: false }),
  });

  /** Reconciles the certificates of a control plane until they are complete. */
  async function untilCertified(client: KubernetesClient, namespace: string): Promise<void> {
    const common = { client, clock: systemClock, random: Math.random, log: memoryLog() };
    const secretPolicy = createSecretPolicy('Granted', () => []);
    const tools = {
      host: createHost(common),
      clock: systemClock,
      keys: PLATFORM_KEYS,
      secretPolicy,
    };
    const subject = subjectIn(namespace);
    const seen: unknown[] = [];
    for (let pass = 0; pass < passes; pass += 1) {
      try {
        const result = await ensureInstanceCertificates(tools, pkiInputs(subject, undefined, []), {
          ...subject,
          host: { objects: [], pods: [], claims: [] },
        });
        if (result.outcome === 'ready') return;
        seen.push(result);
      } catch (error) {
        seen.push(error);
      }
    }
    throw new Error(`no certificates after ${passes} reconciles: ${seen.map(String).join('; ')}`);
  }

  async function install(plan: Plan): Promise<Decision[]> {
    const { namespace } = plan;
    await direct.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const seen: Decision[] = [];
    const report = (call: Decision): void => void seen.push(call);
    const timeoutMs = plan.rules.length === 0 ? UNDISTURBED_CALL_MS : FAULTY_CALL_MS;
    await behindFaults({ api, tls, timeoutMs, report }, plan, (client) =>
      untilCertified(client, namespace),
    );
    return seen;
  }

  async function secretsIn(namespace: string): Promise<object> {
    const { items } = await direct.list(resources.Secret, { namespace });
    return normalised(items, namespace);
  }

  /** Installs with one fault and compares the Secrets with those of an undisturbed installation. */
  async function compare(namespace: string, call: Decision): Promise<void> {
    const authorities = watchAuthorities(adminClient(api), namespace);
    const calls = await install({ namespace, rules: [call as Required<Decision>] });
    expect(calls).toContainEqual(call);
    expect(await secretsIn(namespace)).toEqual(undisturbed.secrets);
    await eventually('all CAs were seen', () =>
      undisturbed.authorities.every((place) => authorities.seen.has(place)),
    );
    await authorities.stop();
    expect(changedAuthorities(authorities)).toEqual([]);
  }

  beforeAll(async () => {
    api = await startApiServer();
    direct = adminClient(api);
    tls = await proxyPair(api);
    // Names in certificates are sorted; the prefix gives the namespaces of all runs the same position.
    const namespace = 'team-undisturbed';
    const authorities = watchAuthorities(adminClient(api), namespace);
    calls = await install({ namespace, rules: [] });
    await eventually(
      'the CAs were seen',
      () => authorities.seen.size >= 6,
      () => [...authorities.seen.keys()],
    );
    await authorities.stop();
    undisturbed = {
      secrets: await secretsIn(namespace),
      authorities: [...authorities.seen.keys()],
    };
  });

  afterAll(async () => {
    await direct.close();
    await api.stop();
  });

  it.each(faultsOf.write)(
    'are equal and have one CA when any call gets the fault %s',
    async (fault) => {
      const hit = calls.filter(({ sort }) => faultsOf[sort].includes(fault));
      expect(hit.length).toBeGreaterThan(10);
      for (const [index, call] of spread(hit, 4).entries())
        await compare(`team-${fault}-${index}`, { ...call, fault });
    },
  );
});
