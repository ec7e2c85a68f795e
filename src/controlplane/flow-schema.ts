/** Renders the FlowSchema of the components in the Karmada API. */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import { allowsIdentities, COMPONENTS_GROUP } from '../api/identities.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { apiVersionOf, resources, type ResourceType } from '../kubernetes/objects/resources.ts';
import { ownLabels, type ControlPlaneInput } from './input.ts';

/** Without colons: the API server accepts them in names of roles only. */
const NAME = 'karmada-components';

const hasFlowSchemas = ({ components }: DefaultedSpec): boolean =>
  allowsIdentities(components.karmadaAPIServer.imageTag);

/** Kinds in the Karmada API that the operator manages only in some control planes. */
export const furtherKinds = (spec: DefaultedSpec): readonly ResourceType[] =>
  hasFlowSchemas(spec) ? [resources.FlowSchema] : [];

/**
 * Renders the FlowSchema with which the requests of components are exempt from flow control, as those of `system:masters` are. Other
 * users share 8 % of the requests in flight (FlowSchema `global-default`), so a busy user would delay the components. A level of their
 * own could deadlock: a request to an aggregated API server holds its place until this server has reviewed the access of its user,
 * which needs another one.
 */
export function flowSchemas(input: ControlPlaneInput): readonly KubernetesObject[] {
  if (!hasFlowSchemas(input.spec)) return [];
  const all = ['*'];
  return [
    {
      apiVersion: apiVersionOf(resources.FlowSchema),
      kind: 'FlowSchema',
      metadata: { name: NAME, labels: ownLabels(input, 'karmada') },
      spec: {
        // Before those of Kubernetes for controllers, which begin with 100. The lowest number applies.
        matchingPrecedence: 50,
        priorityLevelConfiguration: { name: 'exempt' },
        rules: [
          {
            subjects: [{ kind: 'Group', group: { name: COMPONENTS_GROUP } }],
            resourceRules: [
              { verbs: all, apiGroups: all, resources: all, namespaces: all, clusterScope: true },
            ],
            nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
          },
        ],
      },
    },
  ];
}
