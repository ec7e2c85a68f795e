/** Calls of this process without a response yet, tracked through the diagnostics channels of undici. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** One active call; the same object as long as the call is active. */
interface CallUnderWay {
  readonly method: string;
  readonly path: string;
}

export interface CallsUnderWay {
  /** @param origin for example `https://127.0.0.1:6443` */
  to(origin: string): readonly CallUnderWay[];
  close(): void;
}

interface Message {
  readonly request: CallUnderWay & { readonly origin: string };
}

const ENDS = ['undici:request:headers', 'undici:request:error'];
const BEGINS = 'undici:request:create';

/** Tracks all calls from now on. */
export function followCalls(): CallsUnderWay {
  const calls = new Set<Message['request']>();
  const begin = (message: unknown): void => void calls.add((message as Message).request);
  const end = (message: unknown): void => void calls.delete((message as Message).request);
  subscribe(BEGINS, begin);
  for (const name of ENDS) subscribe(name, end);
  return {
    to: (origin) => [...calls].filter((call) => String(call.origin) === origin),
    close() {
      unsubscribe(BEGINS, begin);
      for (const name of ENDS) unsubscribe(name, end);
    },
  };
}
