import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PlantedBug, withBug } from '../../test/planted-bugs/planted-bug.ts'
import { run } from '../setup/command.mjs'
import { root } from '../start/environment.ts'

export type PlantedCheckout = Awaited<ReturnType<typeof copyCheckout>>

/** What the set-up writes and git does not know. */
const generated = [
  'client/dist',
  'client/src/openapi.ts',
  'console/assets/haul-client.js',
  'console/assets/start-form.js',
  'client/src/start-options.ts',
  'python/src/haul_client/_models.py',
  'python/src/haul_client/_sync',
]

/** A copy of this checkout, as it is now, into which bugs are planted. It is removed when this process ends. */
export const copyCheckout = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-plant-'))
  // Not only in a `finally`: a signal ends the process at once, and Miniflare does that too.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  for (const path of [...filesOfGit(), ...generated]) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  for (const path of ['node_modules', 'client/node_modules']) await copyPackages(path, folder)
  symlinkSync(join(root, '.tools'), join(folder, '.tools'))
  return {
    folder,
    /** Returns what takes the bug out again. */
    plant: (bug: PlantedBug): (() => void) => {
      const file = join(folder, bug.path)
      const source = readFileSync(file, 'utf8')
      writeFileSync(file, withBug(source, bug))
      return () => writeFileSync(file, source)
    },
  }
}

const filesOfGit = (): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter(Boolean)

/**
 * As hard links where the file system has them. Symbolic ones would not do: child processes in the sandbox see only their
 * own checkout, and `haul-client` would be that of ours.
 */
const copyPackages = async (path: string, folder: string): Promise<void> => {
  const [from, to] = [join(root, path), join(folder, path)]
  if (!existsSync(from)) return
  await run('cp', ['-al', from, to]).catch(async () => {
    rmSync(to, { recursive: true, force: true })
    await run('cp', ['-a', from, to])
  })
  // Vitest's caches are written in place.
  for (const name of ['.vite', '.vite-temp', '.vitest-cache']) rmSync(join(to, name), { recursive: true, force: true })
}
