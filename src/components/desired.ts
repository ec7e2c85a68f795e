/** Renders all objects of a control plane in the host cluster except Secrets. */
import { factsByName } from '../api/component-catalog.ts';
import type { DefaultedSettings } from '../api/defaults/defaults.ts';
import type { Components } from '../api/karmada.ts';
import { podFieldsOf } from '../api/defaults/pod-settings.ts';
import type { PodFields } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Component, RenderInput } from './component.ts';
import { disruptionBudget } from './disruption-budget.ts';
import { networkPolicies } from './network/policies.ts';
import { overlayService, overlayWorkload } from './overlay.ts';
import { overlayPodFields } from './pod-fields.ts';
import { installedComponents } from './registry.ts';
import type { Templates } from './render.ts';
import { withProxyVariables } from './proxy-variables.ts';
import { isRevision } from './template-revision.ts';
import { commonValues, dnsDomain } from './values.ts';
import { isWorkload } from './workload.ts';

/** Key of each component in `spec.components`. */
const KEY = factsByName('key');

/**
 * Renders the NetworkPolicies, Services, workloads and PodDisruptionBudgets of a control plane. Components are in
 * upgrade order, objects in template order. Equal input gives equal output. The objects contain no
 * empty maps and no nulls, because the API server does not store them and a comparison would differ.
 */
export function renderHost(templates: Templates, input: RenderInput): readonly KubernetesObject[] {
  return installedComponents(input.spec).flatMap((component) =>
    renderComponent(templates, component, input),
  );
}

/** Renders the objects of one component. Returns an empty list if the spec does not enable it. */
export function renderComponent(
  templates: Templates,
  component: Component,
  input: RenderInput,
): readonly KubernetesObject[] {
  const settings = component.settings(input.spec);
  if (!settings) return [];
  const values = { ...commonValues(component, settings, input), ...component.values(input) };
  const clusters = component.perCluster?.(input) ?? [{}];
  const rendered = clusters
    .flatMap((own) =>
      templates(`${component.name}/${component.name}.yaml.hbs`, { ...values, ...own }),
    )
    .flatMap((object) => overlay(object, component, settings, input));
  return [...networkPolicies(component.name, input), ...rendered];
}

function podFields(
  input: RenderInput,
  key: keyof Components,
  settings: DefaultedSettings,
): PodFields {
  const fields = podFieldsOf(input.spec.podSettings, key, settings);
  return isRevision(input, 1) ? withProxyVariables(fields, key, dnsDomain(input.spec)) : fields;
}

function overlay(
  object: KubernetesObject,
  component: Component,
  settings: DefaultedSettings,
  input: RenderInput,
): readonly KubernetesObject[] {
  if (object.kind === 'Service') {
    return [overlayService(object, component.serviceFields?.(input) ?? {})];
  }
  if (!isWorkload(object)) return [object];
  const key = KEY[component.name];
  const fields = podFields(input, key, settings);
  const workload = overlayWorkload(overlayPodFields(object, fields), {
    component: key,
    settings: { ...settings, ...fields },
    fields: component.userFields(input),
    certificatesHash: input.certificatesHash[component.name],
  });
  const config = settings.podDisruptionBudgetConfig;
  return config ? [workload, disruptionBudget(workload, config)] : [workload];
}
