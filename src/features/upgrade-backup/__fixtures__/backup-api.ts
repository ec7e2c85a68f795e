/** API server with the kinds of backups, in memory. */
import { BACKUP_PLURAL, type BackupPhase, type KarmadaBackup } from '../../../api/backup/kinds.ts';
import { ApiError } from '../../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { ResourceType } from '../../../kubernetes/objects/resources.ts';
import { anyClient } from '../../../kubernetes/client/any-client.fixture.ts';
import type { KubernetesClient } from '../../../kubernetes/client/client-interface.ts';

export class BackupApi {
  isInstalled = true;
  /** HTTP status of the discovery, if it fails. */
  failure: number | undefined;
  readonly objects = new Map<string, KubernetesObject[]>();
  writes = 0;

  constructor(isInstalled: boolean) {
    this.isInstalled = isInstalled;
  }

  get backups(): readonly KarmadaBackup[] {
    return (this.objects.get(BACKUP_PLURAL.backup) ?? []) as KarmadaBackup[];
  }

  add(plural: string, object: object): void {
    const known = this.objects.get(plural) ?? [];
    this.objects.set(plural, [...known, object as KubernetesObject]);
  }

  /** All backups get this phase. @param now wall clock in milliseconds */
  end(phase: BackupPhase, now: number): void {
    const verifiedAt = new Date(now).toISOString();
    const conditions = [{ type: 'Verified', status: 'False', reason: phase, message: 'the cause' }];
    const status = { phase, conditions, ...(phase === 'Verified' && { verifiedAt }) };
    this.objects.set(
      BACKUP_PLURAL.backup,
      this.backups.map((backup) => ({ ...backup, status })),
    );
  }

  raw(): Promise<{ status: number; body: string }> {
    const plurals = Object.values(BACKUP_PLURAL).map((plural) => `"${plural}"`);
    const body = this.isInstalled ? plurals.join() : '';
    return Promise.resolve({ status: this.failure ?? (this.isInstalled ? 200 : 404), body });
  }

  list({ plural }: ResourceType): Promise<{ resourceVersion: string; items: KubernetesObject[] }> {
    return Promise.resolve({ resourceVersion: '1', items: this.objects.get(plural) ?? [] });
  }

  find(_: unknown, { name }: { readonly name: string }): Promise<KubernetesObject | undefined> {
    return Promise.resolve(this.backups.find(({ metadata }) => metadata.name === name));
  }

  create(object: KubernetesObject): Promise<KubernetesObject> {
    const { name } = object.metadata;
    if (this.backups.some(({ metadata }) => metadata.name === name))
      return Promise.reject(
        new ApiError({ request: 'create', code: 409, reason: 'AlreadyExists', message: name }),
      );
    this.writes += 1;
    const metadata = { ...object.metadata, uid: `backup-${String(this.writes)}` };
    this.add(BACKUP_PLURAL.backup, { ...object, metadata });
    return Promise.resolve(object);
  }

  asClient(): Pick<KubernetesClient, 'raw' | 'list' | 'find' | 'create'> {
    return anyClient({
      raw: () => this.raw(),
      list: (type) => this.list(type),
      find: (type, key) => this.find(type, key),
      create: (object) => this.create(object),
    });
  }
}
