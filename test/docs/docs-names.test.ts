/** Names in documents that the code defines: npm scripts, commands and flags, chart values, fields, annotations, reasons. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { load, loadAll } from 'js-yaml';
import { DOCUMENTED_KEYS } from '../../scripts/docs/annotation-keys.ts';
import { documentedProgram } from '../../scripts/docs/cli-page.ts';
import { CONDITION_REASONS, CONDITION_TYPES } from '../../src/api/reasons/condition-reasons.ts';
import { CHECK_NAMES } from '../../src/cli/check/result.ts';
import { exitCodesOf } from '../../src/cli/program/command-texts.ts';
import { operatorCommand } from '../../src/options/options.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { documentedStore } from '../harness/documented-store.ts';
import { fencedCommands } from './markdown-commands.ts';

const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

/** Pages for users and contributors. Records of decisions and of test runs describe the time when they were written. */
const files = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'],
  {
    cwd: checkout,
    encoding: 'utf8',
  },
)
  .split('\0')
  .filter((file) => file !== '' && !/^docs\/adr|^CHANGELOG/.test(file));

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Fenced blocks, without the indentation of a list. */
function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\S*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', block = '']) => ({
      language,
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** Command lines: of `sh` and `text` blocks, and inline code. */
function commandsOf(text: string): string[] {
  const blocks = blocksOf(text).map(
    ({ language, text: block }) => `\`\`\`${language}\n${block}\`\`\`\n`,
  );
  const fenced = ['sh', 'text'].flatMap((language) => fencedCommands(blocks.join(''), language));
  return [...fenced.map((line) => line.replaceAll('\\\n', ' ')), ...inlineCode(text)];
}

function inlineCode(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
}

/** What a pattern finds in all pages, each with the name of the page. */
function found(pattern: RegExp, textOf: (file: string) => readonly string[]): [string, string][] {
  return files.flatMap((file) =>
    textOf(file).flatMap((text) =>
      [...text.matchAll(pattern)].map(([, name = '']): [string, string] => [file, name]),
    ),
  );
}

const commands = (file: string): readonly string[] => commandsOf(read(file));
const shown = (list: readonly (readonly [string, string])[]): string[] => [
  ...new Set(list.map(([file, name]) => `${file}: ${name}`)),
];

describe('code blocks', () => {
  it('have a language that says whether a test runs them', () => {
    const known = ['sh', 'text', 'yaml'];
    const all = files.flatMap((file) =>
      blocksOf(read(file)).map(({ language }): [string, string] => [file, language]),
    );
    expect(all.length).toBeGreaterThan(100);
    expect(shown(all.filter(([, language]) => !known.includes(language)))).toEqual([]);
  });

  it('are sh only where a test runs them: e2e/readme and e2e/backup-s3', () => {
    const sh = files.filter((file) =>
      blocksOf(read(file)).some(({ language }) => language === 'sh'),
    );
    expect(sh.sort()).toEqual(['CONTRIBUTING.md', 'README.md', 'docs/operate/recover.md']);
  });
});

