/**
 * A Kafka broker that asks who you are: one listener with TLS and a login (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512), one
 * with TLS and client certificates. `node tools/servers/secure-kafka.mjs` prints where it is and what opens it, as a
 * line of JSON, and serves until its parent closes the channel or Ctrl-C.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareKafka, startServer } from './native.mjs';
import { freePort } from './ports.mjs';
import { ensurePrograms } from './programs.mjs';

const run = promisify(execFile);
const log = (line) => console.error(line);
const password = randomBytes(12).toString('hex');
let description;

/** An authority, and certificates of its making. Keys are files beside them, PKCS #8 and without a passphrase. */
async function makeCertificates(folder, authority, names) {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const path = (name, end) => join(folder, `${name}.${end}`);
  const [caKey, ca] = [path(authority, 'key'), path(authority, 'pem')];
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-keyout',
    caKey,
    '-out',
    ca,
    '-days',
    '2',
    '-subj',
    `/CN=${authority}`,
  ]);
  const extensions = path(authority, 'extensions');
  writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  for (const name of names) {
    const request = path(name, 'request');
    await run('openssl', [
      'req',
      ...key,
      '-keyout',
      path(name, 'key'),
      '-out',
      request,
      '-subj',
      `/CN=${name}`,
    ]);
    const signing = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', extensions];
    await run('openssl', ['x509', '-req', '-in', request, '-out', path(name, 'pem'), ...signing]);
  }
}

async function prepareSecureKafka(folder, port) {
  await makeCertificates(folder, 'authority', ['broker', 'client']);
  await makeCertificates(folder, 'stranger', ['strange-client']);
  const keystore = join(folder, 'broker-keystore.pem');
  const parts = ['broker.key', 'broker.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(keystore, parts.join(''));
  const [loginPort, certificatePort] = [await freePort(), await freePort()];
  const scram = (name) => `listener.name.sasl_ssl.${name}.sasl.jaas.config`;
  const module = 'org.apache.kafka.common.security';
  const settings = {
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL,CONTROLLER:PLAINTEXT',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': join(folder, 'authority.pem'),
    'listener.name.ssl.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    [scram('plain')]: `${module}.plain.PlainLoginModule required user_lineprint="${password}";`,
    [scram('scram-sha-256')]: `${module}.scram.ScramLoginModule required;`,
    [scram('scram-sha-512')]: `${module}.scram.ScramLoginModule required;`,
  };
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=lineprint,password=${password}]`,
  ]);
  description = {
    loginUrl: `kafka://127.0.0.1:${loginPort}`,
    certificateUrl: `kafka://127.0.0.1:${certificatePort}`,
    plainUrl: `kafka://127.0.0.1:${port}`,
    username: 'lineprint',
    password,
    folder,
  };
  const listeners = [`SASL_SSL://127.0.0.1:${loginPort}`, `SSL://127.0.0.1:${certificatePort}`];
  return prepareKafka(folder, port, log, { listeners, settings, format: users });
}

await ensurePrograms(['kafka'], { prefix: 'LINEPRINT_TEST_', log });
const server = await startServer('secure-kafka', prepareSecureKafka, { log });
console.log(JSON.stringify(description));
const alive = setInterval(() => {}, 60_000);
const end = async () => {
  clearInterval(alive);
  await server.stop();
  if (process.connected) process.disconnect();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
process.once('disconnect', end);
