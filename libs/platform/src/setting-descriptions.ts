/** A variable of the environment, as docs/configuration.md shows it (`node tools/configuration.mjs` writes the tables). */
export interface SettingDescription {
  readonly variable: string;
  /** What holds where it is left out, in Markdown; between backquotes, what it could be set to for the same. */
  readonly byDefault: string;
  /** In Markdown, without a capital or a stop. */
  readonly meaning: string;
}

/** By the table that it stands in, in the order of the page. */
export const SETTING_DESCRIPTIONS: Readonly<Record<string, readonly SettingDescription[]>> = {
  stores: [
    {
      variable: 'LINEPRINT_DATABASE_URL',
      byDefault: '`pglite:.lineprint/database`',
      meaning: '`pglite:DIRECTORY`, `pglite:memory` or `postgres://…`',
    },
    {
      variable: 'LINEPRINT_ROW_SECURITY',
      byDefault: '`prefer`',
      meaning:
        '`require` answers requests only where Postgres itself keeps organisations apart ([how](sql.md#row-level-security)), `prefer` does where it can and warns, `off` never does',
    },
    {
      variable: 'LINEPRINT_TENANT_ROLE',
      byDefault: '`lineprint_tenant`',
      meaning: 'the role of Postgres that does so',
    },
    {
      variable: 'LINEPRINT_LOG_URL',
      byDefault: '`embedded:`',
      meaning: '`embedded:` (one process) or `kafka://host:port[,host:port]`',
    },
    {
      variable: 'LINEPRINT_RECALL_URL',
      byDefault: '`memory:`',
      meaning: '`memory:` (one process) or `redis://…`, `rediss://…`',
    },
    {
      variable: 'LINEPRINT_RECALL_CA_FILE',
      byDefault: 'those of Node',
      meaning: 'certificate authorities (PEM) to trust with `rediss://`',
    },
    {
      variable: 'LINEPRINT_RECALL_BANDS',
      byDefault: '`true`',
      meaning:
        '`false` indexes snippets with line prints without their MinHash bands: a quarter of the memory',
    },
    { variable: 'LINEPRINT_HOST', byDefault: '`127.0.0.1`', meaning: 'address to listen on' },
    {
      variable: 'LINEPRINT_PORT',
      byDefault: '`7310`',
      meaning: 'port to listen on; `0` takes any that is free',
    },
    {
      variable: 'LINEPRINT_BODY_LIMIT',
      byDefault: '4 MiB',
      meaning: 'largest body, decompressed, of every endpoint but the next',
    },
    {
      variable: 'LINEPRINT_COMMIT_BODY_LIMIT',
      byDefault: '64 MiB',
      meaning: 'largest body, decompressed, of `POST /api/v1/commits`',
    },
    {
      variable: 'LINEPRINT_BODY_VALUES',
      byDefault: '4,000,000',
      meaning: 'values in a JSON body, of whatever length: what bounds the memory that one request takes',
    },
    {
      variable: 'LINEPRINT_TRUSTED_PROXIES',
      byDefault: 'none',
      meaning:
        'addresses and networks of proxies in front, separated by commas: only their `X-Forwarded-For` and `X-Forwarded-Proto` count',
    },
    {
      variable: 'LINEPRINT_RATE_LIMIT',
      byDefault: '`500`',
      meaning:
        'requests a second of one credential that a process answers, over ten seconds; more get 429 with `Retry-After`. `0`: no limit. Several replicas answer that many each',
    },
    {
      variable: 'LINEPRINT_TENANT_RATE_LIMIT',
      byDefault: '`2000`',
      meaning: 'the same of an organisation',
    },
    {
      variable: 'LINEPRINT_ADDRESS_RATE_LIMIT',
      byDefault: '`100`',
      meaning:
        'the same of an address without a credential that counts; behind a proxy that is not trusted all have one',
    },
    {
      variable: 'LINEPRINT_PARTITIONS',
      byDefault: '`6`',
      meaning: 'partitions of each topic when it is created; more later, never fewer',
    },
    {
      variable: 'LINEPRINT_CAUSAL_WAIT_MS',
      byDefault: '`120000`',
      meaning: 'how long a commit waits for the snippets that preceded it before it goes on, marked `late`',
    },
    {
      variable: 'LINEPRINT_PARSER_PROCESSES',
      byDefault: '`1`',
      meaning: 'processes that parse syntax trees, in commit-analyzer and standalone',
    },
    {
      variable: 'LINEPRINT_SHUTDOWN_GRACE_MS',
      byDefault: '`25000`',
      meaning: 'how long a stopping process waits for running batches; a longer one is given up, uncommitted',
    },
    {
      variable: 'LINEPRINT_DEAD_LETTERS_TOLERATED',
      byDefault: '`20`',
      meaning: "this many dead letters among a consumption's last records are never too many …",
    },
    {
      variable: 'LINEPRINT_DEAD_LETTER_RATIO',
      byDefault: '`0.05`',
      meaning: '… nor is this share of them (0 to 1); past both, the consumption stops',
    },
    {
      variable: 'LINEPRINT_DEAD_LETTER_WINDOW',
      byDefault: '`1000`',
      meaning: 'how many records back they are counted',
    },
    {
      variable: 'LINEPRINT_OTLP_URL',
      byDefault: 'none',
      meaning:
        'OpenTelemetry collector (OTLP over HTTP), e.g. `http://collector:4318`; `OTEL_EXPORTER_OTLP_ENDPOINT` does as well',
    },
    {
      variable: 'LINEPRINT_LOG_LEVEL',
      byDefault: '`info`',
      meaning: '`fatal`, `error`, `warn`, `info`, `debug` or `silent`; logs are JSON on stderr',
    },
    {
      variable: 'LINEPRINT_RAW_CODE_KEY',
      byDefault: 'none',
      meaning:
        '32 bytes, base64: encrypts the code of organisations that opted in; without it code is not accepted. Several, separated by commas: the first encrypts, all are read ([rotation](security.md#keys))',
    },
    {
      variable: 'LINEPRINT_ORG_ID',
      byDefault: '`default`',
      meaning:
        'the organisation that a first start creates; its administrators answer for dead letters that name no organisation',
    },
    {
      variable: 'LINEPRINT_BOOTSTRAP_API_KEY',
      byDefault: 'none',
      meaning: 'its first API key, in our format; without it one is made and shown once',
    },
    {
      variable: 'LINEPRINT_BOOTSTRAP_LINE_KEY',
      byDefault: 'none',
      meaning: 'the key of its line prints, at least 16 bytes in base64; without it a random one is made',
    },
    {
      variable: 'LINEPRINT_TIME_ZONE',
      byDefault: '`UTC`',
      meaning: 'its time zone, by which days are counted',
    },
    {
      variable: 'LINEPRINT_WEEK_START',
      byDefault: 'Monday',
      meaning: 'the first day of its weeks in statistics, `monday` to `sunday`',
    },
  ],
  retention: [
    {
      variable: 'LINEPRINT_KEEP_SNIPPETS_DAYS',
      byDefault: '`120`',
      meaning:
        'snippets and their prints, by months; at least 90, and never before the log has lost what could be replayed with them',
    },
    {
      variable: 'LINEPRINT_KEEP_RAW_CODE_DAYS',
      byDefault: '`90`',
      meaning: 'code of organisations that opted in, after its acceptance',
    },
    {
      variable: 'LINEPRINT_KEEP_HISTORY_DAYS',
      byDefault: '`120`',
      meaning: 'what commits used and had seen of snippets, and changed in the counts of lines; at least 92',
    },
    {
      variable: 'LINEPRINT_KEEP_AUDIT_DAYS',
      byDefault: '`400`',
      meaning: 'who was shown the text of which file, and what came of reconciliations',
    },
  ],
  mirrors: [
    {
      variable: 'LINEPRINT_GIT_HOSTS',
      byDefault: 'none',
      meaning:
        'hosts that may be fetched from, separated by commas: `github.com`, `git.example.org:8443`; `http://host` allows a host without TLS. Without any, nothing is fetched',
    },
    {
      variable: 'LINEPRINT_GIT_MIRRORS',
      byDefault: '`.lineprint/mirrors`',
      meaning: 'directory of the bare mirrors',
    },
    {
      variable: 'LINEPRINT_GIT_POLL_MS',
      byDefault: '`900000`',
      meaning: 'how often each is looked at, whether its host tells of pushes or not',
    },
    { variable: 'LINEPRINT_GIT_FETCH_TIMEOUT_MS', byDefault: '`1800000`', meaning: 'how long git may take' },
    { variable: 'LINEPRINT_GIT_MIRROR_LIMIT', byDefault: '20 GiB', meaning: 'largest mirror' },
    {
      variable: 'LINEPRINT_GIT_CA_FILE',
      byDefault: "git's own",
      meaning: 'certificate authorities (PEM) to trust instead',
    },
    {
      variable: 'LINEPRINT_GIT_KNOWN_HOSTS',
      byDefault: "those of ingest's user",
      meaning: 'file of the host keys (`known_hosts`) to trust with SSH',
    },
    {
      variable: 'LINEPRINT_LOCAL_REPOSITORIES',
      byDefault: 'none',
      meaning:
        'JSON: where repositories of `LINEPRINT_ORG_ID` lie on this machine, by name, for the text of lines',
    },
    {
      variable: 'LINEPRINT_COUNTED_BRANCHES',
      byDefault: 'none',
      meaning:
        'branches that count beside the default one, of repositories that name none themselves: `release/*,develop`',
    },
    {
      variable: 'LINEPRINT_SECRETS_DIRECTORY',
      byDefault: '`/run/secrets/lineprint`',
      meaning: 'has a folder an organisation with the files that its connected repositories name as secrets',
    },
  ],
  people: [
    {
      variable: 'LINEPRINT_OIDC_ISSUER',
      byDefault: 'none',
      meaning: 'issuer (OpenID Connect), as its tokens spell it; `https://`, or on this machine',
    },
    {
      variable: 'LINEPRINT_OIDC_CLIENT_ID',
      byDefault: '`lineprint`',
      meaning: "the dashboard's client at the provider: a public one, code with PKCE",
    },
    {
      variable: 'LINEPRINT_OIDC_AUDIENCE',
      byDefault: "the client's id",
      meaning: 'what tokens are for, one or several separated by commas',
    },
    {
      variable: 'LINEPRINT_OIDC_SCOPE',
      byDefault: '`openid email profile`',
      meaning: 'what the dashboard asks the provider for',
    },
    {
      variable: 'LINEPRINT_OIDC_ALGORITHMS',
      byDefault: '`RS256 PS256 ES256 EdDSA`',
      meaning: 'how tokens may be signed; never with a shared secret',
    },
    {
      variable: 'LINEPRINT_OIDC_CLOCK_TOLERANCE_S',
      byDefault: '`30`',
      meaning: "seconds that the provider's clock and ours may differ",
    },
    {
      variable: 'LINEPRINT_OIDC_ORGANISATION_CLAIM',
      byDefault: 'none',
      meaning: "claim with the organisation's id; without it everybody is of `LINEPRINT_ORG_ID`",
    },
    {
      variable: 'LINEPRINT_OIDC_ROLE_CLAIM',
      byDefault: '`roles`',
      meaning: "claim with somebody's roles or groups: a list, or words",
    },
    {
      variable: 'LINEPRINT_OIDC_ROLES',
      byDefault: 'none',
      meaning: "our roles for the provider's names: `platform-team=admin,leads=maintainer`",
    },
    {
      variable: 'LINEPRINT_OIDC_PROJECTS_CLAIM',
      byDefault: '`lineprint_projects`',
      meaning: 'claim with the projects that a maintainer sees',
    },
    {
      variable: 'LINEPRINT_OIDC_EMAIL_CLAIM',
      byDefault: '`email`',
      meaning: "claim with the address by which somebody's numbers are found",
    },
    {
      variable: 'LINEPRINT_OIDC_TRUST_EMAIL',
      byDefault: '`false`',
      meaning: '`true` takes an address without `email_verified`: only where people cannot choose it',
    },
  ],
  kafka: [
    {
      variable: 'LINEPRINT_KAFKA_TLS',
      byDefault: '`false`',
      meaning: "`true` speaks TLS and checks the brokers' certificates and names",
    },
    {
      variable: 'LINEPRINT_KAFKA_CA_FILE',
      byDefault: "Node's own",
      meaning: 'the certificate authorities to trust instead',
    },
    {
      variable: 'LINEPRINT_KAFKA_CERT_FILE',
      byDefault: 'none',
      meaning: 'our certificate, where brokers ask for one …',
    },
    {
      variable: 'LINEPRINT_KAFKA_KEY_FILE',
      byDefault: 'none',
      meaning: '… and its key, without a passphrase',
    },
    {
      variable: 'LINEPRINT_KAFKA_SASL_MECHANISM',
      byDefault: 'none',
      meaning: '`plain`, `scram-sha-256` or `scram-sha-512`',
    },
    { variable: 'LINEPRINT_KAFKA_USERNAME', byDefault: 'none', meaning: 'the user to log in as …' },
    {
      variable: 'LINEPRINT_KAFKA_PASSWORD_FILE',
      byDefault: 'none',
      meaning: '… and a file with the password; a line break at its end does not count',
    },
    {
      variable: 'LINEPRINT_KAFKA_COMPRESSION',
      byDefault: '`gzip`',
      meaning:
        'what we write: `none`, `gzip`, `snappy`, `lz4` or `zstd` (Node 22.15 and later); all of them are read',
    },
  ],
};
