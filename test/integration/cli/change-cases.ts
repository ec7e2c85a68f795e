/** Commands that change a Karmada, against a real API server. The Karmada default/demo is installed. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import { changeKarmada } from '../../../src/cli/changes/change-karmada.ts';
import { suspendDecision } from '../../../src/cli/changes/suspend-command.ts';
import type { Environment } from '../../../src/cli/program/environment.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { RESTART_ANNOTATION } from '../../../src/cli/changes/restart.ts';
import { safeOutput } from '../../../src/cli/program/safe-output.ts';
import { RECOVER_ANNOTATION } from '../../../src/etcd-cluster/recovery/survivors.ts';
import type { ApiServer } from '../../harness/servers/apiserver.ts';
import { commandRunner, type CommandResult, type RunCommand } from './fixture.ts';

interface Scene {
  readonly api: ApiServer;
  readonly client: KubernetesClient;
  readonly run: RunCommand;
}

const NAMESPACE = 'changes';
const KEY = { namespace: NAMESPACE, name: 'one' };
const PREFIX = 'karmada.operator.karmada.io/one';

/** @param scene what exists once the tests run */
export function changeCases(scene: () => Scene): void {
  const run = (args: readonly string[], more?: Partial<Environment>): Promise<CommandResult> =>
    scene().run([...args, '-n', NAMESPACE], more);
  const live = async (): Promise<Karmada> =>
    (await scene().client.get(karmadas, KEY)) as unknown as Karmada;
  /** Sets the only condition, as the operator would. */
  const report = (type: string, reason: string, message: string): Promise<unknown> =>
    scene().client.patch(
      karmadas,
      KEY,
      {
        status: {
          conditions: [
            {
              type,
              reason,
              message,
              status: 'False',
              observedGeneration: 1,
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      },
      { subresource: 'status' },
    );

  describe('a Karmada', () => {
    beforeAll(async () => {
      const { client } = scene();
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
      const resources = { requests: { storage: '1Gi' } };
      const volumeClaim = { spec: { accessModes: ['ReadWriteOnce'], resources } };
      await client.create({
        apiVersion: 'operator.karmada.io/v1alpha1',
        kind: 'Karmada',
        metadata: KEY,
        spec: { components: { etcd: { local: { volumeData: { volumeClaim } } } } },
      });
    });

    it('is suspended and resumed, and the commands say what they did', async () => {
      const done = async (...args: string[]): Promise<string> => {
        const result = await run(args);
        expect(result).toMatchObject({ code: 0, errors: '' });
        return result.output;
      };
      const effect =
        'The operator no longer repairs or changes the control plane, and renews no certificates. It still processes a deletion.';
      expect(await done('suspend', 'one', '--dry-run')).toBe(
        `${effect}\n${PREFIX} suspended (server dry run)\n`,
      );
      expect((await live()).spec?.suspend).toBeUndefined();
      expect(await done('suspend', 'one')).toBe(`${effect}\n${PREFIX} suspended\n`);
      expect(await done('suspend', 'one')).toBe(`${PREFIX} already suspended\n`);
      expect(await run(['upgrade', 'one', 'v1.18.2', '--yes'])).toEqual({
        code: 1,
        output: '',
        errors: 'error: spec.suspend is true, so the operator upgrades nothing; resume it first\n',
      });
      const { metadata, spec } = await live();
      expect(spec?.suspend).toBe(true);
      const managers = (metadata.managedFields ?? []) as { manager?: string }[];
      expect(managers.map(({ manager }) => manager)).toContain('kubectl-karmada-operator');
      expect(await done('resume', 'one')).toBe(
        `The operator applies the present spec. Follow it with: kubectl karmada-operator status one -n ${NAMESPACE} --wait\n${PREFIX} resumed\n`,
      );
      expect(await done('resume', 'one')).toBe(`${PREFIX} not suspended\n`);
      expect((await live()).spec?.suspend).toBeUndefined();
    });

    it('gets the time of a restart in each named component', async () => {
      expect((await run(['restart', 'one'])).errors).toBe(
        'error: specify either components, or --all\n',
      );
      const { output } = await run(['restart', 'one', 'etcd', 'karmada-scheduler']);
      expect(output.split('\n')).toEqual([
        'The operator replaces all Pods of etcd, karmada-scheduler, in the order of an upgrade.',
        'etcd has one member: the API of the control plane does not answer while it restarts.',
        `${PREFIX} patched`,
        '',
      ]);
      const { spec } = await live();
      const annotations = { [RESTART_ANNOTATION]: expect.stringMatching(/^20.*Z$/) };
      expect(spec?.components).toMatchObject({
        etcd: { local: { annotations } },
        karmadaScheduler: { annotations },
      });
      const all = await run(['restart', 'one', '--all', '--dry-run']);
      expect(all.output).toMatch(
        /all Pods of etcd, .*karmada-metrics-adapter, .*\n.*\n\S+ patched \(server dry run\)\n$/,
      );
      const absent = await run(['restart', 'one', 'karmada-search']);
      expect(absent).toMatchObject({
        code: 1,
        errors:
          'error: karmada-search: not installed; to install it, set spec.components.karmadaSearch\n',
      });
      expect((await live()).spec).toEqual(spec);
    });

    it('of the Go operator is adopted after a confirmation', async () => {
      expect((await run(['adopt', 'one'])).errors).toContain('nothing to adopt');
      await report('Adopted', 'AdoptionPending', 'Adoption restarts the Pods of one-webhook');
      const text =
        'Karmada changes/one: AdoptionPending: Adoption restarts the Pods of one-webhook\n';
      expect(await run(['adopt', 'one'])).toEqual({
        code: 1,
        output: text,
        errors: 'error: the input is not a terminal; confirm the adoption with --yes\n',
      });
      const no = await run(['adopt', 'one'], { ask: () => Promise.resolve('n') });
      expect(no.errors).toBe('error: adoption not confirmed\n');
      expect((await live()).metadata.annotations).toBeUndefined();
      const yes = await run(['adopt', 'one'], { ask: () => Promise.resolve('y') });
      expect(yes).toEqual({
        code: 0,
        output: `${text}${PREFIX} confirmed for adoption\n`,
        errors: '',
      });
      expect((await live()).metadata.annotations).toEqual({
        'operator.karmada.io/adoption': 'Automatic',
      });
    });

    it('is recovered with the value that its condition names', async () => {
      expect((await run(['recover', 'one'])).errors).toContain('reports no loss');
      const value = 'one-etcd-0/a1/50';
      const message = `etcd: no quorum; recover: kubectl annotate karmada one ${RECOVER_ANNOTATION}=${value}`;
      await report('EtcdHealthy', 'EtcdQuorumLost', message);
      const asked = await run(['recover', 'one']);
      expect(asked.errors).toBe(
        `error: the input is not a terminal; confirm with --confirm ${value}\n`,
      );
      expect(asked.output).toContain(
        `Confirming ${value} gives up what only the lost etcd members have.`,
      );
      expect(await run(['recover', 'one', '--dry-run'])).toEqual({ ...asked, code: 0, errors: '' });
      const wrong = await run(['recover', 'one'], { ask: () => Promise.resolve('yes') });
      expect(wrong.errors).toBe(`error: "yes" confirms no loss; expected ${value}\n`);
      const dry = await run(['recover', 'one', '--confirm', value, '--dry-run']);
      expect(dry.output).toMatch(/ \(server dry run\)\n$/);
      expect((await live()).metadata.annotations).not.toHaveProperty([RECOVER_ANNOTATION]);
      const { code, output } = await run(['recover', 'one', '--confirm', value]);
      expect({ code, done: output.split('\n').at(-2) }).toEqual({
        code: 0,
        done: `${PREFIX} annotated with ${RECOVER_ANNOTATION}=${value}`,
      });
      expect((await live()).metadata.annotations).toMatchObject({ [RECOVER_ANNOTATION]: value });
    });

    it('is not changed without the permission, which the error names', async () => {
      const { api, client } = scene();
      const rbac = 'rbac.authorization.k8s.io';
      const metadata = { name: 'karmada-viewer' };
      const rules = [
        { apiGroups: ['operator.karmada.io'], resources: ['karmadas'], verbs: ['get'] },
      ];
      const apiVersion = `${rbac}/v1`;
      await client.create({ apiVersion, kind: 'ClusterRole', metadata, rules });
      await client.create({
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata,
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'karmada-viewer' },
        subjects: [{ apiGroup: rbac, kind: 'User', name: 'viewer' }],
      });
      const viewer = await commandRunner(api, await api.clientPair('viewer', 'viewers'));
      const { code, output, errors } = await viewer(['suspend', 'one', '-n', NAMESPACE]);
      expect(code).toBe(1);
      expect(output).not.toContain('suspended');
      expect(errors).toMatch(
        /^Error from server \(Forbidden\): .*cannot patch resource "karmadas" in API group "operator\.karmada\.io" in the namespace "changes"/,
      );
    });

    /** Suspends the Karmada while another client changes it before each of the first patches. @returns all patches */
    async function suspendWhileChanged(changes: number): Promise<number> {
      const { client } = scene();
      let patches = 0;
      const patch: KubernetesClient['patch'] = async (...args) => {
        patches += 1;
        if (patches <= changes)
          await client.patch(karmadas, KEY, { metadata: { labels: { n: String(patches) } } });
        return client.patch(...args);
      };
      const get: KubernetesClient['get'] = (...args) => client.get(...args);
      const environment = { output: safeOutput({ write: () => undefined, isTerminal: false }) };
      const connection = { client: { get, patch }, namespace: NAMESPACE };
      await changeKarmada({ environment, connection, flags: {} }, 'one', suspendDecision);
      return patches;
    }

    it('is changed although others change it, and is not if they do so all the time', async () => {
      expect(await suspendWhileChanged(3)).toBe(4);
      expect((await run(['resume', 'one'])).output).toMatch(/\n\S+\/one resumed\n$/);
      await expect(suspendWhileChanged(9)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await live()).spec?.suspend).toBeUndefined();
    });
  });

  it('join prints the commands of both modes, with the address and the CA of the control plane', async () => {
    const { run: inDefault } = scene();
    const { code, output, errors } = await inDefault(['join', 'demo', 'paris']);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const tunnel = 'kubectl karmada-operator kubeconfig demo -n default --proxy -- karmadactl';
    expect(output).toContain(`${tunnel} join paris --cluster-kubeconfig=paris.kubeconfig\n`);
    expect(output).toContain(`TOKEN=$(${tunnel} token create --ttl 15m)\n`);
    expect(output).toMatch(
      /karmadactl register demo-karmada-apiserver\.default\.svc\.cluster\.local:5443 --cluster-name paris --kubeconfig paris\.kubeconfig (?:--discovery-token-ca-cert-hash sha256:[0-9a-f]{64} )+--token "\$TOKEN"\n$/,
    );
    expect(output).toContain('expose the API server first');
    const wrong = await inDefault(['join', 'demo', 'Paris']);
    expect(wrong.errors).toMatch(
      /'Paris' is invalid for argument 'member': must be a DNS label of at most 48 /,
    );
  });
}
