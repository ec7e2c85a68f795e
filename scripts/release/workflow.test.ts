import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { imageRepository } from '../image/operator.ts';
import { splitRepository } from './artifacts.ts';
import { CHECKSUMS } from './build.ts';

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly steps: readonly Step[];
  readonly needs?: unknown;
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
