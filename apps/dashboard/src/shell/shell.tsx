import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../api/queries';
import {
  CommitIcon,
  GlossaryIcon,
  MenuIcon,
  OverviewIcon,
  PersonIcon,
  PolicyIcon,
  ProjectIcon,
  QualityIcon,
  RepositoryIcon,
  SignOutIcon,
  TeamIcon,
} from '../parts/icons';
import { PageLink } from '../parts/page-link';
import { endSession } from '../session/session';
import { ThemeToggle } from './theme-toggle';

interface Entry {
  readonly page: string;
  readonly name: string;
  readonly icon: ReactNode;
  /** Beginnings of addresses that belong to it as well. */
  readonly also?: readonly string[];
}

const ENTRIES: readonly Entry[] = [
  { page: '/', name: 'Overview', icon: <OverviewIcon /> },
  { page: '/projects', name: 'Projects', icon: <ProjectIcon /> },
  { page: '/people', name: 'People', icon: <PersonIcon /> },
  { page: '/teams', name: 'Teams', icon: <TeamIcon /> },
  { page: '/repositories', name: 'Repositories', icon: <RepositoryIcon />, also: ['/repository', '/file'] },
  { page: '/commits', name: 'Commits', icon: <CommitIcon />, also: ['/commit'] },
  { page: '/policies', name: 'Policies', icon: <PolicyIcon /> },
  { page: '/quality', name: 'Data quality', icon: <QualityIcon /> },
  { page: '/definitions', name: 'Definitions', icon: <GlossaryIcon /> },
];

/** The frame around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const [page] = useLocation();
  const [open, setOpen] = useState(false);
  const me = useMe();
  useEffect(() => setOpen(false), [page]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className={open ? 'sidebar sidebar-open' : 'sidebar'}>
        <div className="brand">
          <PageLink page="/" className="brand-name">
            <img src="/favicon.svg" alt="" width={22} height={22} /> Lineprint
          </PageLink>
          <button
            type="button"
            className="icon-button menu-button"
            aria-expanded={open}
            aria-controls="navigation"
            aria-label="Menu"
            onClick={() => setOpen(!open)}
          >
            <MenuIcon />
          </button>
        </div>
        <nav id="navigation" aria-label="Pages">
          <ul>
            {ENTRIES.map((entry) => (
              <li key={entry.page}>
                <PageLink
                  page={entry.page}
                  className={isAt(entry, page) ? 'nav-link nav-link-current' : 'nav-link'}
                  {...(isAt(entry, page) ? { current: true } : {})}
                >
                  {entry.icon}
                  {entry.name}
                </PageLink>
              </li>
            ))}
          </ul>
        </nav>
        <div className="sidebar-foot">
          <span className="who" title={me.data?.organisation.orgId}>
            {me.data?.person?.name ?? me.data?.organisation.name ?? ''}
          </span>
          <ThemeToggle />
          <button
            type="button"
            className="icon-button"
            aria-label="Log out"
            onClick={() => endSession('logged-out')}
          >
            <SignOutIcon />
          </button>
        </div>
      </header>
      <main id="main">{children}</main>
    </div>
  );
}

function isAt({ page, also = [] }: Entry, current: string): boolean {
  if (page === '/') return current === '/';
  return current === page || current.startsWith(`${page}/`) || also.includes(current);
}
