import {
  AdminKubeconfigError,
  readAdminKubeconfig,
  type Access,
} from '../../control-plane-access/admin-kubeconfig.ts';
import { CommandError } from '../program/environment.ts';

/**
 * Returns cluster, user and namespace of the current context of an administrator kubeconfig.
 * @param source name of the Secret, for errors
 * @throws CommandError for a field that the operator does not write, or with another value; the message names the field
 */
export function adminAccess(text: string, source: string): Access {
  try {
    return readAdminKubeconfig(text);
  } catch (error) {
    if (error instanceof AdminKubeconfigError)
      throw new CommandError(`${source}: ${error.message}`);
    throw error;
  }
}