describe('stores of backups', () => {
  it('have the Secrets that the commands of the pages create', () => {
    const { spec } = documentedStore();
    const page = read('docs/operate/recover.md');
    const created = [...page.matchAll(/create secret generic ([a-z0-9-]+) --from-file=(\w+)/g)];
    expect(created.map(([, name, key]) => [name, key])).toEqual([
      [spec.encryption.keySecretRef?.name, spec.encryption.keyID],
      [spec.s3?.credentialsSecretRef?.name, 'accessKeyID'],
    ]);
    expect(page).toContain(`patch secret ${spec.encryption.keySecretRef?.name ?? ''} `);
    expect(page).toContain(`patch karmadabackupstore ${documentedStore().metadata.name} `);
    const names = found(/keySecretRef:\s*(?:\{ )?name: ([a-z0-9-]+)/g, (file) => [
      read(file),
      ...(file === 'README.md' ? [read('samples/karmada-backups.yaml')] : []),
    ]);
    expect([...new Set(names.map(([, name]) => name))]).toEqual([
      spec.encryption.keySecretRef?.name,
    ]);
  });
});

describe('npm scripts', () => {
  /** Pages of contributors, who work in a checkout. Users have kubectl and Helm. */
  const ofContributors =
    /^(?:CONTRIBUTING|CHANGELOG)\.md$|^docs\/(?:contribute|adr)\/|^(?:site|test)\//;

  it('are named only by pages of contributors', () => {
    const pages = files.filter((file) => !ofContributors.test(file));
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.filter((file) => /\bnpm\b/.test(read(file)))).toEqual([]);
  });

  it('in documents exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = found(/npm run (?:-s )?([a-z][a-z0-9:-]*)/g, (file) => [read(file)]);
    expect(named.length).toBeGreaterThan(50);
    expect(shown(named.filter(([, name]) => !(name in scripts)))).toEqual([]);
  });
});

const plugin = documentedProgram();

/** What a command line of the plugin has wrong. */
function pluginProblems(line: string): string[] {
  const [own = ''] = line.split(/ -- | [|>] /);
  const [first = '', ...rest] = own.split(' ').filter((word) => word !== '');
  if (first.startsWith('-')) return [];
  const command = plugin.commands.find((one) => one.name() === first);
  if (command === undefined) return [`${line}: no such command`];
  const flags = flagsOf(plugin, command);
  return rest
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.split('=')[0] ?? '')
    .filter((flag) => !flags.has(flag))
    .map((flag) => `${line}: no such flag ${flag}`);
}

function flagsOf(...of: readonly Command[]): Set<string> {
  const options = of.flatMap((command) => command.options);
  return new Set([
    ...options.flatMap(({ short, long }) => [short ?? '', long ?? '']),
    '--help',
    '-h',
  ]);
}

describe('kubectl plugin', () => {
  it('has the commands and flags of documents', () => {
    const lines = found(
      /(?:kubectl karmada-operator|kubectl-karmada_operator|npm run -s cli --) (.+)/g,
      commands,
    );
    expect(lines.length).toBeGreaterThan(30);
    expect(
      lines.flatMap(([file, line]) => pluginProblems(line).map((text) => `${file}: ${text}`)),
    ).toEqual([]);
  });
});

/** Section of a page below a heading of the second level. */
const sectionIn = (file: string, title: string): string =>
  read(file).split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

