import { Inject, Injectable } from '@nestjs/common';
import { claimProject, DATABASE, type Database, loadTenant } from '@lineprint/persistence';
import type { Principal } from '@lineprint/platform';
import { ItemRefused } from '../batch/batch';

const TENANT_CACHE_MS = 10_000;
const PROJECT_CACHE_SIZE = 100_000;

/** Where an item names neither project nor repository. */
const UNNAMED_PROJECT = 'default';

/** The project that an item counts for: the one it names, else its repository. */
export function projectOf(item: { projectId?: string | undefined; repository?: string | undefined }): string {
  return item.projectId ?? item.repository ?? UNNAMED_PROJECT;
}

/** Whose data a request may touch: the tenant is the credential's, a body can only agree with it. */
@Injectable()
export class Tenancy {
  private readonly claimed = new Set<string>();
  private readonly rawCode = new Map<string, { at: number; allowed: boolean }>();

  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** @throws ItemRefused when a body names another organisation, person or tenant's project. */
  async check(
    principal: Principal,
    claims: { orgId?: string | undefined; userId?: string | undefined; projectId?: string | undefined },
  ): Promise<void> {
    if (claims.orgId !== undefined && claims.orgId !== principal.orgId) {
      throw new ItemRefused(
        'tenant-mismatch',
        'The item names another organisation than the API key belongs to. Leave `orgId` out or use the right key.',
      );
    }
    if (principal.userId !== null && claims.userId !== undefined && claims.userId !== principal.userId) {
      throw new ItemRefused(
        'user-mismatch',
        'A personal API key can send only its own person’s data. Use the person’s own key or a machine key.',
      );
    }
    // What is named after its repository is no claim: two organisations may both have an `api`.
    if (claims.projectId === undefined) return;
    const claim = `${principal.orgId}\u0000${claims.projectId}`;
    if (this.claimed.has(claim)) return;
    if (!(await claimProject(this.database, principal.orgId, claims.projectId))) {
      throw new ItemRefused(
        'project-forbidden',
        'The project belongs to another organisation. Check `projectId` and the API key.',
      );
    }
    if (this.claimed.size >= PROJECT_CACHE_SIZE) this.claimed.clear();
    this.claimed.add(claim);
  }

  /** Whether the organisation opted in to raw code. */
  async acceptsRawCode(orgId: string): Promise<boolean> {
    const hit = this.rawCode.get(orgId);
    if (hit && Date.now() - hit.at < TENANT_CACHE_MS) return hit.allowed;
    const tenant = await loadTenant(this.database, orgId);
    const allowed = tenant?.rawCode ?? false;
    this.rawCode.set(orgId, { at: Date.now(), allowed });
    return allowed;
  }
}
