import { hookConnection } from './hook-connection';

const INSTALLED = { url: 'https://installed.example', apiKey: 'installed' };
const ENVIRONMENT = { url: 'https://environment.example', apiKey: 'environment' };
const LOGIN = { url: 'https://login.example', apiKey: 'login' };
const NO_KEY = { url: 'http://127.0.0.1:7310', apiKey: undefined };

describe('the address and the key of hooks', () => {
  it('are those that the hooks were installed with, before all others', () => {
    expect(hookConnection(INSTALLED, ENVIRONMENT, LOGIN)).toEqual(INSTALLED);
  });

  it('are the environment’s where no key was given, and those of the login where it has none', () => {
    expect(hookConnection({}, ENVIRONMENT, LOGIN)).toEqual(ENVIRONMENT);
    expect(hookConnection({}, NO_KEY, LOGIN)).toEqual(LOGIN);
  });

  it('never show the key of a login to another server', () => {
    const elsewhere = { url: 'https://installed.example' };
    expect(hookConnection(elsewhere, NO_KEY, LOGIN)).toEqual(elsewhere);
    expect(hookConnection({ url: `${LOGIN.url}/` }, NO_KEY, LOGIN)).toEqual(LOGIN);
  });

  it('are an address without a key where nobody has one', () => {
    expect(hookConnection({}, NO_KEY, undefined)).toEqual({ url: NO_KEY.url });
  });
});
