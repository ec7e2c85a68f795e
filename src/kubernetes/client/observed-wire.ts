/** Reports each attempt of a call with its duration and result. */
import type { Clock } from '../time/clock.ts';
import type { OnCall } from './finished-call.ts';
import type { Wire } from './sender.ts';
import type { HttpRequest } from './http.ts';

/** Wraps a transport. Calls that the operator itself aborts are not reported. */
export function observedWire(wire: Wire, clock: Clock, onCall: OnCall | undefined): Wire {
  if (onCall === undefined) return wire;
  const observed = async <T extends { readonly status: number }>(
    { about = UNKNOWN, signal }: HttpRequest,
    answered: Promise<T>,
  ): Promise<T> => {
    const began = clock.monotonic();
    const report = (code: string): void =>
      onCall({ ...about, code, seconds: (clock.monotonic() - began) / 1000 });
    try {
      const answer = await answered;
      report(String(answer.status));
      return answer;
    } catch (error) {
      if (signal?.aborted !== true) report('error');
      throw error;
    }
  };
  return {
    send: (request) => observed(request, wire.send(request)),
    open: (request) => observed(request, wire.open(request)),
    forgetCredentials: () => wire.forgetCredentials(),
  };
}

const UNKNOWN = { verb: 'raw', resource: '' } as const;
