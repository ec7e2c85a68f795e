declare const OPERATOR_VERSION: string | undefined;

/** Version of this build, set by the bundler; a run from the sources is `0.0.0-dev`. */
export const operatorVersion: string =
  typeof OPERATOR_VERSION === 'undefined' ? '0.0.0-dev' : OPERATOR_VERSION;
