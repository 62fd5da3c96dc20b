import { readFile, writeFile } from 'node:fs/promises'

/**
 * The image's build runs this: it leaves in package.json only what the server needs, so that `npm install` removes the rest and keeps
 * the versions of the lockfile. In the checkout most of these packages are development dependencies, because neither the
 * Worker nor the container needs them.
 */
const names = ['miniflare', 'tar', 'zod']

const {
  devDependencies,
  dependencies: packages,
  scripts: _,
  ...rest
} = JSON.parse(await readFile('package.json', 'utf8'))
const dependencies = Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? packages[name]]))
await writeFile('package.json', JSON.stringify({ ...rest, dependencies }))
