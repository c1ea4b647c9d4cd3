// Before the first paint, so that a chosen theme does not flash. The page's policy allows no inline script.
{
  const theme = localStorage.getItem('lineprint.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
