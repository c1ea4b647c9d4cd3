/* Made by tools/openapi.mjs from docs/openapi.json. */
export interface paths {
  '/api/v1/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who did what, the newest first
     * @description Scope `audit`.
     */
    get: operations['AuditController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/settings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How people log in
     * @description Without a credential.
     */
    get: operations['MeController_settings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/baselines': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether to send what stands in a repository before its first commit
     * @description Scope `ingest`. If wanted, send the files as commits with `baseline` before the first commit: lines that stand in many places say little about where they came from.
     */
    get: operations['BaselinesController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/code-fingerprints': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send fingerprints of code that was accepted from an AI, at most 1,000
     * @description Scope `ingest`. Good items are taken whatever the others are; sending an item again changes nothing. Where none is good, the problem lists them in `rejected`.
     */
    post: operations['FingerprintsController_post'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/commits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Analysed commits with their lines, newest first
     * @description Scope `read`.
     */
    get: operations['CommitsController_list'];
    put?: never;
    /**
     * Send commits with their content, oldest first, at most 500
     * @description Scope `ingest`. Good items are taken whatever the others are; sending an item again changes nothing. Where none is good, the problem lists them in `rejected`. They are judged later: `GET /api/v1/commits` shows those that are.
     */
    post: operations['CommitsController_post'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/commits/{sha}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One commit, its files and where their lines come from
     * @description Scope `read`.
     */
    get: operations['CommitsController_commit'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/commits/{sha}/lines': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The added lines of a file and their origin
     * @description Scope `read`.
     */
    get: operations['CommitsController_lines'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connected-repositories': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The repositories that Lineprint fetches itself, by name
     * @description Scope `admin`.
     */
    get: operations['RepositoriesController_list'];
    put?: never;
    /**
     * Connect a repository: it is mirrored, and its commits are analysed as they are pushed
     * @description Scope `admin`. Secrets are named, never sent: `file:PATH` or `env:NAME` where ingest runs. Give the host the address of ingest and `webhookPath`.
     */
    post: operations['RepositoriesController_connect'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connected-repositories/{hookId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One connected repository, and what went wrong with it
     * @description Scope `admin`.
     */
    get: operations['RepositoriesController_one'];
    put?: never;
    post?: never;
    /**
     * Forget a connected repository and its mirror; results stay
     * @description Scope `admin`.
     */
    delete: operations['RepositoriesController_disconnect'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connected-repositories/{hookId}/fetch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Look at a connected repository now
     * @description Scope `admin`.
     */
    post: operations['RepositoriesController_fetch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connected-repositories/{hookId}/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Name another secret for its webhook; the one before stays good for a while
     * @description Scope `admin`.
     */
    post: operations['RepositoriesController_rotateSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/data-quality': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What the numbers of some days do not know
     * @description Scope `read`.
     */
    get: operations['QualityController_quality'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/dead-letters': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Records that could not be processed, by topic and position
     * @description Scope `admin`.
     */
    get: operations['DeadLettersController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/dead-letters/{topic}/{partition}/{offset}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A dead letter and its headers; never its value
     * @description Scope `admin`.
     */
    get: operations['DeadLettersController_show'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/dead-letters/drop': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Close open dead letters for good, without processing them
     * @description Scope `admin`.
     */
    post: operations['DeadLettersController_drop'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/dead-letters/redrive': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send open dead letters to the topic they failed in, each once, in the order of each key
     * @description Scope `admin`.
     */
    post: operations['DeadLettersController_redrive'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/enrolment': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What a client needs to make line prints that match
     * @description Scope `ingest`. `lineKey` is a secret of the organisation, in base64. `rawCode`: whether code that a client sends as well is kept.
     */
    get: operations['EnrolmentController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/erasures': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Erased people by their pseudonyms, the newest first
     * @description Scope `admin`.
     */
    get: operations['ErasuresController_list'];
    put?: never;
    /**
     * Erase a person with all addresses; the lines stay a pseudonym’s
     * @description Scope `admin`.
     */
    post: operations['ErasuresController_erase'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/erasures/{address}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Let new events have an erased person again
     * @description Scope `admin`.
     */
    delete: operations['ErasuresController_lift'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/erasures/{pseudonym}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether anything is left of an erased person
     * @description Scope `admin`.
     */
    get: operations['ErasuresController_one'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/exclusions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Files that did not count, by why
     * @description Scope `read`.
     */
    get: operations['BreakdownsController_exclusions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All results as NDJSON, byte for byte the same for the same input
     * @description Scope `read`.
     */
    get: operations['ExportController_export'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The files at a branch’s tip with their lines, by where they came from
     * @description Scope `read`.
     */
    get: operations['FilesController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/files/lines': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All lines of a file at a commit: who or what they came from, and why that is known
     * @description Scope `read`.
     */
    get: operations['FileLinesController_lines'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/head': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The lines that stand in default branches now, by where they came from
     * @description Scope `read`.
     */
    get: operations['HeadController_head'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * People, bots and assistants with all their addresses
     * @description Scope `read`.
     */
    get: operations['IdentitiesController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/{address}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whose an address is
     * @description Scope `read`.
     */
    get: operations['IdentitiesController_one'];
    /**
     * Say how somebody is called and what it is; null for what commits say
     * @description Scope `admin`.
     */
    put: operations['IdentitiesController_describe'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/{address}/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Everything that is stored of a person, as NDJSON
     * @description Scope `admin`.
     */
    get: operations['IdentitiesController_export'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/conflicts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Addresses that mailmaps disagree on
     * @description Scope `admin`.
     */
    get: operations['IdentitiesController_conflicts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/decisions/{address}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Forget that an address was merged or split
     * @description Scope `admin`.
     */
    delete: operations['IdentitiesController_forget'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/mailmap': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Which addresses are whose, by the .mailmap of a repository
     * @description Scope `ingest`, of no personal key. It takes the place of the one before; an empty one takes it away. Addresses that mailmaps disagree on are listed, and nobody’s but their own until somebody decides.
     */
    post: operations['MailmapController_post'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/merge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make two people one, whatever mailmaps say
     * @description Scope `admin`.
     */
    post: operations['IdentitiesController_merge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/identities/split': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make an address a person of its own
     * @description Scope `admin`.
     */
    post: operations['IdentitiesController_split'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who the credential stands for, and what it shows
     * @description Any credential.
     */
    get: operations['MeController_me'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * AI lines by the model that they came from
     * @description Scope `read`.
     */
    get: operations['BreakdownsController_models'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/people': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * People with their lines, the most first
     * @description Scope `read`.
     */
    get: operations['BreakdownsController_people'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/policies': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The policies, oldest first, and when which was activated
     * @description Scope `read`.
     */
    get: operations['PoliciesController_list'];
    put?: never;
    /**
     * Make a policy, whole or as changes of another one
     * @description Scope `admin`.
     */
    post: operations['PoliciesController_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/policies/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One policy, who judges it and who reads it
     * @description Scope `read`.
     */
    get: operations['PoliciesController_one'];
    put?: never;
    post?: never;
    /**
     * Drop a policy with all its results; its id stays taken
     * @description Scope `admin`.
     */
    delete: operations['PoliciesController_drop'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/policies/{id}/activate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let dashboards read this policy; nothing is computed
     * @description Scope `admin`.
     */
    post: operations['PoliciesController_activate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/policies/{id}/diff/{other}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What would change from one policy to another
     * @description Scope `read`.
     */
    get: operations['PolicyDiffController_diff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/policies/{id}/diff/{other}/lines': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The lines that flip, by file
     * @description Scope `read`.
     */
    get: operations['PolicyDiffController_lines'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/projects': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Projects with their lines, the most first
     * @description Scope `read`.
     */
    get: operations['BreakdownsController_projects'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/reconciliations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The last 50 reconciliations, the newest first
     * @description Scope `admin`.
     */
    get: operations['ReconciliationsController_list'];
    put?: never;
    /**
     * Ask for a reconciliation
     * @description Scope `admin`.
     */
    post: operations['ReconciliationsController_request'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/reconciliations/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A reconciliation and where sums differ
     * @description Scope `admin`.
     */
    get: operations['ReconciliationsController_show'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/refs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * What branches of a repository name now
     * @description Scope `ingest`. Sent after the commits that they lead to. From the first time on that the default branch is told, only what it or another counted branch leads to is in totals; the rest is provisional.
     */
    post: operations['RefsController_post'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/replays': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The replays, newest first
     * @description Scope `admin`.
     */
    get: operations['ReplaysController_list'];
    put?: never;
    /**
     * Judge every commit again under a policy
     * @description Scope `admin`.
     */
    post: operations['ReplaysController_start'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/replays/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One replay and how far it is
     * @description Scope `admin`.
     */
    get: operations['ReplaysController_one'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/replays/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End it; what it has written stays until its policy is dropped
     * @description Scope `admin`.
     */
    post: operations['ReplaysController_cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/replays/{id}/pause': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Stop for a while
     * @description Scope `admin`.
     */
    post: operations['ReplaysController_pause'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/replays/{id}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Go on from there, also after it was cancelled or failed
     * @description Scope `admin`.
     */
    post: operations['ReplaysController_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/repositories': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Repositories with their lines, the most first
     * @description Scope `read`.
     */
    get: operations['BreakdownsController_repositories'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/snippets/{codeId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What is known of a snippet; its code is not
     * @description Scope `read`.
     */
    get: operations['SnippetsController_snippet'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/snippets/{codeId}/alignment': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What became of each line of a snippet in a file that a commit changed
     * @description Scope `read`.
     */
    get: operations['SnippetsController_alignment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/stats/ai-attribution': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * AI attribution of a person, a project or the organisation
     * @description Scope `read`.
     */
    get: operations['StatsController_aiAttribution'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/summary': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All lines of the organisation, split in six ways
     * @description Scope `read`.
     */
    get: operations['SummaryController_summary'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/summary/commits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How many commits have been analysed
     * @description Scope `read`.
     */
    get: operations['SummaryController_commits'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/survival': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How long lines stand in default branches
     * @description Scope `read`.
     */
    get: operations['SurvivalController_survival'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/teams': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The teams by id; with a personal key those of the person
     * @description Scope `read`.
     */
    get: operations['TeamsController_list'];
    put?: never;
    /**
     * Make a team
     * @description Scope `admin`.
     */
    post: operations['TeamsController_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/teams/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One team
     * @description Scope `read`.
     */
    get: operations['TeamsController_one'];
    /**
     * Change the name and the members of a team
     * @description Scope `admin`.
     */
    put: operations['TeamsController_replace'];
    post?: never;
    /**
     * Delete a team; the people stay
     * @description Scope `admin`.
     */
    delete: operations['TeamsController_remove'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/top-files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Files by the lines that they got, the most first
     * @description Scope `read`.
     */
    get: operations['BreakdownsController_topFiles'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether the consumers of this process still move */
    get: operations['HealthController_live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether this process reaches its stores and has its partitions */
    get: operations['HealthController_ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Metrics for Prometheus */
    get: operations['HealthController_scrape'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/telemetry/code-fingerprint': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send one fingerprint
     * @description Scope `ingest`. For clients of the first protocol.
     */
    post: operations['TelemetryController_codeFingerprint'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/telemetry/code-gen-stats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a session's running totals
     * @description Scope `ingest`. The newest of a session counts.
     */
    post: operations['TelemetryController_codeGenStats'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{host}/{hookId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A git host tells of a push
     * @description No API key: the host signs the bytes, each in its own way, at most 25 MB. What changed is asked of git afterwards.
     */
    post: operations['WebhooksController_post'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: never;
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  AuditController_list: {
    parameters: {
      query?: {
        /** @description What was done, such as `policy.changed`, or `policy` for all of it. */
        action?: string;
        /** @description A person, or the public part of a key. */
        actor?: string;
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description Not before this moment. */
        from?: string;
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Before this moment. */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Who did what, the newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            entries: {
              /** @description E.g. `policy.created`, `replay.changed`, `code.read`. */
              action: string;
              /** @description The person, or the public part of a key; null for who works at the database itself. */
              actor: string | null;
              after: {
                [key: string]: unknown;
              } | null;
              /** Format: date-time */
              at: string;
              /** @description What a change or deletion took away; of a change only what differs. */
              before: {
                [key: string]: unknown;
              } | null;
              /** @description What it was done to. */
              target: string;
            }[];
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
          };
          'text/csv': string;
        };
      };
    };
  };
  MeController_settings: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description How people log in */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Null where only API keys are taken. */
            oidc: {
              clientId: string;
              issuer: string;
              /** @description What to ask the identity provider for. */
              scope: string;
            } | null;
          };
        };
      };
    };
  };
  BaselinesController_get: {
    parameters: {
      query: {
        /** @description Name of the repository, as its commits give it. */
        repository: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Whether nothing is known of the repository */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "wanted": true
           *     }
           */
          'application/json': {
            wanted: boolean;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  FingerprintsController_post: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "fingerprints": [
         *         {
         *           "codeId": "session-7-1-0",
         *           "sessionId": "session-7",
         *           "userId": "mara@harbour.example",
         *           "repository": "harbour/desk",
         *           "source": "agent",
         *           "signature": [
         *             2654435761,
         *             1013904226,
         *             3668339987,
         *             2027808452,
         *             387276917,
         *             3041712678,
         *             1401181143,
         *             4055616904,
         *             2415085369,
         *             774553834,
         *             3428989595,
         *             1788458060,
         *             147926525,
         *             2802362286,
         *             1161830751,
         *             3816266512,
         *             2175734977,
         *             535203442,
         *             3189639203,
         *             1549107668,
         *             4203543429,
         *             2563011894,
         *             922480359,
         *             3576916120,
         *             1936384585,
         *             295853050,
         *             2950288811,
         *             1309757276,
         *             3964193037,
         *             2323661502,
         *             683129967,
         *             3337565728,
         *             1697034193,
         *             56502658,
         *             2710938419,
         *             1070406884,
         *             3724842645,
         *             2084311110,
         *             443779575,
         *             3098215336,
         *             1457683801,
         *             4112119562,
         *             2471588027,
         *             831056492,
         *             3485492253,
         *             1844960718,
         *             204429183,
         *             2858864944,
         *             1218333409,
         *             3872769170,
         *             2232237635,
         *             591706100,
         *             3246141861,
         *             1605610326,
         *             4260046087,
         *             2619514552,
         *             978983017,
         *             3633418778,
         *             1992887243,
         *             352355708,
         *             3006791469,
         *             1366259934,
         *             4020695695,
         *             2380164160,
         *             739632625,
         *             3394068386,
         *             1753536851,
         *             113005316,
         *             2767441077,
         *             1126909542,
         *             3781345303,
         *             2140813768,
         *             500282233,
         *             3154717994,
         *             1514186459,
         *             4168622220,
         *             2528090685,
         *             887559150,
         *             3541994911,
         *             1901463376,
         *             260931841,
         *             2915367602,
         *             1274836067,
         *             3929271828,
         *             2288740293,
         *             648208758,
         *             3302644519,
         *             1662112984,
         *             21581449,
         *             2676017210,
         *             1035485675,
         *             3689921436,
         *             2049389901,
         *             408858366,
         *             3063294127,
         *             1422762592,
         *             4077198353,
         *             2436666818,
         *             796135283,
         *             3450571044,
         *             1810039509,
         *             169507974,
         *             2823943735,
         *             1183412200,
         *             3837847961,
         *             2197316426,
         *             556784891,
         *             3211220652,
         *             1570689117,
         *             4225124878,
         *             2584593343,
         *             944061808,
         *             3598497569,
         *             1957966034,
         *             317434499,
         *             2971870260,
         *             1331338725,
         *             3985774486,
         *             2345242951,
         *             704711416,
         *             3359147177,
         *             1718615642,
         *             78084107,
         *             2732519868,
         *             1091988333,
         *             3746424094,
         *             2105892559,
         *             465361024
         *           ],
         *           "lshBuckets": [
         *             2654435761,
         *             1013904226,
         *             3668339987,
         *             2027808452,
         *             387276917,
         *             3041712678,
         *             1401181143,
         *             4055616904,
         *             2415085369,
         *             774553834,
         *             3428989595,
         *             1788458060,
         *             147926525,
         *             2802362286,
         *             1161830751,
         *             3816266512
         *           ],
         *           "language": "typescript",
         *           "fileExtension": "ts",
         *           "timestamp": 1780311600000,
         *           "lineCount": 1,
         *           "charCount": 25,
         *           "structureHash": "362d8c1e27ef6ea5"
         *         }
         *       ]
         *     }
         */
        'application/json': {
          fingerprints: {
            acceptedPartially?: boolean;
            after?: string;
            before?: string;
            charCount: number;
            client?: {
              name: string;
              version: string;
            };
            codeId: string;
            declaredBy?: string;
            edit?: {
              /** @enum {string} */
              kind: 'insert' | 'replace' | 'write' | 'patch';
            };
            fileExtension: string;
            keyId?: string;
            language: string;
            lineCount: number;
            linePrints?: string;
            lshBuckets: number[];
            model?: string;
            orgId?: string;
            parentSessionId?: string;
            pathKey?: string;
            projectId?: string;
            /** @enum {number} */
            protocol?: 1 | 2;
            rawCode?: string;
            repository?: string;
            sessionId: string;
            signature: number[];
            /** @enum {string} */
            source: 'tab' | 'chat' | 'agent';
            structureHash: string;
            timestamp: number;
            userId: string;
          }[];
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What was taken, and why the rest was not */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accepted": 1,
           *       "rejected": [
           *         {
           *           "index": 1,
           *           "code": "signature-invalid",
           *           "detail": "`signature` must hold 128 unsigned integers."
           *         }
           *       ]
           *     }
           */
          'application/json': {
            accepted: number;
            rejected: {
              code: string;
              detail: string;
              index: number;
            }[];
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  CommitsController_list: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Only commits of this person, by any address. */
        person?: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only this project. */
        project_id?: string;
        /** @description The repository as it was pushed, for example github.com/acme/shop. */
        repository?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Analysed commits with their lines, newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            commits: {
              aiRatio: number;
              /** Format: date-time */
              authoredAt: string;
              authorEmail: string;
              authorName: string;
              branch: string | null;
              /** Format: date-time */
              committedAt: string;
              /** @description False for provisional work: no ref that counts leads to it, and it is in no total. */
              counted: boolean;
              declaredBy: string | null;
              /** @description The AI that the commit itself names. */
              declaredTool: string | null;
              files: number;
              /** @description Some earlier snippets may not have been indexed in time. */
              late: boolean;
              lines: {
                added: number;
                human: number;
                inherited: number;
                modified: number;
                preserved: number;
              };
              parents: string[];
              projectId: string;
              repository: string;
              /** @description How often it was analysed again because snippets arrived that it should have known. */
              revision: number;
              sha: string;
              /** @description The person the lines count for. */
              userId: string;
            }[];
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
          };
        };
      };
    };
  };
  CommitsController_post: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "commits": [
         *         {
         *           "repository": "harbour/desk",
         *           "sha": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f",
         *           "parents": [
         *             "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
         *           ],
         *           "authorName": "Mara Lind",
         *           "authorEmail": "mara@harbour.example",
         *           "committerName": "Mara Lind",
         *           "committerEmail": "mara@harbour.example",
         *           "authoredAt": 1780315140000,
         *           "committedAt": 1780315200000,
         *           "files": [
         *             {
         *               "path": "src/berth.ts",
         *               "status": "modified",
         *               "binary": false,
         *               "addedLines": 1,
         *               "deletedLines": 1,
         *               "content": "const SAFETY_METRES = 12;\n",
         *               "hunks": [
         *                 {
         *                   "oldStart": 1,
         *                   "oldLines": 1,
         *                   "newStart": 1,
         *                   "newLines": 1,
         *                   "removed": [
         *                     "const MARGIN = 12;"
         *                   ]
         *                 }
         *               ]
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        'application/json': {
          commits: {
            authoredAt: number;
            authorEmail: string;
            authorName: string;
            baseline?: {
              part: number;
            };
            branch?: string;
            committedAt: number;
            committerEmail: string;
            committerName: string;
            declared?: {
              /** @enum {string} */
              by: 'author' | 'committer' | 'trailer' | 'subject';
              model?: string;
              /** @enum {string} */
              source: 'tab' | 'chat' | 'agent';
              tool: string;
            };
            files: {
              addedLines: number;
              binary: boolean;
              content?: string;
              declaredLines?: (
                | {
                    count: number;
                    /** @enum {string} */
                    kind: 'P' | 'M';
                    model?: string;
                    /** @enum {string} */
                    source: 'tab' | 'chat' | 'agent';
                    start: number;
                  }
                | {
                    count: number;
                    /** @enum {string} */
                    kind: 'H';
                    start: number;
                  }
              )[];
              deletedLines: number;
              excluded?: string;
              hunks: {
                added?: string[];
                newLines: number;
                newStart: number;
                oldLines: number;
                oldStart: number;
                removed: string[];
              }[];
              oldPath?: string;
              path: string;
              /** @enum {string} */
              status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typechange';
            }[];
            merged?: {
              from: {
                edits: number[];
                parent: number;
                path?: string;
              }[];
              path: string;
            }[];
            parents: string[];
            projectId?: string;
            repository: string;
            sha: string;
          }[];
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What was taken, and why the rest was not */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accepted": 1,
           *       "rejected": [
           *         {
           *           "index": 1,
           *           "code": "signature-invalid",
           *           "detail": "`signature` must hold 128 unsigned integers."
           *         }
           *       ]
           *     }
           */
          'application/json': {
            accepted: number;
            rejected: {
              code: string;
              detail: string;
              index: number;
            }[];
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  CommitsController_commit: {
    parameters: {
      query: {
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description The repository as it was pushed, for example github.com/acme/shop. */
        repository: string;
      };
      header?: never;
      path: {
        /** @description The full id of the commit, in lower case. */
        sha: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description One commit, its files and where their lines come from */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            authoredAt: string;
            authorEmail: string;
            authorName: string;
            branch: string | null;
            /** Format: date-time */
            committedAt: string;
            /** @description False for provisional work: no ref that counts leads to it, and it is in no total. */
            counted: boolean;
            declaredBy: string | null;
            /** @description The AI that the commit itself names. */
            declaredTool: string | null;
            files: {
              addedLines: number;
              blankLines: number;
              deletedLines: number;
              /** @description Why the file does not count, if so. */
              excluded: string | null;
              inherited: (
                | {
                    count: number;
                    fromFile?: string;
                    fromLine: number;
                    /** @enum {string} */
                    how: 'moved' | 'whitespace';
                    start: number;
                  }
                | {
                    count: number;
                    fromCommit: string;
                    fromLine?: number;
                    /** @enum {string} */
                    how: 'copied';
                    start: number;
                  }
              )[];
              inheritedLines: number;
              language: string;
              oldPath: string | null;
              path: string;
              results: {
                bits: number;
                codeId: string | null;
                /** @enum {string} */
                confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE';
                /** @description The commit that added these lines first, where they count in this one: that one does not. */
                copiedFrom: string | null;
                /** @enum {string} */
                evidence: 'matched' | 'declared' | 'estimated' | 'none';
                human: number;
                model: string | null;
                modified: number;
                preserved: number;
                similarity: number | null;
                /** @enum {string|null} */
                source: 'tab' | 'chat' | 'agent' | null;
                suspect: number;
              }[];
              /** @enum {string} */
              status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typechange';
            }[];
            /** @description Some earlier snippets may not have been indexed in time. */
            late: boolean;
            parents: string[];
            projectId: string;
            repository: string;
            /** @description How often it was analysed again because snippets arrived that it should have known. */
            revision: number;
            sha: string;
            /** @description The person the lines count for. */
            userId: string;
          };
        };
      };
    };
  };
  CommitsController_lines: {
    parameters: {
      query: {
        /** @description A file that the commit changed, as its path is after the commit. */
        path: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description The repository as it was pushed, for example github.com/acme/shop. */
        repository: string;
      };
      header?: never;
      path: {
        /** @description The full id of the commit, in lower case. */
        sha: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The added lines of a file and their origin */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Ranges of attributable lines, in file order. Other lines are not listed. */
            lines: {
              codeId: string | null;
              /** @enum {string} */
              confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE';
              count: number;
              /** @enum {string} */
              evidence: 'matched' | 'declared' | 'estimated' | 'none';
              /** @description Why: one for each line of the range where evidence is `matched`, none elsewhere. */
              explanations: {
                /** @description Evidence of this line alone, in bits. */
                bits: number;
                /** @description Number of the line in the new file, from 0. */
                line: number;
                /**
                 * @description By which rule it was given to the snippet.
                 * @enum {string}
                 */
                rule: 'line' | 'statement' | 'shape' | 'similar' | 'reflow' | 'surroundings';
                /** @description Number of the line in the snippet, from 0; 65535 stands for all above. */
                snippetLine: number;
              }[];
              /** @enum {string} */
              kind: 'P' | 'M' | 'H';
              model: string | null;
              /** @enum {string|null} */
              source: 'tab' | 'chat' | 'agent' | null;
              /** @description Number of the first line in the new file, from 0. */
              start: number;
              /** @description The evidence of all lines with this origin, such as `14 of 16 lines equal, 2 changed; 92 bits`. */
              words: string;
            }[];
            path: string;
            repository: string;
            sha: string;
          };
        };
      };
    };
  };
  RepositoriesController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The repositories */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "repositories": [
           *         {
           *           "hookId": "4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *           "webhookPath": "/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *           "repository": "desk",
           *           "project": "desk",
           *           "host": "github",
           *           "cloneUrl": "https://github.com/harbour/desk.git",
           *           "credential": "file:github-token",
           *           "secret": "file:desk-hook",
           *           "previousSecretUntil": null,
           *           "branches": [],
           *           "history": 500,
           *           "defaultBranch": "main",
           *           "seen": {
           *             "main": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f"
           *           },
           *           "status": "connected",
           *           "error": null,
           *           "failures": 0,
           *           "fetchedAt": "2026-06-01T12:00:00.000Z",
           *           "dueAt": "2026-06-01T12:15:00.000Z",
           *           "createdAt": "2026-06-01T11:58:00.000Z"
           *         }
           *       ]
           *     }
           */
          'application/json': {
            repositories: {
              branches: string[];
              cloneUrl: string;
              /** Format: date-time */
              createdAt: string;
              credential: string | null;
              defaultBranch: string | null;
              /** Format: date-time */
              dueAt: string;
              error: {
                code: string;
                message: string;
              } | null;
              failures: number;
              /** Format: date-time */
              fetchedAt: string | null;
              history: number;
              hookId: string;
              /** @enum {string} */
              host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
              /** Format: date-time */
              previousSecretUntil: string | null;
              project: string;
              repository: string;
              secret: string;
              /** @description The last commit that was sent, by branch. */
              seen: {
                [key: string]: string;
              };
              /** @enum {string} */
              status: 'waiting' | 'connected' | 'failing';
              /** @description Behind the address of ingest: what the host is to call. */
              webhookPath: string;
            }[];
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  RepositoriesController_connect: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "host": "github",
         *       "cloneUrl": "https://github.com/harbour/desk.git",
         *       "credential": "file:github-token",
         *       "secret": "file:desk-hook",
         *       "history": 500
         *     }
         */
        'application/json': {
          /**
           * @description Branches whose commits are analysed, with at most one `*` each; by default the default branch.
           * @default []
           */
          branches?: string[];
          /** @description `https://HOST/PATH` or `ssh://git@HOST/PATH`, without a credential, of a host that is allowed. */
          cloneUrl: string;
          /** @description Where the credential is, `env:NAME` or `file:PATH`: a token or `user:password`, for SSH the file of a private key. */
          credential?: string;
          /**
           * @description How many commits of the past are analysed as well.
           * @default 0
           */
          history?: number;
          /**
           * @description Whose webhooks it has.
           * @enum {string}
           */
          host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
          /** @description By default the repository. */
          project?: string;
          /** @description The name that results carry; by default the last part of the URL. */
          repository?: string;
          /** @description Where the secret is with which the host signs. */
          secret: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The repository */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hookId": "4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "webhookPath": "/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "repository": "desk",
           *       "project": "desk",
           *       "host": "github",
           *       "cloneUrl": "https://github.com/harbour/desk.git",
           *       "credential": "file:github-token",
           *       "secret": "file:desk-hook",
           *       "previousSecretUntil": null,
           *       "branches": [],
           *       "history": 500,
           *       "defaultBranch": "main",
           *       "seen": {
           *         "main": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f"
           *       },
           *       "status": "connected",
           *       "error": null,
           *       "failures": 0,
           *       "fetchedAt": "2026-06-01T12:00:00.000Z",
           *       "dueAt": "2026-06-01T12:15:00.000Z",
           *       "createdAt": "2026-06-01T11:58:00.000Z"
           *     }
           */
          'application/json': {
            branches: string[];
            cloneUrl: string;
            /** Format: date-time */
            createdAt: string;
            credential: string | null;
            defaultBranch: string | null;
            /** Format: date-time */
            dueAt: string;
            error: {
              code: string;
              message: string;
            } | null;
            failures: number;
            /** Format: date-time */
            fetchedAt: string | null;
            history: number;
            hookId: string;
            /** @enum {string} */
            host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
            /** Format: date-time */
            previousSecretUntil: string | null;
            project: string;
            repository: string;
            secret: string;
            /** @description The last commit that was sent, by branch. */
            seen: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'waiting' | 'connected' | 'failing';
            /** @description Behind the address of ingest: what the host is to call. */
            webhookPath: string;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  RepositoriesController_one: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a connected repository. */
        hookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The repository */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hookId": "4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "webhookPath": "/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "repository": "desk",
           *       "project": "desk",
           *       "host": "github",
           *       "cloneUrl": "https://github.com/harbour/desk.git",
           *       "credential": "file:github-token",
           *       "secret": "file:desk-hook",
           *       "previousSecretUntil": null,
           *       "branches": [],
           *       "history": 500,
           *       "defaultBranch": "main",
           *       "seen": {
           *         "main": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f"
           *       },
           *       "status": "connected",
           *       "error": null,
           *       "failures": 0,
           *       "fetchedAt": "2026-06-01T12:00:00.000Z",
           *       "dueAt": "2026-06-01T12:15:00.000Z",
           *       "createdAt": "2026-06-01T11:58:00.000Z"
           *     }
           */
          'application/json': {
            branches: string[];
            cloneUrl: string;
            /** Format: date-time */
            createdAt: string;
            credential: string | null;
            defaultBranch: string | null;
            /** Format: date-time */
            dueAt: string;
            error: {
              code: string;
              message: string;
            } | null;
            failures: number;
            /** Format: date-time */
            fetchedAt: string | null;
            history: number;
            hookId: string;
            /** @enum {string} */
            host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
            /** Format: date-time */
            previousSecretUntil: string | null;
            project: string;
            repository: string;
            secret: string;
            /** @description The last commit that was sent, by branch. */
            seen: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'waiting' | 'connected' | 'failing';
            /** @description Behind the address of ingest: what the host is to call. */
            webhookPath: string;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  RepositoriesController_disconnect: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a connected repository. */
        hookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The repository */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hookId": "4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "webhookPath": "/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "repository": "desk",
           *       "project": "desk",
           *       "host": "github",
           *       "cloneUrl": "https://github.com/harbour/desk.git",
           *       "credential": "file:github-token",
           *       "secret": "file:desk-hook",
           *       "previousSecretUntil": null,
           *       "branches": [],
           *       "history": 500,
           *       "defaultBranch": "main",
           *       "seen": {
           *         "main": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f"
           *       },
           *       "status": "connected",
           *       "error": null,
           *       "failures": 0,
           *       "fetchedAt": "2026-06-01T12:00:00.000Z",
           *       "dueAt": "2026-06-01T12:15:00.000Z",
           *       "createdAt": "2026-06-01T11:58:00.000Z"
           *     }
           */
          'application/json': {
            branches: string[];
            cloneUrl: string;
            /** Format: date-time */
            createdAt: string;
            credential: string | null;
            defaultBranch: string | null;
            /** Format: date-time */
            dueAt: string;
            error: {
              code: string;
              message: string;
            } | null;
            failures: number;
            /** Format: date-time */
            fetchedAt: string | null;
            history: number;
            hookId: string;
            /** @enum {string} */
            host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
            /** Format: date-time */
            previousSecretUntil: string | null;
            project: string;
            repository: string;
            secret: string;
            /** @description The last commit that was sent, by branch. */
            seen: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'waiting' | 'connected' | 'failing';
            /** @description Behind the address of ingest: what the host is to call. */
            webhookPath: string;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  RepositoriesController_fetch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a connected repository. */
        hookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The repository */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hookId": "4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "webhookPath": "/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "repository": "desk",
           *       "project": "desk",
           *       "host": "github",
           *       "cloneUrl": "https://github.com/harbour/desk.git",
           *       "credential": "file:github-token",
           *       "secret": "file:desk-hook",
           *       "previousSecretUntil": null,
           *       "branches": [],
           *       "history": 500,
           *       "defaultBranch": "main",
           *       "seen": {
           *         "main": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f"
           *       },
           *       "status": "connected",
           *       "error": null,
           *       "failures": 0,
           *       "fetchedAt": "2026-06-01T12:00:00.000Z",
           *       "dueAt": "2026-06-01T12:15:00.000Z",
           *       "createdAt": "2026-06-01T11:58:00.000Z"
           *     }
           */
          'application/json': {
            branches: string[];
            cloneUrl: string;
            /** Format: date-time */
            createdAt: string;
            credential: string | null;
            defaultBranch: string | null;
            /** Format: date-time */
            dueAt: string;
            error: {
              code: string;
              message: string;
            } | null;
            failures: number;
            /** Format: date-time */
            fetchedAt: string | null;
            history: number;
            hookId: string;
            /** @enum {string} */
            host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
            /** Format: date-time */
            previousSecretUntil: string | null;
            project: string;
            repository: string;
            secret: string;
            /** @description The last commit that was sent, by branch. */
            seen: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'waiting' | 'connected' | 'failing';
            /** @description Behind the address of ingest: what the host is to call. */
            webhookPath: string;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  RepositoriesController_rotateSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a connected repository. */
        hookId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "secret": "file:desk-hook-2",
         *       "overlapHours": 24
         *     }
         */
        'application/json': {
          /**
           * @description How long the secret before is still good.
           * @default 24
           */
          overlapHours?: number;
          secret: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The repository */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hookId": "4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "webhookPath": "/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9",
           *       "repository": "desk",
           *       "project": "desk",
           *       "host": "github",
           *       "cloneUrl": "https://github.com/harbour/desk.git",
           *       "credential": "file:github-token",
           *       "secret": "file:desk-hook",
           *       "previousSecretUntil": null,
           *       "branches": [],
           *       "history": 500,
           *       "defaultBranch": "main",
           *       "seen": {
           *         "main": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f"
           *       },
           *       "status": "connected",
           *       "error": null,
           *       "failures": 0,
           *       "fetchedAt": "2026-06-01T12:00:00.000Z",
           *       "dueAt": "2026-06-01T12:15:00.000Z",
           *       "createdAt": "2026-06-01T11:58:00.000Z"
           *     }
           */
          'application/json': {
            branches: string[];
            cloneUrl: string;
            /** Format: date-time */
            createdAt: string;
            credential: string | null;
            defaultBranch: string | null;
            /** Format: date-time */
            dueAt: string;
            error: {
              code: string;
              message: string;
            } | null;
            failures: number;
            /** Format: date-time */
            fetchedAt: string | null;
            history: number;
            hookId: string;
            /** @enum {string} */
            host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
            /** Format: date-time */
            previousSecretUntil: string | null;
            project: string;
            repository: string;
            secret: string;
            /** @description The last commit that was sent, by branch. */
            seen: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'waiting' | 'connected' | 'failing';
            /** @description Behind the address of ingest: what the host is to call. */
            webhookPath: string;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  QualityController_quality: {
    parameters: {
      query?: {
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What the numbers of some days do not know */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Of the days in question. */
            commits: {
              counted: number;
              /** @description That name an AI themselves. */
              declared: number;
              /** @description Judged before all earlier snippets were indexed. */
              late: number;
              /** @description On no branch that counts. */
              provisional: number;
              /** @description Judged anew because snippets came late. */
              revised: number;
            };
            /** @description Records that could not be processed, for keys with the scope `admin`; null for others. */
            deadLetters: {
              more: boolean;
              open: number;
            } | null;
            /** @description AI lines (preserved + modified) by evidence, unweighted, of the days in question. */
            lines: {
              declared: number;
              /** @description Known by an old client’s signature alone, whole hunks at a time. */
              estimated: number;
              matched: number;
              /** @description Attributable lines that do not count yet; in no other number. */
              provisional: number;
              /** @description Human lines flagged because a match was too weak to count. */
              suspect: number;
              total: number;
            };
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
            /** @description Commits that wait to be judged anew. */
            reanalysis: {
              pending: number;
            };
            /** @description The last proof that daily sums are what results say; null before the first. */
            reconciliation: {
              days: number;
              differences: number;
              /** Format: date-time */
              finishedAt: string;
            } | null;
            repositories: {
              /** @description Commits that others name as a parent and nobody has sent, by repository. */
              gaps: {
                missing: number;
                repository: string;
              }[];
              total: number;
              /** @description Nobody has told their default branch: all their commits count, and no ledger is kept. */
              withoutDefaultBranch: string[];
            };
            /** @description Accepted on the days in question, and of them those that no commit has matched until now. */
            snippets: {
              accepted: number;
              neverMatched: number;
            };
          };
        };
      };
    };
  };
  DeadLettersController_list: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Why they failed, for example `event-invalid`. */
        code?: string;
        /** @description The consumer group that could not process them. */
        group?: string;
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description What became of them. */
        state?: 'open' | 'redriven' | 'dropped' | 'all';
        /** @description The topic in which records failed. */
        topic?:
          | 'lineprint.snippets.v1'
          | 'lineprint.activity.v1'
          | 'lineprint.commits.v1'
          | 'lineprint.candidates.v1'
          | 'lineprint.attributions.v1';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Records that could not be processed, by topic and position */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            deadLetters: {
              /** @description Failed attempts, those before it was redriven included. */
              attempts: number;
              bytes: number;
              code: string | null;
              /** Format: date-time */
              deadLetteredAt: string;
              /** Format: date-time */
              decidedAt: string | null;
              /** @description The person whose key decided, if it was a personal one. */
              decidedBy: string | null;
              eventId: string | null;
              group: string | null;
              /** @description Dead-letter topic, partition and offset, joined by slashes. */
              id: string;
              key: string;
              message: string | null;
              offset: number | null;
              partition: number | null;
              /** @enum {string} */
              state: 'open' | 'redriven' | 'dropped';
              /** @description Where it failed: `decode`, `claim` or `process`. */
              step: string | null;
              /**
               * @description The topic in which it failed.
               * @enum {string}
               */
              topic:
                | 'lineprint.snippets.v1'
                | 'lineprint.activity.v1'
                | 'lineprint.commits.v1'
                | 'lineprint.candidates.v1'
                | 'lineprint.attributions.v1';
            }[];
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
          };
        };
      };
    };
  };
  DeadLettersController_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The offset in it. */
        offset: number;
        /** @description The partition of the dead-letter topic. */
        partition: number;
        /** @description The dead-letter topic, for example lineprint.commits.v1.dlq. */
        topic: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description A dead letter and its headers; never its value */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Failed attempts, those before it was redriven included. */
            attempts: number;
            bytes: number;
            code: string | null;
            /** Format: date-time */
            deadLetteredAt: string;
            /** Format: date-time */
            decidedAt: string | null;
            /** @description The person whose key decided, if it was a personal one. */
            decidedBy: string | null;
            eventId: string | null;
            /** @description Names of the fields of a value that is a JSON object; null for any other. */
            fields: string[] | null;
            group: string | null;
            headers: {
              [key: string]: string;
            };
            /** @description Dead-letter topic, partition and offset, joined by slashes. */
            id: string;
            key: string;
            message: string | null;
            offset: number | null;
            partition: number | null;
            /** @description Of the value, in hex. */
            sha256: string;
            /** @enum {string} */
            state: 'open' | 'redriven' | 'dropped';
            /** @description Where it failed: `decode`, `claim` or `process`. */
            step: string | null;
            /**
             * @description The topic in which it failed.
             * @enum {string}
             */
            topic:
              | 'lineprint.snippets.v1'
              | 'lineprint.activity.v1'
              | 'lineprint.commits.v1'
              | 'lineprint.candidates.v1'
              | 'lineprint.attributions.v1';
          };
        };
      };
    };
  };
  DeadLettersController_drop: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description Only say what would be done.
           * @default false
           */
          dryRun?: boolean;
          /** @description Or all open letters that pass it; an empty one takes every open letter. */
          filter?: {
            /** @description Why they failed, for example `event-invalid`. */
            code?: string;
            /** @description The consumer group that could not process them. */
            group?: string;
            /**
             * @description The topic in which records failed.
             * @enum {string}
             */
            topic?:
              | 'lineprint.snippets.v1'
              | 'lineprint.activity.v1'
              | 'lineprint.commits.v1'
              | 'lineprint.candidates.v1'
              | 'lineprint.attributions.v1';
          };
          /** @description The letters, by `id`. */
          ids?: string[];
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Close open dead letters for good, without processing them */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            dryRun: boolean;
            letters: {
              code: string | null;
              id: string;
              key: string;
              /** @description Not selected, but an earlier open one of the same key and group. */
              takenAlong: boolean;
            }[];
            /** @description Open ones that were left for the next call: it takes 1,000. */
            remaining: number;
            /** @description Selected ids that had been redriven or dropped, or that have no record to send (step `decode`). */
            unchanged: string[];
            /** @description Selected ids that are none of the organisation’s. */
            unknown: string[];
          };
        };
      };
    };
  };
  DeadLettersController_redrive: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description Only say what would be done.
           * @default false
           */
          dryRun?: boolean;
          /** @description Or all open letters that pass it; an empty one takes every open letter. */
          filter?: {
            /** @description Why they failed, for example `event-invalid`. */
            code?: string;
            /** @description The consumer group that could not process them. */
            group?: string;
            /**
             * @description The topic in which records failed.
             * @enum {string}
             */
            topic?:
              | 'lineprint.snippets.v1'
              | 'lineprint.activity.v1'
              | 'lineprint.commits.v1'
              | 'lineprint.candidates.v1'
              | 'lineprint.attributions.v1';
          };
          /** @description The letters, by `id`. */
          ids?: string[];
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Send open dead letters to the topic they failed in, each once, in the order of each key */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            dryRun: boolean;
            letters: {
              code: string | null;
              id: string;
              key: string;
              /** @description Not selected, but an earlier open one of the same key and group. */
              takenAlong: boolean;
            }[];
            /** @description Open ones that were left for the next call: it takes 1,000. */
            remaining: number;
            /** @description Selected ids that had been redriven or dropped, or that have no record to send (step `decode`). */
            unchanged: string[];
            /** @description Selected ids that are none of the organisation’s. */
            unknown: string[];
          };
        };
      };
    };
  };
  EnrolmentController_get: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The organisation and its line key */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "orgId": "harbour",
           *       "keyId": "lk_ad9f60d42631904c",
           *       "lineKey": "AQEBAQEBAQEBAQEBAQEBAQ==",
           *       "rawCode": false
           *     }
           */
          'application/json': {
            keyId: string;
            /** Format: base64 */
            lineKey: string;
            orgId: string;
            rawCode: boolean;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  ErasuresController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Erased people by their pseudonyms, the newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            erasures: {
              /** Format: date-time */
              finishedAt: string | null;
              /** Format: date-time */
              liftedAt: string | null;
              /** @description What stands in the place of the person. */
              pseudonym: string;
              /** Format: date-time */
              requestedAt: string;
              requestedBy: string | null;
              /**
               * @description Whether rows may still have the person (rollup rewrites them), none has, or new events have the person again.
               * @enum {string}
               */
              status: 'waiting' | 'finished' | 'lifted';
            }[];
          };
        };
      };
    };
  };
  ErasuresController_erase: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Any address of the person, or the pseudonym. */
          address: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Erase a person with all addresses; the lines stay a pseudonym’s */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            finishedAt: string | null;
            /** Format: date-time */
            liftedAt: string | null;
            /** @description What stands in the place of the person. */
            pseudonym: string;
            /** Format: date-time */
            requestedAt: string;
            requestedBy: string | null;
            /**
             * @description Whether rows may still have the person (rollup rewrites them), none has, or new events have the person again.
             * @enum {string}
             */
            status: 'waiting' | 'finished' | 'lifted';
          };
        };
      };
    };
  };
  ErasuresController_lift: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Any address of the person, or the pseudonym. */
        address: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Let new events have an erased person again */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            finishedAt: string | null;
            /** Format: date-time */
            liftedAt: string | null;
            /** @description What stands in the place of the person. */
            pseudonym: string;
            /** Format: date-time */
            requestedAt: string;
            requestedBy: string | null;
            /**
             * @description Whether rows may still have the person (rollup rewrites them), none has, or new events have the person again.
             * @enum {string}
             */
            status: 'waiting' | 'finished' | 'lifted';
          };
        };
      };
    };
  };
  ErasuresController_one: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description As it was answered. */
        pseudonym: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Whether anything is left of an erased person */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            finishedAt: string | null;
            /** Format: date-time */
            liftedAt: string | null;
            /** @description What stands in the place of the person. */
            pseudonym: string;
            /** Format: date-time */
            requestedAt: string;
            requestedBy: string | null;
            /**
             * @description Whether rows may still have the person (rollup rewrites them), none has, or new events have the person again.
             * @enum {string}
             */
            status: 'waiting' | 'finished' | 'lifted';
          };
        };
      };
    };
  };
  BreakdownsController_exclusions: {
    parameters: {
      query?: {
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only lines of this project. */
        project_id?: string;
        /** @description Only files of this repository. */
        repository?: string;
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Files that did not count, by why */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Why files did not count, the most lines first. */
            exclusions: {
              /** @description Changes of such files: a file in a commit. */
              changes: number;
              /** @description Distinct files (repository and path). */
              files: number;
              /** @description Git's added lines, blank ones included. */
              lines: number;
              reason: string;
            }[];
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
          };
          'text/csv': string;
        };
      };
    };
  };
  ExportController_export: {
    parameters: {
      query?: {
        /** @description Also what stands at the tips of branches, and the lives of lines. */
        ledger?: 'true' | 'false';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only this repository, without daily rows. */
        repository?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description All results as NDJSON, byte for byte the same for the same input */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': {
            /** @enum {string} */
            type: 'commit' | 'daily' | 'branch' | 'head' | 'life' | 'end';
          } & {
            [key: string]: unknown;
          };
        };
      };
    };
  };
  FilesController_list: {
    parameters: {
      query: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Only files below this folder, such as src/app. */
        folder?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Only lines of this person’s commits, by any of the addresses. */
        person?: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only repositories of this project. */
        project_id?: string;
        /** @description Another branch that counts, such as refs/heads/release; by default the default branch. */
        ref?: string;
        /** @description The repository as it was pushed, for example github.com/acme/shop. */
        repository: string;
        /** @description Most lines, most weighted AI lines or the largest share of AI first, or by path. */
        sort?: 'lines' | 'ai' | 'ratio' | 'path';
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The files at a branch’s tip with their lines, by where they came from */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            files: {
              human: number;
              language: string;
              /** @description The newest commit with a line in the file, by the committer’s clock. */
              lastCommit: {
                /** Format: date-time */
                at: string;
                commit: string;
                userId: string;
              } | null;
              /** @description Non-blank lines: preserved + modified + human + unknown. */
              lines: number;
              /** @description From AI, and changed. */
              modified: number;
              path: string;
              /** @description Kept as they came from AI. */
              preserved: number;
              /** @description weighted / (preserved + modified + human) */
              ratio: number;
              /** @description Of unknown origin: older than what is known, or of a commit that the policy has not judged. */
              unknown: number;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            }[];
            /** @description Null where the branch has no ledger. */
            head: {
              /**
               * Format: date-time
               * @description The newest committer’s clock on the way to it.
               */
              at: string;
              /** @description The commit that the ledger stands at. */
              commit: string;
              ref: string;
              repository: string;
            } | null;
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
          };
          'text/csv': string;
        };
      };
    };
  };
  FileLinesController_lines: {
    parameters: {
      query: {
        /** @description A commit of counted history; by default the tip of the default branch. */
        commit?: string;
        /** @description The file, as it is called at that commit. */
        path: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description The repository as it was pushed, for example github.com/acme/shop. */
        repository: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description All lines of a file at a commit: who or what they came from, and why that is known */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            commit: string;
            /** @description Why the file does not count, if so. */
            excluded: string | null;
            /** @description All lines of the file, in order. */
            lines: {
              /** @description The snippet that they came from. */
              codeId: string | null;
              /** @enum {string|null} */
              confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE' | null;
              /** @description The commit of another line of history that added them first, whose verdict counts. */
              copiedFrom: string | null;
              count: number;
              /** @enum {string|null} */
              evidence: 'matched' | 'declared' | 'estimated' | 'none' | null;
              /** @description Why: one for each line of the range where evidence is `matched`, none elsewhere. */
              explanations: {
                /** @description Evidence of this line alone, in bits. */
                bits: number;
                /** @description Number of the line in the new file, from 0. */
                line: number;
                /**
                 * @description By which rule it was given to the snippet.
                 * @enum {string}
                 */
                rule: 'line' | 'statement' | 'shape' | 'similar' | 'reflow' | 'surroundings';
                /** @description Number of the line in the snippet, from 0; 65535 stands for all above. */
                snippetLine: number;
              }[];
              /**
               * @description P kept from AI, M changed from AI, H human; blank and excluded lines count for nobody; unknown is older than what is known, or not judged under the policy.
               * @enum {string}
               */
              kind: 'P' | 'M' | 'H' | 'blank' | 'excluded' | 'unknown';
              model: string | null;
              /** @description Where they were added. Null where that is not known, and of others’ lines for a personal key. */
              origin: {
                /**
                 * Format: date-time
                 * @description The author’s clock.
                 */
                at: string | null;
                author: string | null;
                commit: string;
                /** @description Number of the first one there, from 0. */
                line: number;
                /** @description The file in which the commit added them. */
                path: string;
                userId: string | null;
              } | null;
              /** @enum {string|null} */
              source: 'tab' | 'chat' | 'agent' | null;
              /** @description Number of the first line in the file, from 0. */
              start: number;
              /** @description The evidence of all lines with this origin, such as `14 of 16 lines equal, 2 changed; 92 bits`. */
              words: string | null;
            }[];
            path: string;
            /** @description The branch whose tip the commit is, if so. */
            ref: string | null;
            repository: string;
            /** @description The lines, read from git now; for who may see code (scope `code`). */
            text: string[] | null;
            /**
             * @description Why there is no text: docs/api.md says what each means.
             * @enum {string|null}
             */
            textMissing:
              'scope' | 'repository' | 'missing' | 'too-large' | 'binary' | 'timeout' | 'differs' | null;
          };
        };
      };
    };
  };
  HeadController_head: {
    parameters: {
      query?: {
        /** @description What the parts are. */
        by?: 'repository' | 'folder' | 'language' | 'person' | 'team' | 'source' | 'model' | 'kind';
        /** @description Only files below this folder, such as src/app. */
        folder?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description Only lines of this person’s commits, by any of the addresses. */
        person?: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only repositories of this project. */
        project_id?: string;
        /** @description Another branch that counts, such as refs/heads/release; by default the default branch. */
        ref?: string;
        /** @description Only this repository. */
        repository?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The lines that stand in default branches now, by where they came from */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            heads: {
              /**
               * Format: date-time
               * @description The newest committer’s clock on the way to it.
               */
              at: string;
              /** @description The commit that the ledger stands at. */
              commit: string;
              ref: string;
              repository: string;
            }[];
            /** @description The same lines split by `by`, the largest part first. A team has its people’s lines: those of others are in no part, and who is in two teams counts in both. */
            parts: {
              human: number;
              /** @description Null for lines of unknown origin. */
              key: string | null;
              /** @description Non-blank lines: preserved + modified + human + unknown. */
              lines: number;
              /** @description From AI, and changed. */
              modified: number;
              /** @description Kept as they came from AI. */
              preserved: number;
              /** @description weighted / (preserved + modified + human) */
              ratio: number;
              /** @description Of unknown origin: older than what is known, or of a commit that the policy has not judged. */
              unknown: number;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            }[];
            total: {
              human: number;
              /** @description Non-blank lines: preserved + modified + human + unknown. */
              lines: number;
              /** @description From AI, and changed. */
              modified: number;
              /** @description Kept as they came from AI. */
              preserved: number;
              /** @description weighted / (preserved + modified + human) */
              ratio: number;
              /** @description Of unknown origin: older than what is known, or of a commit that the policy has not judged. */
              unknown: number;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            };
          };
          'text/csv': string;
        };
      };
    };
  };
  IdentitiesController_list: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Only people, only bots or only assistants. */
        kind?: 'person' | 'bot' | 'assistant';
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description People, bots and assistants with all their addresses */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
            people: {
              aliases: {
                alias: string;
                /**
                 * @description Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.
                 * @enum {string|null}
                 */
                by: 'manual' | 'mailmap' | 'noreply' | 'login' | null;
              }[];
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              name: string;
              /** @description The address, in lower case, that the person is called by. */
              personId: string;
            }[];
          };
        };
      };
    };
  };
  IdentitiesController_one: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Any address of the person, in upper or lower case. */
        address: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Whose an address is */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aliases: {
              alias: string;
              /**
               * @description Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.
               * @enum {string|null}
               */
              by: 'manual' | 'mailmap' | 'noreply' | 'login' | null;
            }[];
            /** @enum {string} */
            kind: 'person' | 'bot' | 'assistant';
            name: string;
            /** @description The address, in lower case, that the person is called by. */
            personId: string;
          };
        };
      };
    };
  };
  IdentitiesController_describe: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Any address of the person, in upper or lower case. */
        address: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string|null} */
          kind: 'person' | 'bot' | 'assistant' | null;
          name: string | null;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Say how somebody is called and what it is; null for what commits say */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aliases: {
              alias: string;
              /**
               * @description Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.
               * @enum {string|null}
               */
              by: 'manual' | 'mailmap' | 'noreply' | 'login' | null;
            }[];
            /** @enum {string} */
            kind: 'person' | 'bot' | 'assistant';
            name: string;
            /** @description The address, in lower case, that the person is called by. */
            personId: string;
          };
        };
      };
    };
  };
  IdentitiesController_export: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Any address of the person, in upper or lower case. */
        address: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Everything that is stored of a person, as NDJSON */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': {
            /** @enum {string} */
            type:
              | 'person'
              | 'identity'
              | 'alias'
              | 'team'
              | 'commit'
              | 'result'
              | 'day'
              | 'session'
              | 'snippet'
              | 'code-read'
              | 'end';
          } & {
            [key: string]: unknown;
          };
        };
      };
    };
  };
  IdentitiesController_conflicts: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Addresses that mailmaps disagree on */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            conflicts: {
              alias: string;
              /** @enum {string} */
              code: 'mailmaps-differ' | 'address-shared';
              people: string[];
              repositories: string[];
            }[];
          };
        };
      };
    };
  };
  IdentitiesController_forget: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Any address of the person, in upper or lower case. */
        address: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Forget that an address was merged or split */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aliases: {
              alias: string;
              /**
               * @description Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.
               * @enum {string|null}
               */
              by: 'manual' | 'mailmap' | 'noreply' | 'login' | null;
            }[];
            /** @enum {string} */
            kind: 'person' | 'bot' | 'assistant';
            name: string;
            /** @description The address, in lower case, that the person is called by. */
            personId: string;
          };
        };
      };
    };
  };
  MailmapController_post: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "repository": "harbour/desk",
         *       "content": "Mara Voss <mara@harbour.example> <mara@laptop.local>\n"
         *     }
         */
        'application/json': {
          content: string;
          repository: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What was taken, and what it does not settle */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "repository": "harbour/desk",
           *       "entries": 1,
           *       "conflicts": []
           *     }
           */
          'application/json': {
            conflicts: {
              alias: string;
              /** @enum {string} */
              code: 'mailmaps-differ' | 'address-shared';
              people: string[];
              repositories: string[];
            }[];
            entries: number;
            repository: string;
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  IdentitiesController_merge: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Any address of the person, in upper or lower case. */
          into: string;
          /** @description Any address of the person, in upper or lower case. */
          person: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Make two people one, whatever mailmaps say */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aliases: {
              alias: string;
              /**
               * @description Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.
               * @enum {string|null}
               */
              by: 'manual' | 'mailmap' | 'noreply' | 'login' | null;
            }[];
            /** @enum {string} */
            kind: 'person' | 'bot' | 'assistant';
            name: string;
            /** @description The address, in lower case, that the person is called by. */
            personId: string;
          };
        };
      };
    };
  };
  IdentitiesController_split: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Any address of the person, in upper or lower case. */
          address: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Make an address a person of its own */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aliases: {
              alias: string;
              /**
               * @description Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.
               * @enum {string|null}
               */
              by: 'manual' | 'mailmap' | 'noreply' | 'login' | null;
            }[];
            /** @enum {string} */
            kind: 'person' | 'bot' | 'assistant';
            name: string;
            /** @description The address, in lower case, that the person is called by. */
            personId: string;
          };
        };
      };
    };
  };
  MeController_me: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Who the credential stands for, and what it shows */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /**
             * @description An API key, or a token of somebody who logged in.
             * @enum {string}
             */
            credential: 'key' | 'token';
            organisation: {
              name: string;
              orgId: string;
              timeZone: string;
            };
            /** @description Whom the credential stands for; null for a key of the organisation. */
            person: {
              /** @description All addresses of the person, the id first. */
              aliases: string[];
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              name: string;
              personId: string;
            } | null;
            /** @description A maintainer’s. */
            projects: string[] | null;
            /** @description Whether the text of lines is shown. */
            readsCode: boolean;
            /**
             * @description Of somebody who logged in.
             * @enum {string|null}
             */
            role: 'admin' | 'auditor' | 'maintainer' | 'developer' | null;
            scopes: string[];
            /**
             * @description Whose numbers: everybody’s, those of `projects`, or the own ones; nothing without the scope `read`.
             * @enum {string}
             */
            sees: 'organisation' | 'projects' | 'person' | 'nothing';
            /** @description The person’s. */
            teams: {
              name: string;
              teamId: string;
            }[];
          };
        };
      };
    };
  };
  BreakdownsController_models: {
    parameters: {
      query?: {
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description Only lines of files in this language. */
        language?: string;
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only lines of this project. */
        project_id?: string;
        /** @description Only lines of this repository. */
        repository?: string;
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
        /** @description Any address of the person whose lines are asked for, in any case. */
        user_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description AI lines by the model that they came from */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description AI lines by model and source, the most first. */
            models: {
              /** @description AI lines whose confidence is HIGH. */
              high: number;
              /** @description weighted / lines: how much of it stayed as it was. */
              kept: number;
              /** @description AI lines: preserved + modified. */
              lines: number;
              /** @description Null: the client did not name it. */
              model: string | null;
              modified: number;
              preserved: number;
              /** @description weighted / totalLines */
              share: number;
              /** @enum {string} */
              source: 'tab' | 'chat' | 'agent';
              weighted: number;
            }[];
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
            /** @description Attributable lines of all origins. */
            totalLines: number;
          };
          'text/csv': string;
        };
      };
    };
  };
  BreakdownsController_people: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only lines of this project. */
        project_id?: string;
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description People with their lines, the most first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
            people: {
              agentTasks: number;
              chatEdits: number;
              /** @description Commits with at least one attributable line. */
              commits: number;
              human: number;
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              /** @description Attributable lines: preserved + modified + human. */
              lines: number;
              modified: number;
              name: string;
              personId: string;
              preserved: number;
              /** @description weighted / lines */
              ratio: number;
              suggestionsAccepted: number;
              suggestionsShown: number;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            }[];
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
          };
          'text/csv': string;
        };
      };
    };
  };
  PoliciesController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The policies, oldest first, and when which was activated */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The newest 20, newest first. */
            activations: {
              /** Format: date-time */
              at: string;
              by: string | null;
              from: string | null;
              to: string;
            }[];
            policies: {
              /** @description Dashboards read it: it is the default of `policy=`. */
              active: boolean;
              /** Format: date-time */
              createdAt: string;
              createdBy: string | null;
              description: string | null;
              engine: string;
              exclusions?: {
                glob: string;
                include?: boolean;
                reason?: string;
              }[];
              id: string;
              /** @description Commits with a verdict under it. */
              judged: number;
              /** @description The stream of new commits is judged under it. */
              live: boolean;
              /** @description What judges it where it is not live. */
              replay: {
                id: string;
                status: string;
              } | null;
              thresholds: {
                highBits: number;
                lineSimilarity: number;
                minBits: number;
                minBitsElsewhere: number;
                minBitsUnplaced: number;
                similarityHigh: number;
                similarityLow: number;
                similaritySuspect: number;
                suspectBits: number;
              };
            }[];
          };
        };
      };
    };
  };
  PoliciesController_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | {
              /** @description What it is for, in words for the next reader. */
              description?: string;
              /** @enum {string} */
              engine: '2';
              exclusions?: {
                glob: string;
                include?: boolean;
                reason?: string;
              }[];
              id: string;
              thresholds: {
                highBits: number;
                lineSimilarity: number;
                minBits: number;
                minBitsElsewhere: number;
                minBitsUnplaced: number;
                similarityHigh: number;
                similarityLow: number;
                similaritySuspect: number;
                suspectBits: number;
              };
            }
          | {
              /**
               * @description What differs: single thresholds, and the whole list of exclusions.
               * @default {}
               */
              changes?: {
                engine?: unknown;
                exclusions?: unknown;
                thresholds?: {
                  [key: string]: unknown;
                };
              };
              /** @description What it is for, in words for the next reader. */
              description?: string;
              id: string;
              /** @description The policy to start from. */
              like: string;
            };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Make a policy, whole or as changes of another one */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Dashboards read it: it is the default of `policy=`. */
            active: boolean;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            description: string | null;
            engine: string;
            exclusions?: {
              glob: string;
              include?: boolean;
              reason?: string;
            }[];
            id: string;
            /** @description Commits with a verdict under it. */
            judged: number;
            /** @description The stream of new commits is judged under it. */
            live: boolean;
            /** @description What judges it where it is not live. */
            replay: {
              id: string;
              status: string;
            } | null;
            thresholds: {
              highBits: number;
              lineSimilarity: number;
              minBits: number;
              minBitsElsewhere: number;
              minBitsUnplaced: number;
              similarityHigh: number;
              similarityLow: number;
              similaritySuspect: number;
              suspectBits: number;
            };
          };
        };
      };
    };
  };
  PoliciesController_one: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a policy. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description One policy, who judges it and who reads it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Dashboards read it: it is the default of `policy=`. */
            active: boolean;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            description: string | null;
            engine: string;
            exclusions?: {
              glob: string;
              include?: boolean;
              reason?: string;
            }[];
            id: string;
            /** @description Commits with a verdict under it. */
            judged: number;
            /** @description The stream of new commits is judged under it. */
            live: boolean;
            /** @description What judges it where it is not live. */
            replay: {
              id: string;
              status: string;
            } | null;
            thresholds: {
              highBits: number;
              lineSimilarity: number;
              minBits: number;
              minBitsElsewhere: number;
              minBitsUnplaced: number;
              similarityHigh: number;
              similarityLow: number;
              similaritySuspect: number;
              suspectBits: number;
            };
          };
        };
      };
    };
  };
  PoliciesController_drop: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a policy. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Drop a policy with all its results; its id stays taken */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            dropped: string;
            /** @description Rows that were deleted. */
            rows: {
              copies: number;
              days: number;
              files: number;
              ledger: number;
              results: number;
              sums: number;
              verdicts: number;
            };
          };
        };
      };
    };
  };
  PoliciesController_activate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a policy. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Let dashboards read this policy; nothing is computed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            active: string;
            /** @description Activate this one to go back. */
            before: string | null;
          };
        };
      };
    };
  };
  PolicyDiffController_diff: {
    parameters: {
      query?: {
        /** @description Only this project. */
        project_id?: string;
        /** @description Only this repository. */
        repository?: string;
      };
      header?: never;
      path: {
        /** @description The id of a policy. */
        id: string;
        /** @description The policy that it is compared with. */
        other: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What would change from one policy to another */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            byConfidence: {
              [key: string]: {
                from: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
                to: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
              };
            };
            byEvidence: {
              [key: string]: {
                from: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
                to: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
              };
            };
            byLanguage: {
              [key: string]: {
                from: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
                to: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
              };
            };
            byPerson: {
              [key: string]: {
                from: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
                to: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
              };
            };
            byProject: {
              [key: string]: {
                from: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
                to: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
              };
            };
            bySource: {
              [key: string]: {
                from: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
                to: {
                  /** @description Preserved and modified lines. */
                  aiLines: number;
                  /** @description AI lines whose confidence is HIGH. */
                  high: number;
                  lines: number;
                  /** @description weighted / lines */
                  ratio: number;
                  /** @description Preserved lines plus half of the modified ones. */
                  weighted: number;
                };
              };
            };
            /** @description Merges included. Everything else here is of the commits that both have judged. */
            commits: {
              both: number;
              onlyFrom: number;
              onlyTo: number;
            };
            /** @description How many lines go from what to what, the most first. Other lines stay what they are. */
            flips: {
              /** @description What a line is under a policy; null where the policy does not count its file. */
              from: {
                /** @enum {string} */
                confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE';
                /** @enum {string} */
                evidence: 'matched' | 'declared' | 'estimated' | 'none';
                /**
                 * @description P kept from AI, M changed from AI, H human
                 * @enum {string}
                 */
                kind: 'P' | 'M' | 'H';
                /** @enum {string|null} */
                source: 'tab' | 'chat' | 'agent' | null;
              } | null;
              lines: number;
              /** @description What a line is under a policy; null where the policy does not count its file. */
              to: {
                /** @enum {string} */
                confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE';
                /** @enum {string} */
                evidence: 'matched' | 'declared' | 'estimated' | 'none';
                /**
                 * @description P kept from AI, M changed from AI, H human
                 * @enum {string}
                 */
                kind: 'P' | 'M' | 'H';
                /** @enum {string|null} */
                source: 'tab' | 'chat' | 'agent' | null;
              } | null;
            }[];
            from: string;
            lines: {
              from: {
                /** @description Attributable lines: preserved + modified + human. */
                added: number;
                /** @description Blank added lines of files that count. */
                blank: number;
                /** @description Git's added lines of files that do not count. */
                excluded: number;
                human: number;
                /** @description Added lines that were moved or differ in white space only: nobody’s new authorship. */
                inherited: number;
                modified: number;
                preserved: number;
              };
              to: {
                /** @description Attributable lines: preserved + modified + human. */
                added: number;
                /** @description Blank added lines of files that count. */
                blank: number;
                /** @description Git's added lines of files that do not count. */
                excluded: number;
                human: number;
                /** @description Added lines that were moved or differ in white space only: nobody’s new authorship. */
                inherited: number;
                modified: number;
                preserved: number;
              };
            };
            to: string;
            total: {
              from: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
              to: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
          };
        };
      };
    };
  };
  PolicyDiffController_lines: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Only this project. */
        project_id?: string;
        /** @description Only this repository. */
        repository?: string;
      };
      header?: never;
      path: {
        /** @description The id of a policy. */
        id: string;
        /** @description The policy that it is compared with. */
        other: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The lines that flip, by file */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            files: {
              lines: {
                count: number;
                /** @description What a line is under a policy; null where the policy does not count its file. */
                from: {
                  /** @enum {string} */
                  confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE';
                  /** @enum {string} */
                  evidence: 'matched' | 'declared' | 'estimated' | 'none';
                  /**
                   * @description P kept from AI, M changed from AI, H human
                   * @enum {string}
                   */
                  kind: 'P' | 'M' | 'H';
                  /** @enum {string|null} */
                  source: 'tab' | 'chat' | 'agent' | null;
                } | null;
                /** @description Number of the first line in the new file, from 0. */
                start: number;
                /** @description What a line is under a policy; null where the policy does not count its file. */
                to: {
                  /** @enum {string} */
                  confidence: 'HIGH' | 'LOW' | 'SUSPECT' | 'UNIQUE';
                  /** @enum {string} */
                  evidence: 'matched' | 'declared' | 'estimated' | 'none';
                  /**
                   * @description P kept from AI, M changed from AI, H human
                   * @enum {string}
                   */
                  kind: 'P' | 'M' | 'H';
                  /** @enum {string|null} */
                  source: 'tab' | 'chat' | 'agent' | null;
                } | null;
              }[];
              path: string;
              repository: string;
              sha: string;
            }[];
            from: string;
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
            to: string;
          };
        };
      };
    };
  };
  BreakdownsController_projects: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only lines of this project. */
        project_id?: string;
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Projects with their lines, the most first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
            projects: {
              /** @description Commits with at least one attributable line. */
              commits: number;
              human: number;
              /** @description Attributable lines: preserved + modified + human. */
              lines: number;
              modified: number;
              people: number;
              preserved: number;
              projectId: string;
              /** @description weighted / lines */
              ratio: number;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            }[];
          };
          'text/csv': string;
        };
      };
    };
  };
  ReconciliationsController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The last 50 reconciliations, the newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            reconciliations: {
              /** @description Days of a policy that were looked at. */
              days: number | null;
              /** @description The first 100 differences. */
              details: {
                date: string;
                /** @description Null where there should be none. */
                expected: {
                  [key: string]: unknown;
                } | null;
                /** @description What else names the row. */
                key: {
                  [key: string]: unknown;
                };
                policy: string;
                /** @description Empty in sums of the organisation. */
                project: string;
                /** @description Null where there is no such row. */
                stored: {
                  [key: string]: unknown;
                } | null;
                table: string;
                /** @description Empty in sums of everybody. */
                user: string;
              }[];
              /** @description Rows that are not what results and sessions say. */
              differences: number | null;
              /** Format: date-time */
              finishedAt: string | null;
              id: number;
              /**
               * Format: date
               * @description The day in whose night it was due; null where somebody asked for it.
               */
              night: string | null;
              /** Format: date-time */
              requestedAt: string;
              requestedBy: string | null;
              /** @enum {string} */
              status: 'waiting' | 'finished';
            }[];
          };
        };
      };
    };
  };
  ReconciliationsController_request: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Ask for a reconciliation */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Days of a policy that were looked at. */
            days: number | null;
            /** @description The first 100 differences. */
            details: {
              date: string;
              /** @description Null where there should be none. */
              expected: {
                [key: string]: unknown;
              } | null;
              /** @description What else names the row. */
              key: {
                [key: string]: unknown;
              };
              policy: string;
              /** @description Empty in sums of the organisation. */
              project: string;
              /** @description Null where there is no such row. */
              stored: {
                [key: string]: unknown;
              } | null;
              table: string;
              /** @description Empty in sums of everybody. */
              user: string;
            }[];
            /** @description Rows that are not what results and sessions say. */
            differences: number | null;
            /** Format: date-time */
            finishedAt: string | null;
            id: number;
            /**
             * Format: date
             * @description The day in whose night it was due; null where somebody asked for it.
             */
            night: string | null;
            /** Format: date-time */
            requestedAt: string;
            requestedBy: string | null;
            /** @enum {string} */
            status: 'waiting' | 'finished';
          };
        };
      };
    };
  };
  ReconciliationsController_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its id. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description A reconciliation and where sums differ */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Days of a policy that were looked at. */
            days: number | null;
            /** @description The first 100 differences. */
            details: {
              date: string;
              /** @description Null where there should be none. */
              expected: {
                [key: string]: unknown;
              } | null;
              /** @description What else names the row. */
              key: {
                [key: string]: unknown;
              };
              policy: string;
              /** @description Empty in sums of the organisation. */
              project: string;
              /** @description Null where there is no such row. */
              stored: {
                [key: string]: unknown;
              } | null;
              table: string;
              /** @description Empty in sums of everybody. */
              user: string;
            }[];
            /** @description Rows that are not what results and sessions say. */
            differences: number | null;
            /** Format: date-time */
            finishedAt: string | null;
            id: number;
            /**
             * Format: date
             * @description The day in whose night it was due; null where somebody asked for it.
             */
            night: string | null;
            /** Format: date-time */
            requestedAt: string;
            requestedBy: string | null;
            /** @enum {string} */
            status: 'waiting' | 'finished';
          };
        };
      };
    };
  };
  RefsController_post: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "repository": "harbour/desk",
         *       "refs": [
         *         {
         *           "ref": "refs/heads/main",
         *           "sha": "5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f",
         *           "isDefault": true,
         *           "before": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
         *         }
         *       ]
         *     }
         */
        'application/json': {
          projectId?: string;
          refs: {
            before?: string;
            isDefault: boolean;
            ref: string;
            sha: string | null;
          }[];
          repository: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The refs are in the log */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accepted": 1,
           *       "rejected": []
           *     }
           */
          'application/json': {
            accepted: number;
            rejected: {
              code: string;
              detail: string;
              index: number;
            }[];
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  ReplaysController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The replays, newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Newest first. */
            replays: {
              /** Format: date-time */
              caughtUpAt: string | null;
              /** Format: date-time */
              createdAt: string;
              createdBy: string | null;
              /** @description Records read of the stage’s topic, … */
              done: number;
              /** Format: date-time */
              endedAt: string | null;
              error: {
                code: string;
                message: string;
              } | null;
              /** Format: date-time */
              from: string | null;
              id: string;
              /** @description Commits judged so far, those that came after its start included. */
              judged: number;
              maxRate: number | null;
              partitions: {
                next: number;
                partition: number;
                start: number;
                target: number | null;
              }[];
              policy: string;
              /** @description Commits a second over the last minute, while it runs. */
              rate: number | null;
              /** @description Records without a verdict: dead letters of the live stream too. */
              refused: number;
              repository: string | null;
              /** @description At that rate. */
              secondsLeft: number | null;
              /** @enum {string} */
              stage: 'index' | 'analyse' | 'judge-own' | 'judge';
              /**
               * @description A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.
               * @enum {string}
               */
              status: 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';
              /** Format: date-time */
              to: string | null;
              /** @enum {string} */
              topic: 'candidates' | 'commits';
              /** @description … and how many there were when it was started or resumed. */
              total: number;
              /** @description Those of them with results: inside what was asked for. */
              written: number;
            }[];
          };
        };
      };
    };
  };
  ReplaysController_start: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Only commits from this time on get results, by the committer’s clock. A date is its midnight in UTC. */
          from?: string;
          /** @description At most this many commits a second; as fast as it can without. */
          maxRate?: number;
          /** @description The id of a policy. */
          policy: string;
          /** @description Only commits of this repository get results. */
          repository?: string;
          /** @description Only commits before this time get results. */
          to?: string;
          /**
           * @description What is read again: `candidates` for thresholds and counting rules, `commits` when recall or the engine’s features have changed.
           * @default candidates
           * @enum {string}
           */
          topic?: 'candidates' | 'commits';
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Judge every commit again under a policy */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            caughtUpAt: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            /** @description Records read of the stage’s topic, … */
            done: number;
            /** Format: date-time */
            endedAt: string | null;
            error: {
              code: string;
              message: string;
            } | null;
            /** Format: date-time */
            from: string | null;
            id: string;
            /** @description Commits judged so far, those that came after its start included. */
            judged: number;
            maxRate: number | null;
            partitions: {
              next: number;
              partition: number;
              start: number;
              target: number | null;
            }[];
            policy: string;
            /** @description Commits a second over the last minute, while it runs. */
            rate: number | null;
            /** @description Records without a verdict: dead letters of the live stream too. */
            refused: number;
            repository: string | null;
            /** @description At that rate. */
            secondsLeft: number | null;
            /** @enum {string} */
            stage: 'index' | 'analyse' | 'judge-own' | 'judge';
            /**
             * @description A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.
             * @enum {string}
             */
            status: 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';
            /** Format: date-time */
            to: string | null;
            /** @enum {string} */
            topic: 'candidates' | 'commits';
            /** @description … and how many there were when it was started or resumed. */
            total: number;
            /** @description Those of them with results: inside what was asked for. */
            written: number;
          };
        };
      };
    };
  };
  ReplaysController_one: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a replay. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description One replay and how far it is */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            caughtUpAt: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            /** @description Records read of the stage’s topic, … */
            done: number;
            /** Format: date-time */
            endedAt: string | null;
            error: {
              code: string;
              message: string;
            } | null;
            /** Format: date-time */
            from: string | null;
            id: string;
            /** @description Commits judged so far, those that came after its start included. */
            judged: number;
            maxRate: number | null;
            partitions: {
              next: number;
              partition: number;
              start: number;
              target: number | null;
            }[];
            policy: string;
            /** @description Commits a second over the last minute, while it runs. */
            rate: number | null;
            /** @description Records without a verdict: dead letters of the live stream too. */
            refused: number;
            repository: string | null;
            /** @description At that rate. */
            secondsLeft: number | null;
            /** @enum {string} */
            stage: 'index' | 'analyse' | 'judge-own' | 'judge';
            /**
             * @description A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.
             * @enum {string}
             */
            status: 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';
            /** Format: date-time */
            to: string | null;
            /** @enum {string} */
            topic: 'candidates' | 'commits';
            /** @description … and how many there were when it was started or resumed. */
            total: number;
            /** @description Those of them with results: inside what was asked for. */
            written: number;
          };
        };
      };
    };
  };
  ReplaysController_cancel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a replay. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description End it; what it has written stays until its policy is dropped */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            caughtUpAt: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            /** @description Records read of the stage’s topic, … */
            done: number;
            /** Format: date-time */
            endedAt: string | null;
            error: {
              code: string;
              message: string;
            } | null;
            /** Format: date-time */
            from: string | null;
            id: string;
            /** @description Commits judged so far, those that came after its start included. */
            judged: number;
            maxRate: number | null;
            partitions: {
              next: number;
              partition: number;
              start: number;
              target: number | null;
            }[];
            policy: string;
            /** @description Commits a second over the last minute, while it runs. */
            rate: number | null;
            /** @description Records without a verdict: dead letters of the live stream too. */
            refused: number;
            repository: string | null;
            /** @description At that rate. */
            secondsLeft: number | null;
            /** @enum {string} */
            stage: 'index' | 'analyse' | 'judge-own' | 'judge';
            /**
             * @description A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.
             * @enum {string}
             */
            status: 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';
            /** Format: date-time */
            to: string | null;
            /** @enum {string} */
            topic: 'candidates' | 'commits';
            /** @description … and how many there were when it was started or resumed. */
            total: number;
            /** @description Those of them with results: inside what was asked for. */
            written: number;
          };
        };
      };
    };
  };
  ReplaysController_pause: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a replay. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Stop for a while */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            caughtUpAt: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            /** @description Records read of the stage’s topic, … */
            done: number;
            /** Format: date-time */
            endedAt: string | null;
            error: {
              code: string;
              message: string;
            } | null;
            /** Format: date-time */
            from: string | null;
            id: string;
            /** @description Commits judged so far, those that came after its start included. */
            judged: number;
            maxRate: number | null;
            partitions: {
              next: number;
              partition: number;
              start: number;
              target: number | null;
            }[];
            policy: string;
            /** @description Commits a second over the last minute, while it runs. */
            rate: number | null;
            /** @description Records without a verdict: dead letters of the live stream too. */
            refused: number;
            repository: string | null;
            /** @description At that rate. */
            secondsLeft: number | null;
            /** @enum {string} */
            stage: 'index' | 'analyse' | 'judge-own' | 'judge';
            /**
             * @description A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.
             * @enum {string}
             */
            status: 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';
            /** Format: date-time */
            to: string | null;
            /** @enum {string} */
            topic: 'candidates' | 'commits';
            /** @description … and how many there were when it was started or resumed. */
            total: number;
            /** @description Those of them with results: inside what was asked for. */
            written: number;
          };
        };
      };
    };
  };
  ReplaysController_resume: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a replay. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Go on from there, also after it was cancelled or failed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            caughtUpAt: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            /** @description Records read of the stage’s topic, … */
            done: number;
            /** Format: date-time */
            endedAt: string | null;
            error: {
              code: string;
              message: string;
            } | null;
            /** Format: date-time */
            from: string | null;
            id: string;
            /** @description Commits judged so far, those that came after its start included. */
            judged: number;
            maxRate: number | null;
            partitions: {
              next: number;
              partition: number;
              start: number;
              target: number | null;
            }[];
            policy: string;
            /** @description Commits a second over the last minute, while it runs. */
            rate: number | null;
            /** @description Records without a verdict: dead letters of the live stream too. */
            refused: number;
            repository: string | null;
            /** @description At that rate. */
            secondsLeft: number | null;
            /** @enum {string} */
            stage: 'index' | 'analyse' | 'judge-own' | 'judge';
            /**
             * @description A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.
             * @enum {string}
             */
            status: 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';
            /** Format: date-time */
            to: string | null;
            /** @enum {string} */
            topic: 'candidates' | 'commits';
            /** @description … and how many there were when it was started or resumed. */
            total: number;
            /** @description Those of them with results: inside what was asked for. */
            written: number;
          };
        };
      };
    };
  };
  BreakdownsController_repositories: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only lines of this project. */
        project_id?: string;
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Repositories with their lines, the most first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
            repositories: {
              /** @description As it was told; null where nobody has: everything counts then. */
              defaultBranch: string | null;
              human: number;
              /** @description Attributable lines: preserved + modified + human. */
              lines: number;
              modified: number;
              preserved: number;
              /** @description weighted / lines */
              ratio: number;
              repository: string;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            }[];
          };
          'text/csv': string;
        };
      };
    };
  };
  SnippetsController_snippet: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The snippet, as its client named it. */
        codeId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What is known of a snippet; its code is not */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            acceptedPartially: boolean | null;
            charCount: number;
            client: string | null;
            codeId: string;
            /**
             * Format: date-time
             * @description When it was accepted, by the client’s clock.
             */
            createdAt: string;
            /** @description The commit that it was made from, if so. */
            declaredBy: string | null;
            editKind: string | null;
            fileExtension: string;
            /** @description Whether its lines can be told apart. */
            hasLinePrints: boolean;
            language: string;
            lineCount: number;
            model: string | null;
            projectId: string;
            /** @description Which form of the protocol its client speaks. */
            protocol: number;
            repository: string | null;
            sessionId: string;
            /** @enum {string} */
            source: 'tab' | 'chat' | 'agent';
            userId: string;
          };
        };
      };
    };
  };
  SnippetsController_alignment: {
    parameters: {
      query: {
        /** @description The commit that added the lines. */
        commit: string;
        /** @description A file that the commit changed, as its path is after the commit. */
        path: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description The repository as it was pushed, for example github.com/acme/shop. */
        repository: string;
      };
      header?: never;
      path: {
        /** @description The snippet, as its client named it. */
        codeId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What became of each line of a snippet in a file that a commit changed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            codeId: string;
            commit: string;
            /** @description All lines of the snippet. */
            lines: {
              /** @description Number of the snippet’s line, from 0. */
              line: number;
              /** @description The first line of the file that came from it; null where none did. */
              matched: {
                bits: number;
                /** @enum {string} */
                kind: 'P' | 'M' | 'H';
                /** @description Number of the line in the commit’s file, from 0. */
                newLine: number;
                /** @enum {string} */
                rule: 'line' | 'statement' | 'shape' | 'similar' | 'reflow' | 'surroundings';
              } | null;
              /** @description Further ones, where it was spread over several lines. */
              others: {
                bits: number;
                /** @enum {string} */
                kind: 'P' | 'M' | 'H';
                /** @description Number of the line in the commit’s file, from 0. */
                newLine: number;
                /** @enum {string} */
                rule: 'line' | 'statement' | 'shape' | 'similar' | 'reflow' | 'surroundings';
              }[];
              /** @description How many tokens it has, 255 for more; 0 where it is blank, null without prints of lines. */
              tokens: number | null;
            }[];
            path: string;
            repository: string;
            /** @description In words, such as `14 of 16 lines equal, 1 renamed, 1 gone or joined; 92 bits`. */
            words: string;
          };
        };
      };
    };
  };
  StatsController_aiAttribution: {
    parameters: {
      query: {
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description Bucket of the trend. Weeks start on the organisation’s day, by default on Monday. */
        granularity?: 'day' | 'week' | 'month';
        /** @description Only lines of files in this language. */
        language?: string;
        /** @description Only lines from this model count as AI; all lines stay in the totals. */
        model?: string;
        /** @description The credential's own organisation; any other is refused. */
        org_id?: string;
        /** @description Whole days in the organisation’s time zone, today included. */
        period: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Required for scope=project; narrows scope=personal. */
        project_id?: string;
        /** @description Only lines of this repository. */
        repository?: string;
        /** @description Whose lines: a person, a project or the whole organisation. */
        scope: 'personal' | 'project' | 'organization';
        /** @description Only lines from this source count as AI; all lines stay in the totals. */
        source?: 'tab' | 'chat' | 'agent';
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
        /** @description For scope=personal, any address of the person, in any case; by default the key's own user. */
        user_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description AI attribution of a person, a project or the organisation */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            breakdown: {
              agent: {
                ai_attributed_lines: number;
                avg_similarity: number;
                tasks: number;
              };
              chat: {
                ai_attributed_lines: number;
                avg_similarity: number;
                edits: number;
              };
              tab: {
                accept_rate: number;
                ai_attributed_lines: number;
                avg_survival_similarity: number;
                suggestions_accepted: number;
                suggestions_shown: number;
              };
            };
            /** @description Shares of summary.total_lines; they add up to 1. */
            confidence: {
              high: number;
              low: number;
              suspect: number;
              unique: number;
            };
            /** @description summary.ai_attributed_lines by how the origin is known. */
            evidence: {
              declared: number;
              estimated: number;
              matched: number;
            };
            language_breakdown: {
              ai_lines: number;
              ai_ratio: number;
              language: string;
              total_lines: number;
            }[];
            org_id?: string;
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
            project_id?: string;
            /** @description Beside all the other figures: commits of branches that are not merged, or were thrown away, of repositories whose default branch is known. */
            provisional: {
              ai_attributed_lines: number;
              ai_ratio: number;
              total_commits: number;
              total_lines: number;
            };
            /** @enum {string} */
            scope: 'personal' | 'project' | 'organization';
            summary: {
              /** @description Preserved lines plus half of the modified ones. */
              ai_attributed_lines: number;
              ai_ratio: number;
              /** @description Distinct files. */
              files_with_ai: number;
              total_commits: number;
              total_lines: number;
            };
            trend: {
              ai_attributed_lines: number;
              ai_ratio: number;
              chat_edits: number;
              /**
               * Format: date
               * @description The bucket's first day.
               */
              date: string;
              tab_accept_rate: number;
              total_lines: number;
            }[];
            user_id?: string;
          };
        };
      };
    };
  };
  SummaryController_summary: {
    parameters: {
      query?: {
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only this project. */
        project_id?: string;
        /** @description Only this repository. */
        repository?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description All lines of the organisation, split in six ways */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Weighted AI lines of all evidence / lines.added */
            aiRatio: number;
            aiRatioDeclared: number;
            aiRatioMatched: number;
            byConfidence: {
              [key: string]: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
            byEvidence: {
              [key: string]: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
            byLanguage: {
              [key: string]: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
            byPerson: {
              [key: string]: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
            byProject: {
              [key: string]: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
            /** @description tab, chat, agent, human */
            bySource: {
              [key: string]: {
                /** @description Preserved and modified lines. */
                aiLines: number;
                /** @description AI lines whose confidence is HIGH. */
                high: number;
                lines: number;
                /** @description weighted / lines */
                ratio: number;
                /** @description Preserved lines plus half of the modified ones. */
                weighted: number;
              };
            };
            /** @description Commits with at most one parent. */
            commits: number;
            lines: {
              /** @description Attributable lines: preserved + modified + human. */
              added: number;
              /** @description Blank added lines of files that count. */
              blank: number;
              /** @description Git's added lines of files that do not count. */
              excluded: number;
              human: number;
              /** @description Added lines that were moved or differ in white space only: nobody’s new authorship. */
              inherited: number;
              modified: number;
              preserved: number;
            };
            /** @description Commits with several parents. */
            merges: number;
            /** @description Beside all the other figures: commits of branches that are not merged, or were thrown away, of a repository whose default branch is known. */
            provisional: {
              aiRatio: number;
              commits: number;
              lines: {
                added: number;
                human: number;
                modified: number;
                preserved: number;
              };
              merges: number;
            };
          };
        };
      };
    };
  };
  SummaryController_commits: {
    parameters: {
      query?: {
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only this project. */
        project_id?: string;
        /** @description Only this repository. */
        repository?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description How many commits have been analysed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Commits with at most one parent. */
            commits: number;
            /** @description Commits with several parents. */
            merges: number;
          };
        };
      };
    };
  };
  SurvivalController_survival: {
    parameters: {
      query?: {
        /** @description Only lines born on this day or later, in the organisation’s time zone. */
        born_from?: string;
        /** @description Only lines born on this day or earlier. */
        born_to?: string;
        /** @description AI against human lines, or AI lines by source or model beside human ones. */
        by?: 'origin' | 'source' | 'model';
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description Only lines of this person’s commits, by any of the addresses. */
        person?: string;
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only repositories of this project. */
        project_id?: string;
        /** @description Another branch that counts, such as refs/heads/release; by default the default branch. */
        ref?: string;
        /** @description Only this repository. */
        repository?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description How long lines stand in default branches */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description By week, oldest first, and key. */
            cohorts: {
              /** @description Share that stands 7 days after birth; null where no line that stood has been watched so long. */
              alive7: number | null;
              /** @description Share that stands 30 days after birth; null where no line that stood has been watched so long. */
              alive30: number | null;
              /** @description Share that stands 90 days after birth; null where no line that stood has been watched so long. */
              alive90: number | null;
              born: number;
              /** @description `ai` or `human`; by source or model: its name, `unknown` without one. */
              key: string;
              /** @description Share that still stands. */
              now: number;
              /**
               * Format: date
               * @description The Monday of the lines’ week of birth.
               */
              week: string;
            }[];
            /** @description The key with most lines first. */
            curves: {
              /** @description Share that stands 7 days after birth; null where no line that stood has been watched so long. */
              at7: number | null;
              /** @description Share that stands 30 days after birth; null where no line that stood has been watched so long. */
              at30: number | null;
              /** @description Share that stands 90 days after birth; null where no line that stood has been watched so long. */
              at90: number | null;
              /** @description Lines that came to stand in the branch. */
              born: number;
              /** @description Of the lines born at least 14 days ago, those that died within 14 days. */
              churn14: {
                born: number;
                ratio: number | null;
                rewritten: number;
              };
              /** @description The first age at which no more than half of the lines stand; null before that. */
              halfLifeDays: number | null;
              /** @description `ai` or `human`; by source or model: its name, `unknown` without one. */
              key: string;
              /** @description Kaplan-Meier: the share alive from this age (whole days) until the next point’s. */
              points: {
                age: number;
                alive: number;
              }[];
              /** @description The age up to which the curve says something. */
              watchedDays: number;
            }[];
          };
          'text/csv': string;
        };
      };
    };
  };
  TeamsController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description The teams by id; with a personal key those of the person */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            teams: {
              members: {
                /** @enum {string} */
                kind: 'person' | 'bot' | 'assistant';
                name: string;
                personId: string;
              }[];
              name: string;
              teamId: string;
            }[];
          };
        };
      };
    };
  };
  TeamsController_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description Addresses of the people: any of each, it stands for all.
           * @default []
           */
          members?: string[];
          name: string;
          /** @description The id of a team. */
          teamId: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Make a team */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            members: {
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              name: string;
              personId: string;
            }[];
            name: string;
            teamId: string;
          };
        };
      };
    };
  };
  TeamsController_one: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a team. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description One team */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            members: {
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              name: string;
              personId: string;
            }[];
            name: string;
            teamId: string;
          };
        };
      };
    };
  };
  TeamsController_replace: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a team. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description Addresses of the people: any of each, it stands for all.
           * @default []
           */
          members?: string[];
          name: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Change the name and the members of a team */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            members: {
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              name: string;
              personId: string;
            }[];
            name: string;
            teamId: string;
          };
        };
      };
    };
  };
  TeamsController_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a team. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Delete a team; the people stay */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            members: {
              /** @enum {string} */
              kind: 'person' | 'bot' | 'assistant';
              name: string;
              personId: string;
            }[];
            name: string;
            teamId: string;
          };
        };
      };
    };
  };
  BreakdownsController_topFiles: {
    parameters: {
      query?: {
        /** @description Cursor: `next` of the page before. */
        after?: string;
        /** @description Last day (included), for period=custom. */
        end_date?: string;
        /** @description By default what the header `Accept` asks for: JSON unless it prefers `text/csv`. */
        format?: 'json' | 'csv';
        /** @description Only lines of files in this language. */
        language?: string;
        /** @description How many entries a page has, from 1 to 200. */
        limit?: number;
        /** @description Whole days in the organisation’s time zone, today included. */
        period?: 'today' | '7d' | '30d' | 'custom';
        /** @description The results of this policy. By default those of the active one. */
        policy?: string;
        /** @description Only lines of this project. */
        project_id?: string;
        /** @description Only lines of this repository. */
        repository?: string;
        /** @description The most first: weighted AI lines, or all lines. */
        sort?: 'ai' | 'lines';
        /** @description First day, for period=custom. ISO 8601 date or date-time. */
        start_date?: string;
        /** @description Only people of this team. */
        team?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description Files by the lines that they got, the most first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            files: {
              /** @description Commits with at least one attributable line. */
              commits: number;
              human: number;
              language: string;
              /** Format: date */
              lastDay: string;
              /** @description Attributable lines: preserved + modified + human. */
              lines: number;
              modified: number;
              path: string;
              people: number;
              preserved: number;
              /** @description weighted / lines */
              ratio: number;
              repository: string;
              /** @description Preserved lines plus half of the modified ones. */
              weighted: number;
            }[];
            /** @description Send it as `after` for the next page; null on the last. */
            next: string | null;
            period: {
              /** Format: date */
              end: string;
              /** Format: date */
              start: string;
            };
          };
          'text/csv': string;
        };
      };
    };
  };
  HealthController_live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Every check is `ok` */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok",
           *       "checks": {
           *         "database": "ok"
           *       }
           *     }
           */
          'application/json': {
            checks: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'ok' | 'unavailable';
          };
        };
      };
      /** @description What is wrong, by check */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            checks: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'ok' | 'unavailable';
          };
        };
      };
    };
  };
  HealthController_ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Every check is `ok` */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok",
           *       "checks": {
           *         "database": "ok"
           *       }
           *     }
           */
          'application/json': {
            checks: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'ok' | 'unavailable';
          };
        };
      };
      /** @description What is wrong, by check */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            checks: {
              [key: string]: string;
            };
            /** @enum {string} */
            status: 'ok' | 'unavailable';
          };
        };
      };
    };
  };
  HealthController_scrape: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Text exposition format */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  TelemetryController_codeFingerprint: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "codeId": "session-7-1-0",
         *       "sessionId": "session-7",
         *       "userId": "mara@harbour.example",
         *       "repository": "harbour/desk",
         *       "source": "agent",
         *       "signature": [
         *         2654435761,
         *         1013904226,
         *         3668339987,
         *         2027808452,
         *         387276917,
         *         3041712678,
         *         1401181143,
         *         4055616904,
         *         2415085369,
         *         774553834,
         *         3428989595,
         *         1788458060,
         *         147926525,
         *         2802362286,
         *         1161830751,
         *         3816266512,
         *         2175734977,
         *         535203442,
         *         3189639203,
         *         1549107668,
         *         4203543429,
         *         2563011894,
         *         922480359,
         *         3576916120,
         *         1936384585,
         *         295853050,
         *         2950288811,
         *         1309757276,
         *         3964193037,
         *         2323661502,
         *         683129967,
         *         3337565728,
         *         1697034193,
         *         56502658,
         *         2710938419,
         *         1070406884,
         *         3724842645,
         *         2084311110,
         *         443779575,
         *         3098215336,
         *         1457683801,
         *         4112119562,
         *         2471588027,
         *         831056492,
         *         3485492253,
         *         1844960718,
         *         204429183,
         *         2858864944,
         *         1218333409,
         *         3872769170,
         *         2232237635,
         *         591706100,
         *         3246141861,
         *         1605610326,
         *         4260046087,
         *         2619514552,
         *         978983017,
         *         3633418778,
         *         1992887243,
         *         352355708,
         *         3006791469,
         *         1366259934,
         *         4020695695,
         *         2380164160,
         *         739632625,
         *         3394068386,
         *         1753536851,
         *         113005316,
         *         2767441077,
         *         1126909542,
         *         3781345303,
         *         2140813768,
         *         500282233,
         *         3154717994,
         *         1514186459,
         *         4168622220,
         *         2528090685,
         *         887559150,
         *         3541994911,
         *         1901463376,
         *         260931841,
         *         2915367602,
         *         1274836067,
         *         3929271828,
         *         2288740293,
         *         648208758,
         *         3302644519,
         *         1662112984,
         *         21581449,
         *         2676017210,
         *         1035485675,
         *         3689921436,
         *         2049389901,
         *         408858366,
         *         3063294127,
         *         1422762592,
         *         4077198353,
         *         2436666818,
         *         796135283,
         *         3450571044,
         *         1810039509,
         *         169507974,
         *         2823943735,
         *         1183412200,
         *         3837847961,
         *         2197316426,
         *         556784891,
         *         3211220652,
         *         1570689117,
         *         4225124878,
         *         2584593343,
         *         944061808,
         *         3598497569,
         *         1957966034,
         *         317434499,
         *         2971870260,
         *         1331338725,
         *         3985774486,
         *         2345242951,
         *         704711416,
         *         3359147177,
         *         1718615642,
         *         78084107,
         *         2732519868,
         *         1091988333,
         *         3746424094,
         *         2105892559,
         *         465361024
         *       ],
         *       "lshBuckets": [
         *         2654435761,
         *         1013904226,
         *         3668339987,
         *         2027808452,
         *         387276917,
         *         3041712678,
         *         1401181143,
         *         4055616904,
         *         2415085369,
         *         774553834,
         *         3428989595,
         *         1788458060,
         *         147926525,
         *         2802362286,
         *         1161830751,
         *         3816266512
         *       ],
         *       "language": "typescript",
         *       "fileExtension": "ts",
         *       "timestamp": 1780311600000,
         *       "lineCount": 1,
         *       "charCount": 25,
         *       "structureHash": "362d8c1e27ef6ea5"
         *     }
         */
        'application/json': {
          acceptedPartially?: boolean;
          after?: string;
          before?: string;
          charCount: number;
          client?: {
            name: string;
            version: string;
          };
          codeId: string;
          declaredBy?: string;
          edit?: {
            /** @enum {string} */
            kind: 'insert' | 'replace' | 'write' | 'patch';
          };
          fileExtension: string;
          keyId?: string;
          language: string;
          lineCount: number;
          linePrints?: string;
          lshBuckets: number[];
          model?: string;
          orgId?: string;
          parentSessionId?: string;
          pathKey?: string;
          projectId?: string;
          /** @enum {number} */
          protocol?: 1 | 2;
          rawCode?: string;
          repository?: string;
          sessionId: string;
          signature: number[];
          /** @enum {string} */
          source: 'tab' | 'chat' | 'agent';
          structureHash: string;
          timestamp: number;
          userId: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description It was taken */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /** @example true */
          'application/json': true;
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  TelemetryController_codeGenStats: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "sessionId": "session-7",
         *       "userId": "mara@harbour.example",
         *       "repository": "harbour/desk",
         *       "timestamp": 1780315200000,
         *       "agent": {
         *         "tasks": 1,
         *         "additions": 120,
         *         "deletions": 17,
         *         "fingerprints": [
         *           "session-7-1-0"
         *         ]
         *       }
         *     }
         */
        'application/json': {
          agent?: {
            additions: number;
            deletions: number;
            fingerprints: string[];
            tasks: number;
          };
          chat?: {
            additions: number;
            deletions: number;
            edits: number;
            fingerprints: string[];
          };
          gitBaseline?: {
            additions: number;
            deletions: number;
            headCommit: string | '';
          };
          orgId?: string;
          projectId?: string;
          repository?: string;
          sessionId: string;
          tab?: {
            charsAccepted: number;
            fingerprints: string[];
            suggestionsAccepted: number;
            suggestionsShown: number;
            survival?: {
              /** @enum {number} */
              afterSeconds: 15 | 30 | 120 | 300 | 600;
              charSimilarity: number;
              checks: number;
              stillInCode: number;
              wordSimilarity: number;
            }[];
          };
          timestamp: number;
          userId?: string;
        };
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description It was taken */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /** @example true */
          'application/json': true;
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
  WebhooksController_post: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id that connecting the repository gave. */
        hookId: string;
        /** @description Which host sends. */
        host: 'github' | 'gitlab' | 'gitea' | 'bitbucket-cloud' | 'bitbucket-dc';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "ref": "refs/heads/main"
         *     }
         */
        'application/json': Record<string, never>;
      };
    };
    responses: {
      /** @description What is wrong with the request, and what to send instead (RFC 9457) */
      '4XX': {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
      /** @description What becomes of it: `queued`, `ignored` where nothing that counts has changed, `repeated` for one that was here before */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "outcome": "queued"
           *     }
           */
          'application/json': {
            /** @enum {string} */
            outcome: 'queued' | 'ignored' | 'repeated';
          };
        };
      };
      /** @description Try again later */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "urn:lineprint:problem:parameters-invalid",
           *       "title": "Invalid parameters",
           *       "status": 400,
           *       "code": "parameters-invalid",
           *       "detail": "Correct these query parameters and send the request again: limit: send a number from 1 to 200",
           *       "errors": [
           *         {
           *           "path": "limit",
           *           "detail": "send a number from 1 to 200"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': {
            code: string;
            detail: string;
            errors?: {
              detail: string;
              path: string;
            }[];
            instance?: string;
            status: number;
            title: string;
            type: string;
          };
        };
      };
    };
  };
}
