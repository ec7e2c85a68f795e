// Verifies and decrypts a downloaded backup: node read-backup.mjs FOLDER KEY-FILE [NAMESPACE]
// FOLDER has manifest.jsonl and the files of the backup; the decrypted files are written next to them, and the objects that
// create the control plane again, in NAMESPACE or in its former namespace: control-plane.json, and ca-backup.json with its Secret alone.
import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const [folder, keyFile, otherNamespace] = process.argv.slice(2);
const master = Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'hex');
const derive = (salt, name) =>
  Buffer.from(hkdfSync('sha256', master, salt, `karmada-operator/backup/v1/${name}`, 32));

const [line, seal] = readFileSync(join(folder, 'manifest.jsonl'), 'utf8').split('\n');
const manifest = JSON.parse(line);
const salt = Buffer.from(manifest.encryption.salt, 'hex');
const mac = createHmac('sha256', derive(salt, 'manifest')).update(`${line}\n`).digest('hex');
if (mac !== JSON.parse(seal).hmacSha256) throw new Error('manifest: wrong key, or changed');

for (const { name, sha256 } of manifest.files) {
  const out = createWriteStream(join(folder, name), { mode: 0o600 });
  const hash = createHash('sha256');
  let [buffer, header, key, index] = [Buffer.alloc(0), undefined, undefined, 0];
  const open = (chunk, isLast) => {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(index++, 7);
    nonce[11] = isLast ? 1 : 0;
    const cipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(header);
    cipher.setAuthTag(chunk.subarray(-16));
    const plain = Buffer.concat([cipher.update(chunk.subarray(0, -16)), cipher.final()]);
    hash.update(plain);
    out.write(plain);
  };
  for await (const piece of createReadStream(join(folder, `${name}.enc`))) {
    buffer = Buffer.concat([buffer, piece]);
    if (header === undefined && buffer.length >= 44) {
      header = buffer.subarray(0, 44);
      key = derive(header.subarray(12), name);
      buffer = buffer.subarray(44);
    }
    const length = header && header.readUInt32BE(8) + 16;
    for (; header && buffer.length > length; buffer = buffer.subarray(length))
      open(buffer.subarray(0, length), false);
  }
  open(buffer, true);
  await finished(out.end());
  if (hash.digest('hex') !== sha256) throw new Error(`${name}: wrong checksum`);
  console.log(`${name}: complete`);
}

const { karmada, secrets } = JSON.parse(readFileSync(join(folder, 'objects.json'), 'utf8'));
const { apiVersion, kind, spec, metadata } = karmada;
const { name, labels } = metadata;
const namespace = otherNamespace || metadata.namespace;
const saved = secrets.find((secret) => secret.name.endsWith('-ca-backup'));
const own = {
  'app.kubernetes.io/managed-by': 'karmada-operator',
  'app.kubernetes.io/instance': name,
};
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: saved.name, namespace, labels: own },
  data: saved.data,
};
const again = { apiVersion, kind, metadata: { name, namespace, labels }, spec };
const objects = {
  'ca-backup.json': secret,
  'control-plane.json': { apiVersion: 'v1', kind: 'List', items: [secret, again] },
};
for (const [file, object] of Object.entries(objects)) {
  writeFileSync(join(folder, file), JSON.stringify(object, undefined, 2), { mode: 0o600 });
  console.log(`${file}: complete`);
}
