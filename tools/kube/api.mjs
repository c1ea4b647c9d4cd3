/** The API server of tools/kube/control-plane.sh. */
import { request } from 'node:https';

/** Plural names of the kinds that the chart and its checks use. */
const PLURALS = {
  NetworkPolicy: 'networkpolicies',
  Ingress: 'ingresses',
  PodDisruptionBudget: 'poddisruptionbudgets',
};
const CLUSTER_WIDE = new Set(['Namespace', 'Node', 'CustomResourceDefinition', 'PriorityClass']);

const pluralOf = (kind) => PLURALS[kind] ?? `${kind.toLowerCase()}s`;

export class Api {
  /** @param {number} port on loopback */
  constructor(port) {
    this.port = port;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {string} [type] content type of a patch
   * @returns {Promise<object>} the answer
   * @throws {Error} with `status` and the server's words
   */
  call(method, path, body, type = 'application/json') {
    return new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: this.port,
        method,
        path,
        // Its certificate is its own, and it listens on this machine's loopback only.
        rejectUnauthorized: false,
        headers: { authorization: 'Bearer local-admin', 'content-type': type },
      };
      const sent = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('end', () => {
          const answer = text.startsWith('{') ? JSON.parse(text) : { message: text };
          if (response.statusCode < 400) return resolve(answer);
          const words = `${method} ${path}: ${response.statusCode} ${answer.message}`;
          reject(Object.assign(new Error(words), { status: response.statusCode }));
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** @returns {string} where objects of a kind lie */
  pathOf({ apiVersion, kind, metadata = {} }, namespace = 'restricted') {
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const place = CLUSTER_WIDE.has(kind) ? '' : `/namespaces/${metadata.namespace ?? namespace}`;
    return `${group}${place}/${pluralOf(kind)}`;
  }

  create(object, query = '') {
    return this.call('POST', `${this.pathOf(object)}${query}`, object);
  }

  async list(apiVersion, kind, selector = '') {
    const query = selector === '' ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
    return (await this.call('GET', `${this.pathOf({ apiVersion, kind })}${query}`)).items;
  }

  /** Names of all objects of a namespace with the labels, `Kind name`; events and what the server derives left out. */
  async everything(selector) {
    const found = [];
    const groups = await this.call('GET', '/apis');
    const versions = ['v1', ...groups.groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
    for (const version of versions) {
      const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
      const { resources } = await this.call('GET', root);
      for (const { name, kind, namespaced, verbs } of resources) {
        if (!namespaced || name.includes('/') || !verbs.includes('list') || kind === 'Event') continue;
        const query = `?labelSelector=${encodeURIComponent(selector)}`;
        const { items } = await this.call('GET', `${root}/namespaces/restricted/${name}${query}`);
        for (const { metadata } of items) found.push(`${kind} ${metadata.name}`);
      }
    }
    return found;
  }
}
