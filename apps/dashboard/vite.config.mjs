import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    // The Content-Security-Policy allows no `data:` address and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npx vite apps/dashboard` beside a running Lineprint: changes show at once.
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:7310' } },
});
