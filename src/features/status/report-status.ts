import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { WriteStatus } from '../../actions/karmada-action.ts';
import { executeActionsOrThrow, type ExecutorsOf } from '../../actions/execute-actions.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { writeStatus, type StatusTools } from './status-writer.ts';

/** Executor of the writes of a status. */
export const statusExecutors = (
  tools: StatusTools,
  instance: InstanceCache,
): ExecutorsOf<WriteStatus> => ({
  writeStatus: async ({ karmada, status }) => ({
    statusDelayMs: await writeStatus(tools, instance, karmada, status),
  }),
});

/**
 * Writes a status, if it has changed, and its transitions as Events.
 * @returns milliseconds until a delayed change may be written; 0 if nothing is left to write
 * @throws ApiError, NetworkError
 */
export async function reportStatus(
  tools: StatusTools,
  instance: InstanceCache,
  karmada: Karmada,
  status: KarmadaStatus,
): Promise<number> {
  const executors = statusExecutors(tools, instance);
  const action = { kind: 'writeStatus', karmada, status } as const;
  const { statusDelayMs = 0 } = await executeActionsOrThrow(executors, [action]);
  return statusDelayMs;
}
