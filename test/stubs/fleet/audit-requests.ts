/** Reads the requests of an audit log that have been added since the last read. */
import { open } from 'node:fs/promises';
import type { CountedRequest } from './request-counts.ts';

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
}

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** Parses a line of the log. @throws Error if it is no JSON */
export function requestOf(line: string): CountedRequest {
  const { verb, requestURI: url, userAgent } = JSON.parse(line) as AuditEvent;
  return { method: METHODS[verb] ?? verb.toUpperCase(), url, headers: { 'user-agent': userAgent } };
}

export class AuditRequests {
  readonly #path: string;
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Requests of the lines that are complete. */
  async take(): Promise<readonly CountedRequest[]> {
    const file = await open(this.#path, 'r');
    try {
      const size = (await file.stat()).size - this.#position;
      const { buffer } = await file.read(Buffer.alloc(size), 0, size, this.#position);
      const end = buffer.lastIndexOf('\n') + 1;
      this.#position += end;
      return buffer.toString('utf8', 0, end).split('\n').filter(Boolean).map(requestOf);
    } finally {
      await file.close();
    }
  }
}
