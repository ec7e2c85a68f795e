import { isNotFound, isStatus } from './errors.ts';

/**
 * Awaits a write that has a precondition, such as a UID, a resourceVersion, or that the object does not exist.
 * @returns whether the object was written; false if it exists already, was deleted, or has changed (404, 409)
 * @throws ApiError, NetworkError for any other failure
 */
export async function isWritten(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (isNotFound(error) || isStatus(error, 409)) return false;
    throw error;
  }
}
