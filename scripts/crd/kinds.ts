/** Schemas of all kinds of this project: the source of everything that is generated from them. */
import { backupSchemas } from './backups.ts';
import { karmadaSchema } from './karmada.ts';
import type { Schema } from './schema.ts';

/** Schema of each kind, with the disclosure of its fields. */
export const kindSchemas: Readonly<Record<string, Schema>> = {
  Karmada: karmadaSchema,
  ...backupSchemas,
};
