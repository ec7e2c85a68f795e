/** Makes karmada-webhook send a request of its own. Without such an object it sends none. */
import type { ControlPlane } from '../control-plane.ts';

const NAME = 'ask-webhook';

const customization = {
  apiVersion: 'config.karmada.io/v1alpha1',
  kind: 'ResourceInterpreterCustomization',
  metadata: { name: NAME },
  spec: {
    target: { apiVersion: 'example.io/v1', kind: 'Example' },
    customizations: {
      retention: {
        luaScript: 'function Retain(desiredObj, observedObj) return desiredObj end',
      },
    },
  },
};

/** Stores and deletes a customization: karmada-webhook compares each one with all others. */
export async function askWebhook(plane: Pick<ControlPlane, 'kubectl'>): Promise<void> {
  await plane.kubectl(['apply', '-f', '-'], JSON.stringify(customization));
  await plane.kubectl(['delete', 'resourceinterpretercustomization', NAME]);
}
