/** Commands as a CI job uses them: files, exit codes and JSON. The Karmada default/demo is installed. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { PlanView } from '../../../src/cli/plan/plan-view.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { CommandResult, RunCommand } from './fixture.ts';

const HEAD = 'apiVersion: operator.karmada.io/v1alpha1\nkind: Karmada\n';

async function fileOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'karmada-')), 'karmada.yaml');
  await writeFile(file, `${HEAD}${text}`);
  return file;
}

/** @param runner the function that runs commands, once it exists */
export function ciCases(runner: () => RunCommand): void {
  const run = (...args: readonly string[]): Promise<CommandResult> => runner()(args);

  describe('render', () => {
    const render = async (text: string, ...args: string[]): Promise<CommandResult> =>
      run('render', '-f', await fileOf(text), ...args);

    it('prints one error a line for unknown fields, values of other types and invalid values', async () => {
      const unknown = await render(
        'metadata: {name: a}\nspec: {suspended: true, components: {karmadaApiServer: {}, karmadaScheduler: {replicas: "2"}}}',
      );
      expect(unknown).toEqual({
        code: 1,
        output: '',
        errors: [
          'error: spec.suspended: unknown field; did you mean suspend?',
          'error: spec.components.karmadaApiServer: unknown field; did you mean karmadaAPIServer?',
          'error: spec.components.karmadaScheduler.replicas: must be an integer, not a string',
          '',
        ].join('\n'),
      });
      const invalid = await render('metadata: {name: a}\nspec: {crdTarball: {}, version: "1.17"}');
      expect(invalid.errors.match(/^error: spec\.\S+: /gm)).toEqual([
        'error: spec.version: ',
        'error: spec.crdTarball.httpSource: ',
      ]);
    });

    it('renders into the namespace of -n, and rejects a file with another one', async () => {
      const { output } = await render('metadata: {name: a}', '-n', 'team', '--no-crds');
      const objects = loadAll(output) as KubernetesObject[];
      const namespaces = objects.flatMap(({ metadata }) => metadata.namespace ?? []);
      expect(new Set(namespaces)).toContain('team');
      expect(namespaces).not.toContain('default');
      const other = await render('metadata: {name: a, namespace: b}', '-n', 'team');
      expect(other.errors).toMatch(/metadata\.namespace is "b", but --namespace is "team"; omit/);
    });

    it('reads the standard input, and names files that it cannot read or parse', async () => {
      const input = (): Promise<string> => Promise.resolve(`${HEAD}metadata: {name: piped}`);
      const piped = await runner()(['render', '-f', '-', '--no-crds'], { input });
      expect(piped).toMatchObject({ code: 0, errors: '' });
      expect(piped.output).toContain('name: piped-karmada-apiserver');
      expect((await run('render', '-f', '/no/file')).errors).toBe(
        'error: the path "/no/file" does not exist\n',
      );
      expect((await render('metadata: {')).errors).toMatch(
        /^error: \S+karmada\.yaml:\d+:\d+: [^\n]+\n$/,
      );
      const none = await runner()(['render', '-f', '-'], { input: () => Promise.resolve('a: 1') });
      expect(none.errors).toMatch(/^error: -: must contain exactly one object of /);
    });

    it('omits the CRDs with --no-crds, and needs no archive then', async () => {
      const source = '{httpSource: {url: "https://example.com/crds.tar.gz"}}';
      const karmada = `metadata: {name: a}\nspec: {crdTarball: ${source}}`;
      expect((await render(karmada)).errors).toContain('provide the archive with --crds FILE');
      const { code, output } = await render(karmada, '--no-crds');
      expect(code).toBe(0);
      expect(output).toContain('kind: APIService');
      expect(output).not.toContain('kind: CustomResourceDefinition');
    });
  });

  describe('plan', () => {
    const scale = JSON.stringify({ spec: { components: { karmadaScheduler: { replicas: 2 } } } });

    it('prints the changes as JSON, and ends with 2 only if it is asked to', async () => {
      const args = ['plan', 'demo', '--patch', scale, '-o', 'json'];
      const silent = await run(...args);
      expect(silent).toMatchObject({ code: 0, errors: '' });
      const view = JSON.parse(silent.output) as PlanView;
      expect(view).toMatchObject({ namespace: 'default', name: 'demo', changed: true });
      expect(view.steps.flatMap(({ changes }) => changes)).toContainEqual({
        action: 'create',
        cluster: 'host',
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'default',
        name: 'demo-karmada-scheduler',
      });
      expect(await run(...args, '--exit-code')).toEqual({ ...silent, code: 2 });
    });

    it('ends with 1 and the field for a file that the API server rejects', async () => {
      const file = await fileOf(
        'metadata: {name: other}\nspec: {components: {karmadaApiServer: {}, karmadaSched: {}}}',
      );
      expect(await run('plan', '-f', file, '--exit-code')).toEqual({
        code: 1,
        output: '',
        errors: [
          'Error from server (BadRequest): unknown field "spec.components.karmadaApiServer"; did you mean karmadaAPIServer?',
          'Error from server (BadRequest): unknown field "spec.components.karmadaSched"',
          '',
        ].join('\n'),
      });
    });

    it('puts a file without a namespace into the one of -n', async () => {
      const file = await fileOf('metadata: {name: other}');
      const { output } = await run('plan', '-f', file, '-n', 'kube-public', '-o', 'json');
      expect(JSON.parse(output)).toMatchObject({ namespace: 'kube-public', name: 'other' });
    });
  });

  describe('status --wait', () => {
    it('ends with 2 and the cause if the operator waits for the user', async () => {
      const { code, output, errors } = await run('status', 'demo', '--wait', '--timeout', '1m');
      expect({ code, errors }).toEqual({
        code: 2,
        errors: expect.stringMatching(/^error: Karmada default\/demo: CrdArchiveMissing: .*\n$/),
      });
      expect(output).toContain('Karmada default/demo: not Ready');
    });

    it.each([
      [['status', 'absent', '--wait'], 'Error from server (NotFound)'],
      [['status', '-n', 'kube-public', '--wait'], 'error: no Karmadas found to wait for'],
      [['status', '--wait', '--watch'], 'error: --wait cannot be used together with --watch'],
      [['status', '--timeout', '1m'], 'error: --timeout needs --wait'],
      [['status', '--wait', '--timeout', 'soon'], 'must be a duration such as 15s or 1m30s'],
    ])('%j ends with 1', async (args, message) => {
      const { code, errors } = await run(...args);
      expect(code).toBe(1);
      expect(errors).toContain(message);
    });
  });

  it('version prints all versions as JSON', async () => {
    expect(JSON.parse((await run('version', '-o', 'json')).output)).toEqual({
      plugin: '0.0.0-test',
      operators: [],
      kubernetes: expect.stringMatching(/^v1\.\d+\./),
      notes: [],
    });
    expect(JSON.parse((await run('version', '--client', '-o', 'json')).output)).toEqual({
      plugin: '0.0.0-test',
      notes: [],
    });
  });
}
