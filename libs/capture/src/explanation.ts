import type { CodeFingerprint } from '@lineprint/contracts';
import { linePrintsFromBase64 } from '@lineprint/fingerprint';

/** The body of the request that sends these fingerprints: exactly these bytes, before compression. */
export function requestBody(fingerprints: readonly string[]): string {
  return `{"fingerprints":[${fingerprints.join(',')}]}`;
}

/** What a fingerprint tells whoever reads it, in words, and what it does not. */
export function explainFingerprint(fingerprint: CodeFingerprint): string {
  const { pathKey, linePrints, rawCode, model, repository, projectId, client, keyId } = fingerprint;
  const { sessionId, parentSessionId } = fingerprint;
  const prints = linePrints === undefined ? [] : linePrintsFromBase64(linePrints);
  const named = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`${name} ${value}`];
  const lines = [
    `Fingerprint ${fingerprint.codeId}, ${new Date(fingerprint.timestamp).toISOString()}`,
    `  who and where   ${[
      ...named('user', fingerprint.userId),
      ...named('session', sessionId),
      ...named('started by session', parentSessionId),
      ...named('repository', repository),
      ...named('project', projectId),
      ...named('model', model),
      ...(client ? [`by ${client.name} ${client.version}`] : []),
    ].join(', ')}`,
    `  what            ${fingerprint.lineCount} lines, ${fingerprint.charCount} characters of ${fingerprint.language}, accepted from ${fingerprint.source}`,
    `  signature       128 numbers over its words, 16 band numbers, structure hash ${fingerprint.structureHash}`,
    ...(keyId === undefined
      ? []
      : [`  keyed prints    ${prints.length} lines, each as hashes under the organisation's key ${keyId}`]),
    ...(pathKey === undefined ? [] : [`  path            only its hash under the same key: ${pathKey}`]),
    rawCode === undefined
      ? '  code            none: no line, name, string, comment or path is sent'
      : `  code            ${rawCode.length} characters, because the organisation and you allow it:`,
    ...(rawCode === undefined ? [] : rawCode.split('\n').map((line) => `    | ${line}`)),
  ];
  return lines.join('\n');
}
