import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { run } from './command.mjs'
import { filesIn, isDone, withLock } from './install.mjs'
import { pinnedNode, root, toolsDir } from './paths.mjs'

/**
 * Writes the types of the API (client/src/openapi.ts) and compiles the package haul-client. Neither is committed. Each step is
 * done again when one of the files that it reads or writes has changed.
 */
export const ensureClient = (log) =>
  withLock(join(toolsDir, 'client.lock'), log, async () => {
    for (const step of steps) await ensure(step, log)
  })

const steps = [
  {
    name: 'types',
    message: 'Writing the types of the API for haul-client',
    // The document is made of schemas and texts from everywhere in the Worker. It takes a second.
    files: ['worker', 'domain', 'package-lock.json', 'scripts/client', 'client/src/openapi.ts'],
    program: 'scripts/client/types.mjs',
  },
  {
    name: 'dist',
    message: 'Compiling haul-client',
    files: [
      'client/src',
      'client/cli',
      'client/build.mjs',
      'client/package.json',
      'client/tsconfig.json',
      'client/dist',
    ],
    program: 'client/build.mjs',
  },
]

const ensure = async ({ name, message, files, program }, log) => {
  const stamp = join(root, `client/${name}.sha256`)
  if (await isDone(stamp, await digestOf(files))) return
  log(message)
  await run(pinnedNode, [join(root, program)], { cwd: root })
  await writeFile(stamp, await digestOf(files))
}

const digestOf = async (paths) => {
  const hash = createHash('sha256')
  for (const path of (await Promise.all(paths.map((each) => filesIn(join(root, each))))).flat()) {
    hash.update(`\0${relative(root, path)}\0`).update(await readFile(path).catch(() => 'none'))
  }
  return hash.digest('hex')
}
