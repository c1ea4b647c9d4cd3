/** What people may be in an organisation, what shows most first. */
export const roles = ['admin', 'auditor', 'maintainer', 'developer'] as const;
export type Role = (typeof roles)[number];

/**
 * A developer sees the own numbers, a maintainer those of some projects, an auditor everybody's but no code, and who did what, an admin
 * everything. Which rows that are the principal says (`userId`, `projects`).
 */
export const roleScopes: Readonly<Record<Role, readonly string[]>> = {
  admin: ['admin'],
  auditor: ['read', 'audit'],
  maintainer: ['read', 'code'],
  developer: ['read', 'code'],
};
