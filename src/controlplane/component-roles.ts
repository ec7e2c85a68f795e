/** Which components have roles in the Karmada API. */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import { COMPONENT_SUFFIX } from '../api/naming.ts';
import type { Component } from '../components/component.ts';
import { COMPONENTS, installedComponents } from '../components/registry.ts';
import { IDENTITIES, type Identity } from './rbac-rules.ts';

/** Name of the roles and bindings of a component. It is independent of the user, because the roles of Kubernetes have the names of its users. */
export const roleName = (suffix: string): string => `system:karmada:${suffix}`;

/**
 * Returns the identities of the components that a spec installs. A role without a component is a permission that nothing uses, and costs a
 * request of each installation.
 */
export function installedIdentities(spec: DefaultedSpec): readonly Identity[] {
  const installed: ReadonlySet<string> = new Set(
    installedComponents(spec).map(({ name }) => COMPONENT_SUFFIX[name]),
  );
  return IDENTITIES.filter(({ suffix }) => installed.has(suffix));
}

/** Returns the component of a role or binding. @param name of the role @returns undefined for a role of no component */
export const componentOfRole = (name: string): Component | undefined =>
  COMPONENTS.find((component) => roleName(COMPONENT_SUFFIX[component.name]) === name);
