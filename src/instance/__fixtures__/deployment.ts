import type { Step } from '../../components/component.ts';
import { desiredObject, type DesiredObject } from '../desired-objects.ts';

/** A desired Deployment of the host cluster with two replicas, named `demo-<step>`. */
export const deploymentOf = (step: Step): DesiredObject =>
  desiredObject('host', step, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `demo-${step}` },
    spec: {
      replicas: 2,
      selector: { matchLabels: {} },
      template: { metadata: { labels: {} }, spec: { containers: [{ name: step }] } },
    },
  });
