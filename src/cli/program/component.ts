/** Components in command lines. Pure functions. */
import { CATALOG } from '../../api/component-catalog.ts';
import { CommandError } from './environment.ts';

type CatalogRow = (typeof CATALOG)[number];

/** Names of the components, as in the label `app.kubernetes.io/name`. */
export const COMPONENT_NAMES: readonly string[] = CATALOG.map(({ name }) => name);

/** Returns the row of a component. @throws CommandError for another name, with the names of all components */
export function componentNamed(name: string): CatalogRow {
  const row = CATALOG.find((one) => one.name === name);
  if (row !== undefined) return row;
  throw new CommandError(
    `unknown component ${JSON.stringify(name)}; one of: ${COMPONENT_NAMES.join(', ')}`,
  );
}
