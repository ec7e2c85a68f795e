/** Bundles the kubectl plugin into one JavaScript file for the Node.js versions that package.json supports. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { RELEASES } from '../../src/api/releases/releases.ts';
import { fieldSchemas } from '../../src/cli/fields/field-schema.ts';
import { kindSchemas } from '../crd/kinds.ts';
import { bundledPackages, templateFiles, type BundledPackage } from '../image/bundle.ts';
import { crdArchive } from '../image/karmada-module.ts';

/** Name of the program file: kubectl finds it as `kubectl karmada-operator`. */
export const PLUGIN_FILE = 'kubectl-karmada_operator';

/** Name of the file that kubectl calls to complete the arguments of the plugin. */
export const COMPLETION_FILE = `kubectl_complete-karmada_operator`;

/** Content of the completion file. */
export const COMPLETION_SCRIPT = `#!/bin/sh\nexec ${PLUGIN_FILE} __complete "$@"\n`;

/** Version of the plugin, and the oldest Node.js that runs it, as in package.json. */
export interface PluginIdentity {
  readonly version: string;
  readonly engines: { readonly node: string };
}

export interface PluginBundle {
  /** The program, with the line that starts it with Node.js. */
  readonly program: string;
  /** The bundled packages. */
  readonly packages: readonly BundledPackage[];
}

/** Returns the first lines of the program. They run on every Node.js, and end the program on one that is too old. */
export function startLines({ node }: PluginIdentity['engines']): string {
  const [, major = '', minor = '', patch = ''] = /^>=(\d+)\.(\d+)\.(\d+)$/.exec(node) ?? [];
  if (patch === '') throw new Error(`engines.node ${node}: expected a version such as >=22.19.0`);
  return `#!/usr/bin/env node
"use strict";(function(v){if(+v[0]<${major}||+v[0]==${major}&&+v[1]<${minor}){process.stderr.write("error: the plugin needs Node.js ${major}.${minor} or newer, and this is "+process.version+"\\n");process.exit(1)}})(process.versions.node.split("."));`;
}

/**
 * Bundles the plugin. Templates, CRD archives and the fields of the kinds are part of the program, so it needs no other
 * file.
 * @param root top directory of the checkout
 */
export async function bundlePlugin(
  root: string,
  { version, engines }: PluginIdentity,
): Promise<PluginBundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/plugin.ts'],
    outfile: PLUGIN_FILE,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node22',
    // A single-executable application starts CommonJS by default, as Node.js does for a file without an extension.
    format: 'cjs',
    minify: true,
    keepNames: true,
    metafile: true,
    legalComments: 'none',
    // import.meta is empty in CommonJS. No module of the plugin reads files next to it.
    logOverride: { 'empty-import-meta': 'silent' },
    logLevel: 'warning',
    banner: { js: startLines(engines) },
    define: {
      OPERATOR_VERSION: JSON.stringify(version),
      PLUGIN_ASSETS: JSON.stringify(await assets(root)),
    },
  });
  return {
    program: outputFiles[0]?.text ?? '',
    packages: await bundledPackages(root, metafile),
  };
}

async function assets(root: string): Promise<object> {
  const components = join(root, 'src/components');
  const templates = (await templateFiles(root)).map(
    async (path) => [path, await readFile(join(components, path), 'utf8')] as const,
  );
  const archives = RELEASES.map(
    async ({ release }) =>
      [release, (await readFile(await crdArchive(release))).toString('base64')] as const,
  );
  return {
    templates: Object.fromEntries(await Promise.all(templates)),
    archives: Object.fromEntries(await Promise.all(archives)),
    fieldSchemas: fieldSchemas(kindSchemas),
  };
}
