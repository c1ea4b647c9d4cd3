/** Injection token of the process's one Database. */
export const DATABASE = Symbol('DATABASE');

/** Injection token of the TenantDatabase that answers requests. */
export const TENANT_DATABASE = Symbol('TENANT_DATABASE');
