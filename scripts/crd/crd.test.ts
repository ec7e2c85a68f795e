import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { backupCrds } from './backups.ts';
import { karmadaCrd } from './karmada.ts';
import { crdFile, remedyFor, renderCrd } from './render.ts';
import type { OpenApiNode } from './structural.ts';
import { AMOUNT, QUANTITY_PATTERN } from './kubernetes/patterns.ts';
import { structural } from './structural.ts';
import type { Schema } from './schema.ts';

const root = karmadaCrd.spec.versions[0].schema.openAPIV3Schema;

/** Schemas of all kinds. */
const ROOTS: Readonly<Record<string, Schema>> = Object.fromEntries(
  [karmadaCrd, ...Object.values(backupCrds)].map(({ spec: { names, versions } }) => [
    names.kind,
    versions[0].schema.openAPIV3Schema,
  ]),
);

/** An object in etcd can have 1.5 MB with its managed fields; fields added later, to eleven components at once, need room. */
const SIZE_LIMIT = 600_000;

/** All nodes of a schema with their paths. */
function nodes(schema: Schema, path = ''): readonly (readonly [string, Schema])[] {
  const children = [
    ...Object.entries(schema.properties ?? {}).map(([key, child]) => [`.${key}`, child] as const),
    ...(schema.items ? [['[]', schema.items] as const] : []),
    ...(schema.additionalProperties ? [['{}', schema.additionalProperties] as const] : []),
  ];
  return [[path, schema], ...children.flatMap(([key, child]) => nodes(child, path + key))];
}

describe('Karmada CRD', () => {
  it('equals the generated file in crds/', () => {
    expect(remedyFor(readFileSync(crdFile, 'utf8'))).toBeUndefined();
    expect(remedyFor('')).toContain('node scripts/run.mjs scripts/crd.ts');
    expect(load(renderCrd().yaml)).toEqual(karmadaCrd);
  });

  it('passes scripts/crd.ts --check without output when the file is up to date', () => {
    const script = fileURLToPath(new URL('../crd.ts', import.meta.url));
    const run = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([run.status, run.stdout, run.stderr]).toEqual([0, '', '']);
  });

  it('has at most 600 kB as compact JSON', () => {
    expect(renderCrd().jsonBytes).toBeLessThanOrEqual(SIZE_LIMIT);
  });

  it('has a type for every node', () => {
    const untyped = nodes(root).filter(([, s]) => !s.type && !s['x-kubernetes-int-or-string']);
    expect(untyped.map(([path]) => path)).toEqual([]);
  });

  it('has complete schemas for embedded Kubernetes types', () => {
    const all = new Map(nodes(root));
    const server = '.spec.components.karmadaAPIServer';
    expect(all.get(`${server}.sidecarContainers[].ports`)).toMatchObject({
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      items: { properties: { protocol: { default: 'TCP' } } },
    });
    expect(all.get(`${server}.sidecarContainers[].livenessProbe.httpGet.port`)).toEqual({
      description: expect.any(String),
      'x-kubernetes-int-or-string': true,
      minimum: 1,
      maximum: 65_535,
      maxLength: 15,
      pattern: expect.stringContaining('[a-z]'),
    });
    expect(all.get(`${server}.resources.limits{}`)?.pattern).toBe(AMOUNT.pattern);
    const leaf = `${server}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector.matchExpressions[].values`;
    expect(all.get(leaf)?.items).toEqual({ type: 'string' });
    // Items of a list that must be empty have no fields.
    const canHaveItems = (path: string): boolean => all.get(path.slice(0, -2))?.maxItems !== 0;
    const open = [...all].filter(
      ([path, s]) =>
        s.type === 'object' && !s.properties && !s.additionalProperties && canHaveItems(path),
    );
    expect(open.map(([path]) => path)).toEqual([]);
  });

  it.each([
    ['500m', true],
    ['2Gi', true],
    ['1e3', true],
    ['.5', true],
    ['5.', true],
    ['+1.5E-3', true],
    ['1 Gi', false],
    ['', false],
    ['1GB', false],
  ])('matches quantity %j: %s', (text, accepted) => {
    expect(new RegExp(QUANTITY_PATTERN).test(text)).toBe(accepted);
  });
});

describe.each(Object.entries(ROOTS))('descriptions of %s', (_kind, schema) => {
  /** The API server allows no description of the metadata of the object itself. */
  const fields = nodes(schema).filter(
    ([path]) => /\.[^.[\]{}]+$/.test(path) && path !== '.metadata',
  );

  it('exist for every field, also of Kubernetes types', () => {
    expect(fields.length).toBeGreaterThan(10);
    const silent = fields.filter(([, { description }]) => !description);
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('are sentences of at most 400 characters', () => {
    const poor = fields.filter(([, { description = '' }]) => !/^\S.{6,398}\.$/.test(description));
    expect(poor.map(([path, { description }]) => [path, description])).toEqual([]);
  });
});

describe('structural', () => {
  const types: Record<string, OpenApiNode> = {
    'a.v1.List': {
      description: 'gone',
      type: 'object',
      required: ['ports'],
      properties: {
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['number', 'protocol'],
          'x-kubernetes-patch-merge-key': 'number',
          items: { default: {}, allOf: [{ $ref: '#/components/schemas/a.v1.Port' }] },
        },
        size: { $ref: '#/components/schemas/a.Quantity' },
        byName: { type: 'object', additionalProperties: { type: 'string', default: '' } },
      },
    },
    'a.v1.Port': {
      type: 'object',
      required: ['number'],
      properties: {
        number: { type: 'integer', format: 'int32', default: 0 },
        protocol: { type: 'string', enum: ['TCP', 'UDP'], default: 'TCP' },
      },
    },
  };

  it('keeps types, required fields and list map keys, and drops descriptions, enums and other defaults', () => {
    expect(structural(types, 'a.v1.List')).toEqual({
      typeName: 'List',
      type: 'object',
      required: ['ports'],
      properties: {
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['number', 'protocol'],
          items: {
            typeName: 'Port',
            type: 'object',
            required: ['number'],
            properties: {
              number: { type: 'integer', format: 'int32' },
              protocol: { type: 'string', default: 'TCP' },
            },
          },
        },
        size: { typeName: 'Quantity', 'x-kubernetes-int-or-string': true },
        byName: { type: 'object', additionalProperties: { type: 'string' } },
      },
    });
  });

  it('throws with the name of a type that the document lacks', () => {
    expect(() => structural({}, 'a.v1.Gone')).toThrow('has no type a.v1.Gone');
  });
});
