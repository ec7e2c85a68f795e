/** Types of the ASN.1 codec of node-forge, its only used part. It loads no cryptography. */
declare module 'node-forge/lib/asn1.js' {
  interface Asn1 {
    readonly tagClass: number;
    readonly type: number;
    readonly constructed: boolean;
    /** Binary string, or child values of a constructed value. */
    readonly value: string | Asn1[];
  }

  const asn1: {
    create(tagClass: number, type: number, constructed: boolean, value: string | Asn1[]): Asn1;
    fromDer(bytes: string, options: { strict: boolean; decodeBitStrings: boolean }): Asn1;
    toDer(value: Asn1): { getBytes(): string };
    oidToDer(oid: string): { getBytes(): string };
    derToOid(bytes: string): string;
    dateToUtcTime(date: Date): string;
    dateToGeneralizedTime(date: Date): string;
  };
  export default asn1;
  export type { Asn1 };
}