describe('docs/operate/cli.md', () => {
  it('has the exit codes of the commands that have more than two', () => {
    const rows = sectionIn('docs/operate/cli.md', 'Use the plugin in CI').matchAll(
      /^\| (?:`([a-z]+)[^|]*)?\s*\| (\d) +\|/gm,
    );
    const documented: Record<string, string[]> = {};
    let name = '';
    for (const [, command, code = ''] of rows) {
      name = command ?? name;
      documented[name] = [...(documented[name] ?? []), code].sort();
    }
    const expected = plugin.commands.map((command): [string, string[]] => [
      command.name(),
      exitCodesOf(command).map(([code]) => code),
    ]);
    expect(documented).toEqual(
      Object.fromEntries(expected.filter(([, codes]) => codes.length > 0)),
    );
  });

  it('names the commands that print data for programs', () => {
    const [, list = ''] =
      /`-o json` and `-o yaml` of ([^.]+?)\s+print data for programs/.exec(
        sectionIn('docs/operate/cli.md', 'Use the plugin in CI'),
      ) ?? [];
    const named = [...list.matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
    const expected = plugin.commands
      .filter((command) => command.options.some(({ long }) => long === '--output'))
      .map((command) => command.name());
    expect(named.sort()).toEqual(expected.sort());
  });

  it('describes all checks of the command check, in the order of its output', () => {
    const section = sectionIn('docs/operate/cli.md', 'Check before an installation or a change');
    const names = [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name);
    expect(names).toEqual(CHECK_NAMES);
  });
});

/** Whether a value of the chart exists. Maps and lists that are empty by default may have any content. */
function isValue(path: string): boolean {
  let value: unknown = load(read('charts/karmada-operator/values.yaml'));
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return false;
    if (Object.keys(value).length === 0) return true;
    if (!Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

describe('Helm chart', () => {
  it('has the values that commands of documents set', () => {
    const set = found(/--set(?:-string|-json|-file)? (\S+)/g, commands).flatMap(([file, values]) =>
      values.split(',').map((value): [string, string] => [file, value.split('=')[0] ?? '']),
    );
    expect(set.length).toBeGreaterThan(5);
    expect(shown(set.filter(([, path]) => !isValue(path)))).toEqual([]);
  });

  it('has the values that sentences of documents name', () => {
    const named = found(/\b[Cc]hart values?\s+`([\w.]+)`/g, (file) => [read(file)]);
    expect(named.length).toBeGreaterThan(3);
    expect(shown(named.filter(([, path]) => !isValue(path)))).toEqual([]);
  });

  it('has the values that documents name with their path', () => {
    const values = load(read('charts/karmada-operator/values.yaml')) as Readonly<
      Record<string, unknown>
    >;
    const parents = Object.keys(values).filter((key) => isObject(values[key]));
    const named = found(
      new RegExp(`^((?:${parents.join('|')})(?:\\.[A-Za-z]+)+)(?:=.*)?$`, 'g'),
      (file) => inlineCode(read(file)),
    ).filter(([, path]) => !/^operator\.karmada\.|^crds\.tar/.test(path));
    expect(named.length).toBeGreaterThan(40);
    expect(shown(named.filter(([, path]) => !isValue(path)))).toEqual([]);
  });

  it('has the values of YAML blocks that are values', () => {
    const blocks = files
      .filter((file) => file.startsWith('charts/'))
      .flatMap((file) => yamlOf(file).map((value): [string, unknown] => [file, value]));
    const values = blocks.flatMap(([file, value]) =>
      isObject(value) && !('kind' in value)
        ? Object.keys(value).map((key): [string, string] => [file, key])
        : [],
    );
    expect(shown(values.filter(([, path]) => !isValue(path)))).toEqual([]);
  });
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly unknown[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

interface Crd {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const schemas = new Map(
  globSync('crds/*.yaml', { cwd: checkout }).map((file) => {
    const { spec } = load(read(file)) as Crd;
    return [spec.names.kind, spec.versions[0]?.schema.openAPIV3Schema ?? {}] as const;
  }),
);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Paths of the fields of a value that its schema does not have, or whose value is not in the enumeration. */
function unknownFields(value: unknown, schema: Schema, path: string): string[] {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [];
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${path}: ${String(value)}`];
  if (Array.isArray(value)) {
    return value.flatMap((item) => unknownFields(item, schema.items ?? {}, path));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const of = schema.properties?.[key] ?? schema.additionalProperties;
    return of === undefined ? [`${path}.${key}`] : unknownFields(part, of, `${path}.${key}`);
  });
}

function yamlOf(file: string): unknown[] {
  return blocksOf(read(file))
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ text }) => loadAll(text));
}

describe('objects in documents', () => {
  const objects = files.flatMap((file) =>
    yamlOf(file).flatMap((value): [string, Readonly<Record<string, unknown>>][] =>
      isObject(value) ? [[file, value]] : [],
    ),
  );

  it('of the kinds of the operator have only fields of the CRD', () => {
    // A block without a kind that starts with "spec" is a part of a Karmada.
    const own = objects.flatMap(([file, value]) => {
      const kind = 'kind' in value ? String(value['kind']) : 'spec' in value ? 'Karmada' : '';
      const schema = schemas.get(kind);
      return schema === undefined ? [] : [{ file, kind, value, schema }];
    });
    expect(own.length).toBeGreaterThan(10);
    // The schema of `metadata` is that of Kubernetes.
    const problems = own.flatMap(({ file, kind, value, schema }) =>
      unknownFields({ ...value, metadata: {} }, schema, `${file}: ${kind}`),
    );
    expect(problems).toEqual([]);
  });
});

