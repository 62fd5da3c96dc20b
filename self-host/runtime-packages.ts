import { readFile, writeFile } from 'node:fs/promises'

/** Runs in the image's build: `npm install` then removes what the server does not need, and keeps the versions. */
const names = ['miniflare', 'tar', 'zod']

const {
  devDependencies,
  dependencies: packages,
  scripts: _,
  ...rest
} = JSON.parse(await readFile('package.json', 'utf8'))
const dependencies = Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? packages[name]]))
await writeFile('package.json', JSON.stringify({ ...rest, dependencies }))
