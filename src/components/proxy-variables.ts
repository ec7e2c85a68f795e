/**
 * Proxy variables of `spec.podSettings`. A component reaches the Services of its control plane without a proxy, and etcd gets
 * no proxy variable, because its members connect only to each other. Pure functions.
 */
import type { V1EnvVar } from '@kubernetes/client-node';
import type { Components } from '../api/karmada.ts';
import type { PodFields } from '../api/settings.ts';

const PROXY = /^(https?|all)_proxy$/i;
const EXCEPTION = /^no_proxy$/i;

/**
 * Returns the fields of a component with the names of Services in `NO_PROXY`, and those of etcd without proxy variables.
 * The exceptions of the user stay. A value from another object is not changed, because it is unknown.
 * @param domain DNS domain of the host cluster
 */
export function withProxyVariables(
  fields: PodFields,
  component: keyof Components,
  domain: string,
): PodFields {
  const { env = [] } = fields;
  if (!env.some(({ name }) => PROXY.test(name) || EXCEPTION.test(name))) return fields;
  if (component === 'etcd')
    return { ...fields, env: env.filter(({ name }) => !PROXY.test(name) && !EXCEPTION.test(name)) };
  const names = ['localhost', '127.0.0.1', '::1', '.svc', `.svc.${domain}`];
  const given = env.some(({ name }) => EXCEPTION.test(name));
  const extended = env.map((one) => (EXCEPTION.test(one.name) ? withNames(one, names) : one));
  return {
    ...fields,
    env: given ? extended : [...env, { name: 'NO_PROXY', value: names.join() }],
  };
}

function withNames(variable: V1EnvVar, names: readonly string[]): V1EnvVar {
  if (variable.valueFrom) return variable;
  const given = (variable.value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (given.includes('*')) return variable;
  const lacking = names.filter((name) => !given.includes(name));
  return lacking.length === 0 ? variable : { ...variable, value: [...given, ...lacking].join() };
}
