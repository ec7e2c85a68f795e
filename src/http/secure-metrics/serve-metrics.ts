/** The metrics endpoint over HTTPS, only for authorized clients. */
import type { BindAddress, Answer, EndpointServer, Route } from '../endpoints.ts';
import { serve } from '../endpoints.ts';
import { ScrapeAuthorizer, type AuthorizerOptions } from './authorizer.ts';
import { servingPair, type PairFiles } from './certificates.ts';
import type { Verdict } from './recent-verdicts.ts';

export interface SecureServing extends AuthorizerOptions {
  readonly address: BindAddress;
  readonly files?: PairFiles;
  /** DNS names of a self-signed certificate. */
  readonly names: readonly string[];
}

const REFUSED: Readonly<Record<Exclude<Verdict, 200>, string>> = {
  401: 'Unauthorized\n',
  403: 'Forbidden\n',
  503: 'the API server did not review the request\n',
};

/**
 * Serves one route at `/metrics`.
 * @throws Error if the certificate files cannot be used, or the operator cannot listen on the address
 */
export async function serveSecurely(
  { address, ...options }: SecureServing,
  expose: () => Promise<Answer>,
): Promise<EndpointServer> {
  const authorizer = new ScrapeAuthorizer(options);
  let server: EndpointServer | undefined;
  const { pair, stop } = await servingPair(options, (next) => server?.renew(next));
  const answer: Route = async ({ authorization, ...client }) => {
    const verdict = await authorizer.verdict('/metrics', authorization, client);
    return verdict === 200 ? expose() : { status: verdict, body: REFUSED[verdict] };
  };
  try {
    server = await serve(address, { '/metrics': answer }, pair);
  } catch (error) {
    stop();
    throw error;
  }
  const { port, renew, close } = server;
  return {
    port,
    renew,
    close() {
      stop();
      return close();
    },
  };
}
