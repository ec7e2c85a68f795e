/** Credentials for an S3 server. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Temporary credentials. */
export interface Session {
  readonly credentials: S3Credentials;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Returns credentials that are valid now. @throws StoreError, Error without a value of them */
export type CredentialSource = (signal: AbortSignal) => Promise<S3Credentials>;

/** A source that always returns the same credentials. */
export const fixedCredentials =
  (credentials: S3Credentials): CredentialSource =>
  async () =>
    Promise.resolve(credentials);
