import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { run } from './command.mjs'
import { filesIn, isDone, withLock } from './install.mjs'
import { pinnedNode, root, toolsDir } from './paths.mjs'

/** Generates the files of clients and console that are not committed. A step runs again when its files change. */
export const ensureClient = async (log) => {
  // Most starts have nothing to do, and must not wait for each other to find that out.
  if ((await Promise.all(steps.map(isUpToDate))).every(Boolean)) return
  await withLock(join(toolsDir, 'client.lock'), log, async () => {
    for (const step of steps) await ensure(step, log)
  })
}

const steps = [
  {
    name: 'types',
    message: 'Writing the types of the API for haul-client',
    // The document is made of schemas and texts from everywhere in the Worker. It takes a second.
    files: [
      ...['worker', 'domain', 'package-lock.json', 'scripts/client'],
      ...['client/src/openapi.ts', 'client/src/start-options.ts'],
    ],
    program: 'scripts/client/types.mjs',
  },
  {
    name: 'python',
    message: 'Writing the types of the API for Python',
    files: ['worker', 'domain', 'scripts/client', 'python/src/haul_client/_models.py'],
    program: 'scripts/client/python/models.mjs',
  },
  {
    name: 'python-synchronous',
    message: 'Writing the synchronous client for Python',
    files: ['scripts/client/python', 'python/src/haul_client/_async', 'python/src/haul_client/_sync'],
    program: 'scripts/client/python/sync.mjs',
  },
  {
    name: 'dist',
    message: 'Compiling haul-client',
    files: ['src', 'ai', 'cli', 'build.mjs', 'package.json', 'tsconfig.json', 'dist'].map((path) => `client/${path}`),
    program: 'client/build.mjs',
  },
  {
    name: 'console',
    message: 'Bundling haul-client for the console',
    files: [
      ...['client/src', 'domain', 'scripts/client/console.mjs', 'package-lock.json'],
      ...['console/assets/haul-client.js', 'console/assets/start-form.js'],
    ],
    program: 'scripts/client/console.mjs',
  },
]

const ensure = async (step, log) => {
  if (await isUpToDate(step)) return
  log(step.message)
  await run(pinnedNode, [join(root, step.program)], { cwd: root })
  await writeFile(stampOf(step), await digestOf(step.files))
}

const isUpToDate = async (step) => isDone(stampOf(step), await digestOf(step.files))

const stampOf = ({ name }) => join(root, `client/${name}.sha256`)

const digestOf = async (paths) => {
  const hash = createHash('sha256')
  const files = (await Promise.all(paths.map((each) => filesIn(join(root, each))))).flat()
  for (const path of files) hash.update(`\0${relative(root, path)}\0`).update(await readFile(path).catch(() => 'none'))
  return hash.digest('hex')
}
