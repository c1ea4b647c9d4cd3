import { useState } from 'react';
import { MoonIcon, SunIcon } from '../parts/icons';

type Theme = 'light' | 'dark';
/** Also read by public/theme.js, before the page is drawn. */
const STORED_AS = 'lineprint.theme';

function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Light or dark; until it is used, as the system prefers. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(currentTheme);
  const other = theme === 'light' ? 'dark' : 'light';
  const change = () => {
    document.documentElement.dataset['theme'] = other;
    localStorage.setItem(STORED_AS, other);
    setTheme(other);
  };
  return (
    <button type="button" className="icon-button" onClick={change} aria-label={`Use the ${other} theme`}>
      {theme === 'light' ? <MoonIcon /> : <SunIcon />}
    </button>
  );
}
