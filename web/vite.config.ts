// How the page is built: into dist/web, as hashed files beside one index.html, with the licences of the bundled packages.
import { resolve } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  base: '/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // During development, `npx vite --config web/vite.config.ts` serves the page and `tieout serve` the data.
  build: {
    outDir: resolve(root, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // No images or fonts as data URLs: everything the page loads must be a file that the server lists.
    assetsInlineLimit: 0,
    // Later imports are loaded when needed. The polyfill would preload them by fetch, which the policy need not allow.
    modulePreload: { polyfill: false },
    license: { fileName: 'licences.txt' },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
})
