/** Requests and responses of a stub API, independent of HTTP. */

export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Empty for none. */
  readonly body: string;
}

export interface ApiResponse {
  readonly status: number;
  /** An object, sent as JSON, or plain text. */
  readonly body: unknown;
}

/** What a write needs of its request. */
export interface WriteContext {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly subresource?: string;
  readonly contentType: string;
}

export function writeContext(
  request: ApiRequest,
  query: URLSearchParams,
  subresource?: string,
): WriteContext {
  const agent = String(request.headers['user-agent'] ?? '').split('/')[0] ?? '';
  return {
    manager: query.get('fieldManager') ?? agent,
    dryRun: query.has('dryRun'),
    force: query.get('force') === 'true',
    contentType: String(request.headers['content-type'] ?? 'application/json'),
    ...(subresource !== undefined && { subresource }),
  };
}
