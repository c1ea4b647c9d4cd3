import { useState, type FormEvent } from 'react';
import { useAuthSettings } from '../api/queries';
import type { OidcSettings } from './oidc';
import { startSession, whyEnded } from './session';

/** Where a session begins: with an API key, or at the organisation's OpenID provider. */
export function LoginPage() {
  const [key, setKey] = useState('');
  const settings = useAuthSettings();
  const oidc = settings.data?.oidc ?? null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    startSession({ kind: 'key', credential: key.trim() });
  };
  return (
    <main className="login" id="main">
      <div className="login-card">
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1>Lineprint</h1>
        <p className="muted">How much of the code that lands in git came from AI, with evidence.</p>
        {whyEnded() === 'refused' ? (
          <p className="failed" role="alert">
            The key was refused: it is unknown, expired or revoked.
          </p>
        ) : null}
        {oidc ? (
          <button type="button" className="button button-primary" onClick={() => void logInAt(oidc)}>
            Log in with your organisation
          </button>
        ) : null}
        <form onSubmit={submit}>
          <label htmlFor="key">API key</label>
          <input
            id="key"
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder="lp_…"
            required
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
          <p className="hint">
            A key with the scope <code>read</code>. It stays in this tab and is forgotten when the tab is
            closed.
          </p>
          <button type="submit" className={oidc ? 'button' : 'button button-primary'}>
            Log in
          </button>
        </form>
      </div>
    </main>
  );
}

/** The provider's library is only needed by those who use it. */
async function logInAt(settings: OidcSettings): Promise<void> {
  const { redirectToProvider } = await import('./oidc');
  await redirectToProvider(settings);
}
