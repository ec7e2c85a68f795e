/** Requests and responses of the HTTP connections to an API server. */
import type { FinishedCall } from './finished-call.ts';
import type { Reading } from './long-responses.ts';
import type { Term } from '../time/term.ts';

/** One HTTP request to the API server. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path relative to the URL of the server, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Checked immediately before the request is sent. */
  readonly term?: Pick<Term, 'check'>;
  /** Timeout for the whole response, or only for its headers if `stream` is set, in milliseconds. */
  readonly timeoutMs: number;
  /** If true, the request uses the connections for watches, and its body has no timeout. */
  readonly stream?: boolean;
  /** Description for messages, such as `get Secret team/x`. */
  readonly description: string;
  /** Maximum length of the response in bytes; defaults to the limit of the transport. */
  readonly maxBytes?: number;
  /** Bounds the memory of the response. The time in which it waits for room does not count towards the timeout. */
  readonly reading?: Pick<Reading, 'add'>;
  /** For metrics; absent for a request of any path. */
  readonly about?: Pick<FinishedCall, 'verb' | 'resource'>;
}

/** Status, headers and body of a response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Called with the Date header of each response and the monotonic time of its request in milliseconds. */
export type HearDate = (date: string, sentAt: number) => void;

/** A response whose body is read as a stream. */
export interface HttpStream {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Aborted when the caller ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Closes the stream. Callers must always call it once. */
  close(): void;
  /** Reports that the connection seems dead, so that later streams use a new one. */
  suspect(): void;
}
