/** Replaces a value that is not shown. */
export const REDACTED = '(redacted)';
