import { KubeConfig } from '@kubernetes/client-node';
import { kubeConfigEndpoint, type Endpoint } from './connection.ts';

/**
 * Endpoint of the current context of a kubeconfig file. This module is separate from `connection.ts`, because the
 * models of the client library need three times the memory of all other code; the operator in a Pod does not load it.
 * @throws Error when the file cannot be read or has no usable current context
 */
export function kubeConfigFileEndpoint(file: string): Endpoint {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return kubeConfigEndpoint(config);
}