/** Whether a schema has a path. Items of lists and values of maps need no step of their own. */
function hasPath(schema: Schema, path: readonly string[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  if (schema.items !== undefined) return hasPath(schema.items, path);
  if (schema.additionalProperties !== undefined) return hasPath(schema.additionalProperties, rest);
  const next = schema.properties?.[step];
  return next !== undefined && hasPath(next, rest);
}

/** Fields of Kubernetes objects that documents name. */
const KUBERNETES_FIELDS = new Set(['spec.replicas', 'spec.volumeName']);

describe('fields in documents', () => {
  it('exist in a CRD of the operator', () => {
    const named = found(
      /(?:^|[^\w./])\.?((?:spec|status)(?:\.[a-zA-Z0-9]+(?:\[[^\]]*\])?)+)/g,
      (file) => [
        ...inlineCode(read(file)),
        ...commands(file).filter((line) => /jsonpath|patch/.test(line)),
      ],
    );
    const missing = named.filter(([, name]) => {
      const path = name.replaceAll(/\[[^\]]*\]/g, '');
      const steps = path.split('.');
      return (
        !KUBERNETES_FIELDS.has(path) &&
        ![...schemas.values()].some((schema) => hasPath(schema, steps))
      );
    });
    expect(named.length).toBeGreaterThan(80);
    expect(shown(missing)).toEqual([]);
  });
});

describe('annotations and labels in documents', () => {
  it('are those of docs/reference/annotations.md', () => {
    const known = new Set(DOCUMENTED_KEYS.map(({ key }) => key));
    const named = found(/(?<![\w.])(operator\.karmada\.io\/[a-z0-9-]*[a-z0-9])/g, (file) => [
      read(file),
    ]);
    expect(named.length).toBeGreaterThan(50);
    expect(
      shown(named.filter(([, key]) => !known.has(key) && !/\/v\d+(?:alpha|beta)?\d*$/.test(key))),
    ).toEqual([]);
  });
});

/** Tables of a page whose first column has the title "Reason", as the reasons in that column. */
function reasonsInTables(text: string): string[] {
  return text.split(/\n\n+/).flatMap((part) => {
    const [head = '', , ...rows] = part.trim().split('\n');
    if (!/^\| Reason/.test(head)) return [];
    return rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, reason = '']) => reason),
    );
  });
}

/** Anchor of a heading, as GitHub creates it. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

describe('condition reasons in docs/operate/troubleshoot.md', () => {
  const text = read('docs/operate/troubleshoot.md');

  it('exist', () => {
    const known = new Set<string>(CONDITION_REASONS.map(({ reason }) => reason));
    const named = reasonsInTables(text);
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((reason) => !known.has(reason))).toEqual([]);
  });

  it('are all reasons that require an action', () => {
    const required = CONDITION_REASONS.filter(
      ({ action }) => !/^(?:No action|None|Wait\.$)/.test(action),
    );
    expect(required.length).toBeGreaterThan(100);
    expect(
      required.filter(({ reason }) => !text.includes(`\`${reason}\``)).map(({ reason }) => reason),
    ).toEqual([]);
  });

  it('are in the section that the table of reasons names', () => {
    const sections = new Map(
      text.split(/^(?=#{2,3} )/m).map((part) => [anchorOf(part.split('\n')[0] ?? ''), part]),
    );
    const wrong = CONDITION_REASONS.filter(({ page }) => !sections.has(page.split('#')[1] ?? ''));
    expect(wrong.map(({ reason, page }) => `${reason}: ${page}`)).toEqual([]);
    const named = CONDITION_REASONS.filter(({ reason }) => text.includes(`\`${reason}\``));
    const elsewhere = named.filter(
      ({ reason, page }) =>
        sections.get(page.split('#')[1] ?? '')?.includes(`\`${reason}\``) !== true,
    );
    expect(elsewhere.map(({ reason, page }) => `${reason}: ${page}`)).toEqual([]);
  });
});

/** Types of conditions: those of a Karmada, those in the descriptions of the other kinds, and those of Karmada's Work and Cluster. */
const conditionTypes = new Set([
  ...CONDITION_TYPES.map(({ type }): string => type),
  ...[...schemas.values()].flatMap((schema) => {
    const { description = '' } = schema.properties?.['status']?.properties?.['conditions'] ?? {};
    return [...description.matchAll(/(\w+): /g)].map(([, type = '']) => type);
  }),
  'Applied',
]);

