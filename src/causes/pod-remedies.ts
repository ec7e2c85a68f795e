/** What to change when the host cluster refuses Pods of a component: names the fields. Pure functions. */
import { CATALOG } from '../api/component-catalog.ts';

/**
 * Path of the settings of a component, such as `spec.components.etcd.local`.
 * @param name value of the label `app.kubernetes.io/name` of its Pods
 */
export function settingsField(name: string | undefined): string {
  if (name === 'etcd') return 'spec.components.etcd.local';
  const key = CATALOG.find((facts) => facts.name === name)?.key;
  return `spec.components.${key ?? '*'}`;
}

/** Remedies for each kind of refusal. */
export type PodRemedies = Readonly<
  Record<'quota' | 'noResources' | 'limits' | 'classQuota' | 'noClass' | 'constraints', string>
>;

/** @param field path of the settings of the component */
export function podRemedies(field: string): PodRemedies {
  const setting = (name: string): string =>
    `${field}.${name}, or ${name} in spec.podSettings for several components`;
  const otherClass = `set another class in ${setting('priorityClassName')}`;
  return {
    quota: `raise the ResourceQuota of the namespace, or lower ${setting('resources')}`,
    noResources: `set ${setting('resources')}; or create a LimitRange with defaults`,
    limits: `change ${setting('resources')}; or change the LimitRange`,
    classQuota: `${otherClass}; or create a ResourceQuota in the namespace whose scopeSelector has their class`,
    noClass: `create the PriorityClass, or ${otherClass}`,
    constraints:
      'set securityContext.runAsUser and podSecurityContext.fsGroup in spec.podSettings to numbers of the range of the namespace, or allow the user 65532 in the SecurityContextConstraints',
  };
}
