import '@fontsource-variable/inter';
import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { takeKeyFromAddress } from './session/session';

takeKeyFromAddress();
// The address with a key may be opened where the login is shown already: then the page is not loaded again.
addEventListener('hashchange', takeKeyFromAddress);
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
