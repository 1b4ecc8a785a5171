// How the page is built: into dist/web, hashed files beside one index.html, and the licences of what is bundled with it.
import { resolve } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  base: '/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // `tieout serve` answers the data while the page is being worked on: `npx vite --config web/vite.config.ts`.
  build: {
    outDir: resolve(root, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // No picture or font as a data address: everything the page loads is a file of the server's map.
    assetsInlineLimit: 0,
    // What is imported later is imported then: the polyfill would ask for it ahead, by a way the policy has no need of.
    modulePreload: { polyfill: false },
    license: { fileName: 'licences.txt' },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
})
