import { expect, it } from '@jest/globals';
import { RELEASES } from '../api/releases/releases.ts';
import { inputOf } from '../components/__fixtures__/inputs.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

interface Entry {
  readonly clientConfig: { readonly url: string };
  readonly rules: readonly {
    readonly operations: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
  }[];
}

const rendered = webhookConfigurations({ ...inputOf({}), caBundle: 'PEM\n' })
  .flatMap((configuration) => configuration['webhooks'] as readonly Entry[])
  .flatMap(({ clientConfig, rules }) =>
    rules.map(({ operations, apiGroups, resources }) => ({
      path: new URL(clientConfig.url).pathname,
      operations,
      resources: apiGroups.flatMap((group) => resources.map((name) => `${name}.${group}`)),
    })),
  );

it.each(RELEASES.map(({ release, webhooks }) => [release, webhooks] as const))(
  'webhookConfigurations has the webhooks of Karmada %s',
  (_, webhooks) => {
    // The Go operator omits this webhook, which other installation methods of Karmada have.
    const compared = rendered.filter(({ path }) => path !== '/validate-clustertaintpolicy');
    expect(compared.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(webhooks);
  },
);
