import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { createQueryClient, useMe } from './api/queries';
import { FilePage } from './file/file-page';
import { AttributionPage } from './pages/attribution-page';
import { CommitPage } from './pages/commit-page';
import { GlossaryPage } from './pages/glossary-page';
import { CommitsPage, PeoplePage, ProjectsPage, RepositoriesPage } from './pages/lists';
import { PoliciesPage } from './pages/policies-page';
import { QualityPage } from './pages/quality-page';
import { RepositoryPage } from './pages/repository-page';
import { TeamPage, TeamsPage } from './pages/teams-pages';
import { PageLink } from './parts/page-link';
import { Empty, Failed, Loading } from './parts/states';
import { CALLBACK_PATH } from './session/callback-path';
import { LoginPage } from './session/login-page';
import { useSession } from './session/session';
import { OrganisationClockProvider } from './shell/organisation-clock';
import { Page } from './shell/page';
import { Shell } from './shell/shell';

export function App() {
  const session = useSession();
  const [location] = useLocation();
  if (location === CALLBACK_PATH && session === null) return <OidcCallback />;
  // A client a credential: nothing that one was shown is left for the next.
  return <Session key={session?.credential ?? ''} begun={session !== null} />;
}

function Session({ begun }: { begun: boolean }) {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      {begun ? (
        <Shell>
          <OrganisationClockProvider waiting={<Loading what="the page" rows={6} />}>
            <Pages />
          </OrganisationClockProvider>
        </Shell>
      ) : (
        <LoginPage />
      )}
    </QueryClientProvider>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <FirstPage />
      </Route>
      <Route path={CALLBACK_PATH}>
        <Redirect to="/" replace />
      </Route>
      <Route path="/projects" component={ProjectsPage} />
      <Route path="/projects/:project">
        {({ project }) => (
          <AttributionPage
            key={project}
            whose={{ scope: 'project', projectId: decodeURIComponent(project) }}
            title={decodeURIComponent(project)}
            trail={<PageLink page="/projects">Projects</PageLink>}
          />
        )}
      </Route>
      <Route path="/people" component={PeoplePage} />
      <Route path="/people/:person">
        {({ person }) => (
          <AttributionPage
            key={person}
            whose={{ scope: 'personal', person: decodeURIComponent(person) }}
            title={decodeURIComponent(person)}
            trail={<PageLink page="/people">People</PageLink>}
          />
        )}
      </Route>
      <Route path="/teams" component={TeamsPage} />
      <Route path="/teams/:team">{({ team }) => <TeamPage teamId={decodeURIComponent(team)} />}</Route>
      <Route path="/repositories" component={RepositoriesPage} />
      <Route path="/repository" component={RepositoryPage} />
      <Route path="/file" component={FilePage} />
      <Route path="/commits" component={CommitsPage} />
      <Route path="/commit" component={CommitPage} />
      <Route path="/policies" component={PoliciesPage} />
      <Route path="/quality" component={QualityPage} />
      <Route path="/definitions" component={GlossaryPage} />
      <Route>
        <Page title="No such page">
          <Empty title="Nothing lives at this address">
            <PageLink page="/">Go to the overview</PageLink>
          </Empty>
        </Page>
      </Route>
    </Switch>
  );
}

/** A developer sees the own numbers first; whoever may see all of them, the organisation's. */
function FirstPage() {
  const me = useMe().data;
  return me?.sees === 'person' && me.person ? (
    <AttributionPage whose={{ scope: 'personal', person: me.person.personId }} title={me.person.name} />
  ) : (
    <AttributionPage whose={{ scope: 'organization' }} title="Overview" />
  );
}

/** Where the OpenID provider sends the browser back to. */
function OidcCallback() {
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    import('./session/oidc')
      .then(({ finishLogin }) => finishLogin())
      .catch((reason: unknown) => setError(reason instanceof Error ? reason : new Error(String(reason))));
  }, []);
  return (
    <main className="login">
      <div className="login-card">{error ? <Failed error={error} /> : <Loading what="your session" />}</div>
    </main>
  );
}
