/** Values that the chart is checked with: each is a way in which somebody installs it. */

const kafka = { brokers: ['broker-0.kafka:9092', 'broker-1.kafka:9092'] };
const stores = {
  kafka,
  postgresql: { existingSecret: 'pg' },
  redis: { existingSecret: 'redis' },
};

/** @type {Record<string, {presets?: string[], values: object}>} */
export const matrix = {
  small: { presets: ['small'], values: stores },
  medium: { presets: ['medium'], values: stores },
  large: { presets: ['large'], values: stores },
  urls: { values: { kafka, postgresql: { url: 'postgres://u:p@pg/l' }, redis: { url: 'redis://r' } } },
  tls: {
    values: {
      ...stores,
      kafka: { ...kafka, tls: { enabled: true, existingSecret: 'kafka-tls', clientCertificate: true } },
      postgresql: { existingSecret: 'pg', caSecret: 'pg-ca' },
    },
  },
  sasl: {
    presets: ['large'],
    values: {
      ...stores,
      kafka: {
        ...kafka,
        tls: { enabled: true, existingSecret: 'kafka-tls' },
        sasl: { mechanism: 'scram-sha-512', username: 'lineprint', existingSecret: 'kafka-user' },
      },
    },
  },
  secrets: {
    values: {
      ...stores,
      organisation: { id: 'acme', timeZone: 'Asia/Shanghai', existingSecret: 'first-keys' },
      settings: { rawCodeSecret: 'raw-code', gitHosts: 'github.com', env: { LINEPRINT_GIT_POLL_MS: 60000 } },
      mirrors: {
        secrets: [{ secret: { name: 'shop-hook' } }],
        persistence: { enabled: true, accessModes: ['ReadWriteMany'] },
      },
    },
  },
  trial: {
    presets: ['small'],
    values: { trial: { kafka: { enabled: true }, redis: { enabled: true }, postgresql: { enabled: true } } },
  },
  gitops: { values: { ...stores, migrations: { hook: false } } },
  everything: {
    presets: ['medium'],
    values: {
      ...stores,
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate' },
      networkPolicy: { enabled: true, egress: true },
      metrics: {
        serviceMonitor: { enabled: true },
        prometheusRule: { enabled: true },
        dashboards: { enabled: true },
      },
      mirrors: { persistence: { enabled: true } },
      priorityClassName: 'system-cluster-critical',
      imagePullSecrets: [{ name: 'registry' }],
    },
  },
  off: {
    values: {
      ...stores,
      networkPolicy: { enabled: false },
      podDisruptionBudget: { enabled: false },
      topologySpread: { enabled: false },
      serviceAccount: { create: false },
    },
  },
};

/** What must be refused, and by which words. */
export const refused = [
  { values: { kafka, redis: { existingSecret: 'r' } }, words: /Give Postgres/ },
  { values: { postgresql: { existingSecret: 'p' }, redis: { existingSecret: 'r' } }, words: /Give Kafka/ },
  { values: { kafka, postgresql: { existingSecret: 'p' } }, words: /Give Redis/ },
  {
    values: { ...stores, kafka: { ...kafka, sasl: { mechanism: 'plain' } } },
    words: /kafka\.sasl\.username/,
  },
  { values: { ...stores, kafka: { ...kafka, tls: { existingSecret: 't' } } }, words: /kafka\.tls\.enabled/ },
  { values: { ...stores, kafka: { brokers: ['kafka://a:1'] } }, words: /brokers/ },
  { values: { ...stores, kafka: { ...kafka, compression: 'rar' } }, words: /compression/ },
  { values: { ...stores, services: { indexer: { replicas: 7 } } }, words: /more than kafka\.partitions/ },
  { values: { ...stores, autoscalling: {} }, words: /autoscalling/ },
];
