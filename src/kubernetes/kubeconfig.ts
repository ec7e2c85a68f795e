import { KubeConfig } from '@kubernetes/client-node';
import { kubeConfigEndpoint, type Endpoint } from './connection.ts';

/**
 * The API server of the current context of a kubeconfig file. Apart from `connection.ts`, since the library comes with
 * models that take three times the memory of all else; a pod does without it.
 * @throws Error when the file cannot be read or has no usable current context
 */
export function kubeConfigFileEndpoint(file: string): Endpoint {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return kubeConfigEndpoint(config);
}
