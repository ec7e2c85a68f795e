declare const OPERATOR_VERSION: string | undefined;

/** Version of this build. The bundler sets it; it is `0.0.0-dev` when the operator runs from source. */
export const operatorVersion: string =
  typeof OPERATOR_VERSION === 'undefined' ? '0.0.0-dev' : OPERATOR_VERSION;

/** True in the bundled program, which has its templates in the same directory; false when run from source. */
export const isBundled: boolean = typeof OPERATOR_VERSION !== 'undefined';
