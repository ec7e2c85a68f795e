/** The part of jest's settings that the test command reads. */
declare const config: {
  readonly projects: readonly { readonly displayName: string; readonly testMatch: string[] }[];
};
export default config;
