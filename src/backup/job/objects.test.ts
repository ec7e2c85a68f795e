import { describe, expect, it } from '@jest/globals';
import { checkSameName } from './objects.ts';

const of = (namespace: string, name: string) => ({ namespace, name, uid: `${namespace}-${name}` });

describe('checkSameName', () => {
  it('accepts a Karmada with the name of the backup, also in another namespace', () => {
    checkSameName(of('team', 'demo'), of('team', 'demo'));
    checkSameName(of('team', 'demo'), of('other', 'demo'));
  });

  it('rejects another name, and names the field and both Karmadas', () => {
    expect(() => checkSameName(of('team', 'demo'), of('team', 'new'))).toThrow(
      /^spec\.karmadaRef\.name: the backup is of Karmada team\/demo.*not new/,
    );
  });
});
