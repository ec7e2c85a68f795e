// Verifies and decrypts a downloaded backup: node read-backup.mjs FOLDER KEY-FILE [NAMESPACE]
// FOLDER has manifest.jsonl and the files of the backup; the decrypted files are written next to them, and the objects that
// create the control plane again, in NAMESPACE or in its former namespace: control-plane.json, and ca-backup.json with its Secret alone.
import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const [folder, keyFile, otherNamespace] = process.argv.slice(2);
const master = Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'hex');
if (master.length !== 32) throw new Error(`${keyFile}: not 64 hexadecimal digits`);
const derive = (salt, name) =>
  Buffer.from(hkdfSync('sha256', master, salt, `karmada-operator/backup/v1/${name}`, 32));
// A file that exists is replaced, and a link is not followed.
const newFile = (name) => {
  rmSync(join(folder, name), { force: true });
  return join(folder, name);
};
const write = { flags: 'wx', flag: 'wx', mode: 0o600 };

const content = readFileSync(join(folder, 'manifest.jsonl'));
const [line, seal] = content.toString('utf8').split('\n');
const manifest = JSON.parse(line);
const salt = Buffer.from(manifest.encryption.salt, 'hex');
const mac = createHmac('sha256', derive(salt, 'manifest')).update(`${line}\n`).digest('hex');
if (mac !== JSON.parse(seal).hmacSha256) throw new Error('manifest: wrong key, or changed');
const digest = createHash('sha256').update(content).digest('hex');
console.log(`manifest.jsonl: complete, status.manifestSHA256 of its KarmadaBackup is ${digest}`);

const CHUNK = 1_048_576;
for (const name of ['etcd.snapshot', 'objects.json']) {
  const { sha256 } = manifest.files.find((file) => file.name === name);
  const out = createWriteStream(newFile(name), write);
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
      if (header.toString('latin1', 0, 8) !== 'KARMBAK1' || header.readUInt32BE(8) !== CHUNK)
        throw new Error(`${name}.enc: not an encrypted backup file`);
      key = derive(header.subarray(12), name);
      buffer = buffer.subarray(44);
    }
    for (; header && buffer.length > CHUNK + 16; buffer = buffer.subarray(CHUNK + 16))
      open(buffer.subarray(0, CHUNK + 16), false);
  }
  if (header === undefined || buffer.length < 16) throw new Error(`${name}.enc: incomplete`);
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
  writeFileSync(newFile(file), JSON.stringify(object, undefined, 2), write);
  console.log(`${file}: complete`);
}
