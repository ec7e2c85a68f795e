/** Explains PVCs that are not bound, from their StorageClass and their Events: pure. */
import type { PersistentVolumeClaim } from '../kubernetes/objects/kinds.ts';
import { nameOf } from '../kubernetes/objects/object.ts';
import {
  certain,
  firstCause,
  suspected,
  type Cause,
  type Subject,
  type Surroundings,
} from './cause.ts';
import { eventsOf, type EventFact } from './event-facts.ts';

/** gRPC codes after which a provisioner continues with the same volume. */
const CONTINUES: ReadonlySet<string> = new Set([
  'DeadlineExceeded',
  'Aborted',
  'Canceled',
  'Unavailable',
]);

/** Time in milliseconds for which a provisioner that has started counts as working. It repeats the Event when it retries. */
const WORKS_MS = 1_800_000;

const classOf = (claim: PersistentVolumeClaim): string | undefined => claim.spec?.storageClassName;

/** Whether a provisioner reports that it creates the volume of a PVC. */
export function isProvisioning(
  claim: PersistentVolumeClaim,
  { events, now }: Pick<Surroundings, 'events' | 'now'>,
): boolean {
  const [last] = eventsOf(events, claim).filter(({ reason }) =>
    /^Provisioning(?:Failed)?$/.test(reason),
  );
  if (last === undefined || now - last.lastAt > WORKS_MS) return false;
  return last.reason === 'Provisioning' || CONTINUES.has(codeOf(last) ?? '');
}

const codeOf = ({ note }: EventFact): string | undefined =>
  /rpc error: code = (\w{1,30})/.exec(note)?.[1];

const CHECK = 'check that its StorageClass exists and can provision a volume';

interface Seen extends Pick<Surroundings, 'events' | 'now'> {
  /** Names of the StorageClasses; undefined if the operator must not read them. */
  readonly classes: ReadonlySet<string> | undefined;
}

/** Returns why the first of these PVCs is not bound; a certain cause takes precedence. */
export function claimCause(
  claims: readonly PersistentVolumeClaim[],
  subject: Subject,
  { storageClasses, ...seen }: Pick<Surroundings, 'events' | 'now' | 'storageClasses'>,
): Cause | undefined {
  const classes = storageClasses && new Set(storageClasses.map(({ metadata }) => metadata.name));
  return firstCause(claims, (claim) => causeOf(claim, subject, { ...seen, classes }));
}

function causeOf(claim: PersistentVolumeClaim, { field }: Subject, seen: Seen): Cause {
  const name = classOf(claim);
  const correct = `correct ${field}.volumeData`;
  const what = `${nameOf(claim)} ${name ? `of StorageClass ${name}` : 'without a StorageClass'}`;
  const failed = (why: string, remedy: string): Cause =>
    certain('ClaimNotBound', `${what} must be bound: ${why}; ${remedy}`);
  if (isProvisioning(claim, seen))
    return suspected(
      'ClaimNotBound',
      `${what} is not bound yet: its volume is being created; wait`,
    );
  if (name && seen.classes?.has(name) === false)
    return failed('the StorageClass does not exist', `create it, or ${correct}`);
  const [event] = eventsOf(seen.events, claim).filter(({ reason }) =>
    ['ProvisioningFailed', 'FailedBinding'].includes(reason),
  );
  if (event === undefined)
    return suspected('ClaimNotBound', `${what} must be bound: ${CHECK}, or ${correct}`);
  return ofEvent(event, failed, correct);
}

function ofEvent(
  event: EventFact,
  failed: (why: string, remedy: string) => Cause,
  correct: string,
): Cause {
  if (/storageclass\S{0,40} "[^"]{1,253}" not found/.test(event.note))
    return failed('the StorageClass does not exist', `create it, or ${correct}`);
  if (event.reason === 'FailedBinding')
    return failed(
      'no PersistentVolume fits, and no StorageClass provisions one',
      `create a PersistentVolume or a default StorageClass, or ${correct}`,
    );
  const code = codeOf(event);
  const why = code === undefined ? 'its provisioner fails' : `its provisioner fails (${code})`;
  return failed(why, `see the Events of the PVC and the log of the provisioner, or ${correct}`);
}