describe('names of conditions in documents', () => {
  it('are reasons of the operator', () => {
    const known = new Set<string>(CONDITION_REASONS.map(({ reason }) => reason));
    const named = found(/\breasons?\s+`([A-Z][A-Za-z]+)`/g, (file) => [read(file)]);
    expect(named.length).toBeGreaterThan(30);
    expect(shown(named.filter(([, reason]) => !known.has(reason)))).toEqual([]);
  });

  it('are types of conditions of the operator', () => {
    const named = found(/\b[Cc]onditions?\s+`([A-Z][A-Za-z]+)`/g, (file) => [read(file)]);
    expect(named.length).toBeGreaterThan(50);
    expect(shown(named.filter(([, type]) => !conditionTypes.has(type)))).toEqual([]);
  });
});

/** Flags of other programs that pages of users name in sentences: Helm, kubectl, etcd and components of Karmada. */
const FOREIGN_FLAGS = new Set([
  ...['--set', '--reset-values', '--take-ownership'],
  ...['--server-side', '--force-conflicts', '--from-literal', '--replicas', '--endpoints', '--ttl'],
  ...['--auto-compaction-mode', '--auto-compaction-retention', '--quota-backend-bytes'],
  ...['--election-timeout', '--heartbeat-interval', '--snapshot-count', '--log-level'],
  ...['--listen-peer-urls', '--initial-cluster-token'],
  ...['--cluster-api-qps', '--cluster-api-burst'],
  ...['--cluster-lease-duration', '--cluster-lease-renew-interval-fraction'],
  '--enable-cert-rotation',
  // The demo, which contributors run.
  '--remote',
]);

