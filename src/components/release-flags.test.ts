/** Compares rendered commands with the flags and feature gates of each Karmada release. */
import { describe, expect, it } from '@jest/globals';
import type { KarmadaProgram } from '../api/releases/release-table.ts';
import { RELEASES } from '../api/releases/releases.ts';
import { TEMPLATES } from './__fixtures__/golden.ts';
import { ADDONS, ESTIMATORS, inputOf } from './__fixtures__/inputs.ts';
import type { RenderInput } from './component.ts';
import { renderComponent } from './desired.ts';
import { flagName } from './flags.ts';
import { COMPONENTS } from './registry.ts';
import { isWorkload } from './workload.ts';

/** All add-ons, and settings that become flags. */
const inputFor = (version: string): RenderInput => ({
  ...inputOf({
    version,
    featureGates: { Failover: true },
    components: {
      ...ADDONS,
      karmadaControllerManager: { controllers: ['*'] },
    },
  }),
  estimators: ESTIMATORS,
});

describe.each(RELEASES.map(({ release, programs }) => [release, programs] as const))(
  'Karmada %s',
  (release, programs) => {
    const components = COMPONENTS.filter(({ name }) => name in programs);

    it('has a table for each of its components', () => {
      expect(components.map(({ name }) => name).sort()).toEqual(Object.keys(programs).sort());
    });

    it.each(components.map((component) => [component.name, component] as const))(
      'accepts every flag and feature gate of the rendered %s',
      (name, component) => {
        const table = programs[name as KarmadaProgram];
        const workloads = renderComponent(TEMPLATES, component, inputFor(release)).filter(
          isWorkload,
        );
        expect(workloads.length).toBeGreaterThan(0);
        for (const { spec } of workloads) {
          const command = spec.template.spec.containers[0]?.command ?? [];
          const flags = command.slice(1).map((item) => flagName(item) ?? item);
          const known = [...table.flags, ...table.hiddenFlags];
          expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
          // A later release removes hidden flags.
          expect(flags.filter((flag) => table.hiddenFlags.includes(flag))).toEqual([]);
        }
      },
    );
  },
);
