import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { devDependencies } from '../../../package.json' with { type: 'json' }
import { packages } from '../../../package-lock.json' with { type: 'json' }
import { type Import, importsIn } from '../../../scripts/check/import-direction.ts'

/** What self-host/Dockerfile puts into the image beside self-host/ and domain/: the packages that runtime-packages.ts names. */
const inImage = /^(node:.+|miniflare|tar|zod)$/
/** Erased before the file runs. */
const typeImport = /^import type [^']+ from '[^']+'$/gm
/** It runs when the image is built. */
const whenBuilt = 'self-host/build.ts'

test('the server imports only what its image has', () => {
  const files = new Set(globSync('self-host/**/*.ts').filter((file) => file !== whenBuilt))
  expect(files.size).toBeGreaterThan(15)
  const missing: Import[] = []
  // Files that are added here are visited too.
  for (const file of files) {
    for (const found of importsIn(file, readFileSync(file, 'utf8').replace(typeImport, ''))) {
      const path = posix.join(posix.dirname(file), found.to)
      if (found.to.startsWith('.') && path.startsWith('domain/')) files.add(path)
      else if (!(found.to.startsWith('.') && path.startsWith('self-host/')) && !inImage.test(found.to))
        missing.push(found)
    }
  }
  expect(missing).toEqual([])
})

test('the packages of the image are those that the file for it names', () => {
  const text = readFileSync('self-host/runtime-packages.ts', 'utf8')
  expect(text).toContain("const names = ['miniflare', 'tar', 'zod']")
})

test('the server runs the miniflare that wrangler was made with, because wrangler makes its options', () => {
  expect(packages['node_modules/wrangler'].dependencies.miniflare).toBe(devDependencies.miniflare)
})
