/** Dry runs, and what their errors say about the host cluster. */
import { COMPONENT } from '../../api/labels.ts';
import { ApiError, errorText, isStatus } from '../../kubernetes/client/errors.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Found } from './result.ts';
import { refusalOf } from './trial-pods.ts';

export type Problem = Found['problems'][number];

/**
 * Checks one item after the other. An error skips only its item, so that other findings are still reported. An error that is no
 * answer of the API server ends the check, because the other items would meet it too.
 */
export async function checkEach<T>(
  items: readonly T[],
  check: (item: T) => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const item of items) {
    try {
      problems.push(...(await check(item)));
    } catch (error) {
      const message = errorText(error);
      if (!problems.some((one) => one.message === message))
        problems.push({ outcome: 'skipped', message });
      if (!(error instanceof ApiError)) break;
    }
  }
  return problems;
}

/** Runs a dry run. @throws errors other than a rejection by the API server */
export async function refused(
  object: KubernetesObject,
  dryRun: () => Promise<unknown>,
): Promise<readonly Problem[]> {
  try {
    await dryRun();
    return [];
  } catch (error) {
    if (isStatus(error, 404))
      throw new Error(
        `Namespace ${object.metadata.namespace ?? ''} does not exist in the host cluster, so the API server cannot be asked`,
        { cause: error },
      );
    if (!(error instanceof ApiError) || !isRefusal(error)) throw error;
    if (error.code === 409) return [];
    const text = errorText(error);
    const component = object.metadata.labels?.[COMPONENT];
    const what = object.kind === 'Pod' ? 'Pod' : 'object';
    const { reason, remedy } = refusalOf(text, what, component);
    const message = `${nameOf(object)}: ${text}; ${remedy}`;
    return [{ outcome: 'failed', ...(reason !== undefined && { reason }), message }];
  }
}

/** Whether the operator would get the same answer. It says nothing about the operator if the user of this command lacks a permission. */
function isRefusal({ code, message }: ApiError): boolean {
  if (/cannot create resource|does not support dry run/.test(message)) return false;
  // The API server answers with an internal error if it cannot reach a webhook, or if a priority class needs a quota.
  const isInternal = /failed calling webhook|insufficient quota to match these scopes/;
  return [400, 403, 409, 422].includes(code) || isInternal.test(message);
}
