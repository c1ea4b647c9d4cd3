import type { KafkaSettings } from '@lineprint/platform';
import type { KafkaConfig } from 'kafkajs';

/** TLS and login of a client, in kafkajs's terms. Certificates and broker names are always checked. */
export function clientSecurity(settings: KafkaSettings): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  const { tls, ca, cert, key, saslMechanism: mechanism, username = '', password = '' } = settings;
  return {
    ...(tls ? { ssl: { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) } } : {}),
    ...(mechanism ? { sasl: { mechanism, username, password } as KafkaConfig['sasl'] & object } : {}),
  };
}
