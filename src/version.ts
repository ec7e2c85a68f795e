declare const OPERATOR_VERSION: string | undefined;

/** Version of this build, set by the bundler; a run from the sources is `0.0.0-dev`. */
export const operatorVersion: string =
  typeof OPERATOR_VERSION === 'undefined' ? '0.0.0-dev' : OPERATOR_VERSION;

/** Whether this is the bundled program, whose templates lie beside it, and not a run from the sources. */
export const isBundled: boolean = typeof OPERATOR_VERSION !== 'undefined';
