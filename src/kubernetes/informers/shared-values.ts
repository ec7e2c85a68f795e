/**
 * Keeps equal parts of cached objects once, such as the rules of a role, labels, or the CA bundle that each webhook repeats. Control
 * planes of one release have the same roles and webhooks, so a process with many of them keeps most parts of their objects once.
 */
import { hash } from 'node:crypto';
import type { KubernetesObject } from '../objects/object.ts';

/** Characters of JSON from which a value is worth an entry. */
const MIN_LENGTH = 64;
/** Characters of JSON up to which a value is shared, so that no author of an object decides how much is kept. */
const MAX_LENGTH = 131_072;
/** Values of a generation. */
const MAX_VALUES = 4_096;
/** Characters of all values of a generation. */
const MAX_CHARACTERS = 2_097_152;
/** Fields that differ in each object. */
const UNSHARED: ReadonlySet<string> = new Set(['status']);

interface Entry {
  readonly value: unknown;
  readonly id: string;
}

/** A value as it is kept, and its text in the key of the value that contains it; without one, that is not shared. */
interface Kept {
  readonly value: unknown;
  readonly key: string | undefined;
}

/** Whether a key is the ID of a shared value, which no JSON is. */
const isId = (key: string): boolean => key.startsWith('#');

/** Objects of one process. Cached objects are immutable, so they can have parts in common. */
export class SharedValues {
  /** Values by the hash of their JSON, which another namespace cannot forge. Those that are no longer used are forgotten. */
  #recent = new Map<string, Entry>();
  #earlier: ReadonlyMap<string, Entry> = new Map();
  readonly #apiVersions = new Map<string, string>();
  #characters = 0;
  #count = 0;

  /**
   * Replaces parts of an object by equal ones of earlier objects.
   * @param object was just parsed, so nothing else refers to it
   * @returns the object
   */
  share<T extends KubernetesObject>(object: T): T {
    for (const [field, value] of Object.entries(object))
      if (field === 'apiVersion') Reflect.set(object, field, this.#apiVersion(String(value)));
      else if (field === 'metadata') this.#members(value, (member) => typeof member === 'object');
      else if (!UNSHARED.has(field)) this.#replace(object, field, value);
    return object;
  }

  /** API versions are short, and there are few. */
  #apiVersion(text: string): string {
    const known = this.#apiVersions.get(text);
    if (known !== undefined || this.#apiVersions.size >= MAX_VALUES) return known ?? text;
    this.#apiVersions.set(text, text);
    return text;
  }

  #members(owner: unknown, isShared: (member: unknown) => boolean): void {
    if (typeof owner !== 'object' || owner === null) return;
    for (const [name, member] of Object.entries(owner))
      if (isShared(member)) this.#replace(owner, name, member);
  }

  /** @returns the text of the member in the key of its owner */
  #replace(owner: object, name: string, member: unknown): string | undefined {
    const { value, key } = this.#keep(member);
    // Equal texts have no other identity.
    if (key !== undefined && isId(key)) Reflect.set(owner, name, value);
    return key;
  }

  #keep(value: unknown): Kept {
    if (typeof value !== 'object' || value === null) {
      const text = JSON.stringify(value) ?? 'null';
      return text.length < MIN_LENGTH ? { value, key: text } : this.#entry(value, text);
    }
    const keys = Object.entries(value).map(
      ([name, member]) => [JSON.stringify(name), this.#replace(value, name, member)] as const,
    );
    if (keys.some(([, key]) => key === undefined)) return { value, key: undefined };
    const members = keys.map(([name, key = '']) => `${name}:${key}`).join();
    const text = Array.isArray(value) ? `[${members}]` : `{${members}}`;
    const isSmall = text.length < MIN_LENGTH && !keys.some(([, key = '']) => isId(key));
    return isSmall ? { value, key: text } : this.#entry(value, text);
  }

  /** @param key JSON of the value, with IDs in place of shared members */
  #entry(value: unknown, key: string): Kept {
    if (key.length > MAX_LENGTH) return { value, key: undefined };
    const digest = hash('sha256', key, 'base64');
    const recent = this.#recent.get(digest);
    const known = recent ?? this.#earlier.get(digest) ?? { value, id: this.#nextId() };
    if (recent === undefined) this.#remember(digest, known, key.length);
    return { value: known.value, key: known.id };
  }

  #nextId(): string {
    this.#count += 1;
    return `#${String(this.#count)}`;
  }

  #remember(digest: string, entry: Entry, characters: number): void {
    if (this.#recent.size >= MAX_VALUES || this.#characters + characters > MAX_CHARACTERS) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(digest, entry);
    this.#characters += characters;
  }
}