describe('flags in sentences of pages of users', () => {
  const ofUsers = files.filter((file) => !/^CONTRIBUTING|^docs\/contribute\//.test(file));

  it('exist in the operator, in the kubectl plugin, or in a known other program', () => {
    const flags = new Set([
      ...flagsOf(operatorCommand(), plugin, ...plugin.commands),
      ...FOREIGN_FLAGS,
    ]);
    const named = found(/^(--[a-z][a-z0-9-]+)/g, (file) =>
      ofUsers.includes(file) ? inlineCode(read(file)) : [],
    );
    expect(named.length).toBeGreaterThan(100);
    expect(shown(named.filter(([, flag]) => !flags.has(flag)))).toEqual([]);
  });

  it('of the operator exist, if the sentence calls them flags', () => {
    const flags = flagsOf(operatorCommand());
    const named = found(/\bflags?\s+`(--[a-z-]+)/g, (file) => [read(file)]);
    expect(named.length).toBeGreaterThan(3);
    expect(shown(named.filter(([, flag]) => !flags.has(flag)))).toEqual([]);
  });
});

describe('files of a release in docs/install.md', () => {
  const rows = [
    ...sectionIn('docs/install.md', 'Install a published release').matchAll(
      /^\| `([^|]+)` +\| `([^|]+)` +\|$/gm,
    ),
  ].map(([, checked = '', released = '']): [string, string] => [checked, released]);

  it('are those that a release contains', () => {
    const source = read('scripts/release/artifacts.ts');
    const manifests = [...source.matchAll(/^  '([a-z-]+\.yaml)': \[(.+)\],$/gm)];
    expect(manifests.length).toBeGreaterThan(3);
    const documented = rows.filter(([, released]) => !released.startsWith('oci:'));
    expect(documented.map(([, released]) => released)).toEqual(manifests.map(([, name]) => name));
    const missing = documented.filter(([folders], at) =>
      folders.split('` and `').some((path) => manifests[at]?.[2]?.includes(`'${path}`) !== true),
    );
    expect(missing).toEqual([]);
  });

  it('have the charts of the checkout', () => {
    const charts = globSync('charts/*', { cwd: checkout }).sort();
    const documented = rows.filter(([, released]) => released.startsWith('oci:'));
    expect(documented.map(([path]) => path)).toEqual(charts);
    expect(documented.every(([path, released]) => released.includes(`/${path} `))).toBe(true);
  });
});

describe('notes of the chart', () => {
  const notes = read('charts/karmada-operator/templates/NOTES.txt');
  const lines = notes.split('\n').filter((line) => line.startsWith('kubectl karmada-operator '));

  it('end with the status of a control plane and the access to it', () => {
    expect(notes.trimEnd().split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^kubectl karmada-operator status /),
      expect.stringMatching(/^kubectl karmada-operator kubeconfig .+ --proxy -- kubectl /),
    ]);
  });

  it('have commands and flags of the plugin', () => {
    const commandLines = lines.map((line) => line.replace('kubectl karmada-operator ', ''));
    expect(commandLines.flatMap(pluginProblems)).toEqual([]);
  });

  it.each(['charts/karmada-operator/templates/NOTES.txt', 'README.md'])(
    'and README.md name all CRDs in the command that deletes them: %s',
    (file) => {
      const [, list = ''] = /kubectl delete crd ((?:.+\\\n)*.+)/.exec(read(file)) ?? [];
      const names = globSync('crds/*.yaml', { cwd: checkout }).map(
        (crd) => (load(read(crd)) as { metadata: { name: string } }).metadata.name,
      );
      expect(list.split(/[\s\\]+/).sort()).toEqual(names.sort());
    },
  );
});

describe('samples', () => {
  it('are all in samples/README.md', () => {
    const samples = globSync(['*.yaml', '*/*.yaml'], { cwd: join(checkout, 'samples') });
    expect(samples.length).toBeGreaterThan(10);
    const text = read('samples/README.md');
    expect(samples.filter((name) => !text.includes(`](${name})`))).toEqual([]);
  });
});

describe('metrics', () => {
  it('in documents are those of docs/reference/metrics.md', () => {
    const known = new Set(read('docs/reference/metrics.md').match(/karmada_operator_\w+/g));
    const named = found(/(karmada_operator_\w+)/g, (file) => [read(file)]);
    const series = named.map(([file, name]): [string, string] => [
      file,
      name.replace(/_(?:bucket|sum|count)$/, ''),
    ]);
    expect(series.length).toBeGreaterThan(50);
    expect(shown(series.filter(([, name]) => !known.has(name)))).toEqual([]);
  });
});

describe('requests of components in docs/operate/sizing.md', () => {
  const templates = globSync('src/components/*/*.yaml.hbs', { cwd: checkout })
    .map((file) => [basename(file, '.yaml.hbs'), read(file)] as const)
    .filter(([, text]) => text.includes('resources:'));

  it.each(templates)('are those of the template of %s', (name, text) => {
    const [, cpu = '', memory = ''] = /requests:\s+cpu: (\S+)\s+memory: (\S+)/.exec(text) ?? [];
    const row = read('docs/operate/sizing.md')
      .split('\n')
      .find((line) => line.startsWith(`| ${name}`));
    const cells = row?.split('|').map((cell) => cell.trim());
    expect(cells?.slice(2, 4)).toEqual([cpu, memory]);
  });
});
