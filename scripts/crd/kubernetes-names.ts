/** Finds the Kubernetes type of a part of a schema, by the names of its fields. */
import { kubernetes } from './kubernetes/types.ts';
import { partialTypes } from './pod-settings.ts';
import type { Schema } from './schema.ts';

const fieldNames = ({ properties = {} }: Schema): string => Object.keys(properties).sort().join();

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...kubernetes, ...partialTypes }).map(([name, schema]) => [
    fieldNames(schema),
    name,
  ]),
);

/** Returns the name of the Kubernetes type of an object; undefined for objects of this project. */
export const kubernetesType = (schema: Schema): string | undefined => NAMES.get(fieldNames(schema));
