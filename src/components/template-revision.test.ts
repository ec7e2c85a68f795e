/** The workloads of earlier template revisions. A changed hash restarts Pods of unchanged Karmadas with a new operator. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { intentHash } from '../kubernetes/objects/intent.ts';
import { TEMPLATES } from './__fixtures__/golden.ts';
import {
  ESTIMATORS,
  EXTERNAL_ETCD,
  FULL,
  inputOf,
  MINIMAL,
  POD_SETTINGS,
} from './__fixtures__/inputs.ts';
import type { RenderInput } from './component.ts';
import { renderHost } from './desired.ts';
import { FORMER_REVISIONS, NEWEST_REVISION } from './template-revision.ts';
import { isWorkload, type Workload } from './workload.ts';

const INPUTS: Readonly<Record<string, RenderInput>> = {
  minimal: MINIMAL,
  full: FULL,
  'external-etcd': EXTERNAL_ETCD,
  'pod-settings': {
    ...inputOf({ podSettings: POD_SETTINGS, components: { karmadaSearch: {} } }),
    estimators: ESTIMATORS,
  },
};

const hashesOf = (input: RenderInput): Readonly<Record<string, string>> =>
  Object.fromEntries(
    renderHost(TEMPLATES, input)
      .filter(isWorkload)
      .map(withoutTags)
      .map((workload) => [`${workload.kind} ${workload.metadata.name}`, intentHash(workload)]),
  );

/** Default versions change, and are stored in each Karmada. */
function withoutTags(workload: Workload): Workload {
  const { template } = workload.spec;
  const containers = template.spec.containers.map((container) => ({
    ...container,
    image: String(container['image']).replace(/:[^:/]*$/, ''),
  }));
  const spec = { ...template.spec, containers };
  return { ...workload, spec: { ...workload.spec, template: { ...template, spec } } };
}

describe.each(FORMER_REVISIONS)('template revision %i', (revision) => {
  const path = join(import.meta.dirname, '__golden__', `revision-${String(revision)}.json`);

  it('renders the workloads of its golden file', () => {
    const found = Object.fromEntries(
      Object.entries(INPUTS).map(([name, input]) => [name, hashesOf({ ...input, revision })]),
    );
    if (process.env['UPDATE_GOLDENS']) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify(found, undefined, 2)}\n`);
    }
    expect(found).toEqual(JSON.parse(readFileSync(path, 'utf8')));
  });
});

it('is the newest one unless an input has another', () => {
  expect(hashesOf(MINIMAL)).toEqual(hashesOf({ ...MINIMAL, revision: NEWEST_REVISION }));
  expect(hashesOf(MINIMAL)).not.toEqual(hashesOf({ ...MINIMAL, revision: 0 }));
});
