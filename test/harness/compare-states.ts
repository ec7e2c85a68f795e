/** Compares the objects of two installations. Pure functions. */
import { isDeepStrictEqual } from 'node:util';

type Objects = Readonly<Record<string, unknown>>;

/** Normalized objects of an installation by kind and name, in its host cluster and in its control plane. */
export interface EndState {
  readonly host: Objects;
  readonly inside: Objects;
}

function differingIn(actual: Objects, expected: Objects): readonly [Objects, Objects] {
  const names = [...new Set([...Object.keys(actual), ...Object.keys(expected)])].filter(
    (name) => !isDeepStrictEqual(actual[name], expected[name]),
  );
  const part = (objects: Objects): Objects =>
    Object.fromEntries(names.flatMap((name) => (name in objects ? [[name, objects[name]]] : [])));
  return [part(actual), part(expected)];
}

/** The objects of two states that are not equal, to print no others. */
export function differing(actual: EndState, expected: EndState): readonly [EndState, EndState] {
  const [host, expectedHost] = differingIn(actual.host, expected.host);
  const [inside, expectedInside] = differingIn(actual.inside, expected.inside);
  return [
    { host, inside },
    { host: expectedHost, inside: expectedInside },
  ];
}
