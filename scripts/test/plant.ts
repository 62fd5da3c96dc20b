import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { TestSpecification, Vitest } from 'vitest/node'
import { bugs, isFoundByNpmTest } from '../../test/planted-bugs/bugs.ts'
import { type PlantedBug, type TestedBug, withBug } from '../../test/planted-bugs/planted-bug.ts'
import { run } from '../setup/command.mjs'
import { compileCache, root } from '../start/environment.ts'
import { type Finding, findingIn } from './findings.ts'

const usage = `npm run plant -- [options] [names]

Plants bugs (test/planted-bugs/) one after the other in a copy of this checkout, and says which test finds each. With names,
or parts of names, only those.

  --widely    run all tests of \`npm test\` whose imports lead to the changed file, and print all that fail
`

/** Files that the set-up writes and git does not track. */
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
const copyCheckout = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-plant-'))
  // A `finally` is not enough: a signal ends the process at once, and so does Miniflare.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  for (const path of [...filesOfGit(), ...generated]) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  for (const path of ['node_modules', 'client/node_modules']) await copyPackages(path, folder)
  symlinkSync(join(root, '.tools'), join(folder, '.tools'))
  return {
    folder,
    /** Returns a function that removes the bug. */
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
 * Copies packages as hard links where the file system has them. Symbolic links would not work: child processes in the
 * sandbox see only their own checkout, and `haul-client` would resolve to ours.
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

/** One Vitest for all bugs: starting it and compiling the Worker take longer than most tests. */
const openVitest = async ({ folder, plant }: Awaited<ReturnType<typeof copyCheckout>>) => {
  const { createVitest } = await import(pathToFileURL(join(folder, 'node_modules/vitest/dist/node.js')).href)
  const vitest: Vitest = await createVitest('test', { root: folder, watch: false, reporters: [{}] })

  const specificationsOf = (files: string[]) => vitest.globTestSpecifications(files.map((file) => join(folder, file)))
  const runTests = async (specifications: TestSpecification[], bail: 0 | 1): Promise<Finding> => {
    vitest.config.bail = bail
    const { testModules } = await vitest.runTestSpecifications(specifications)
    const files = new Set(specifications.map(({ moduleId }) => moduleId))
    const modules = testModules.filter(({ moduleId }) => files.has(moduleId))
    return findingIn(modules, folder)
  }

  const find = async (bug: TestedBug, isWide: boolean): Promise<Finding> => {
    const remove = plant(bug)
    vitest.invalidateFile(join(folder, bug.path))
    try {
      if (isWide) return await runTests(await relatedTo(vitest, folder, bug), 0)
      return await runTests(await specificationsOf(bug.foundBy), 1)
    } finally {
      remove()
      vitest.invalidateFile(join(folder, bug.path))
    }
  }

  return {
    find,
    /** Run without a bug: a test that fails even then would seem to find every bug. */
    failing: async (files: string[]) => runTests(await specificationsOf(files), 0),
  }
}

/** Tests of further/ do not belong to `npm test`, and those of walk/ start programs and import nothing of the product. */
const relatedTo = async (vitest: Vitest, folder: string, { path }: TestedBug) => {
  vitest.config.related = [join(folder, path)]
  const specifications = await vitest.getRelevantTestSpecifications()
  return specifications.filter(({ moduleId }) => !/\/test\/(further|clients|walk)\//.test(moduleId))
}

const linesOf = (name: string, finding: Finding, isWide: boolean): string[] => {
  if ('problem' in finding) return [name, `  NOT TESTED: ${finding.problem}`]
  if (finding.failed.length === 0) return [name, '  NOT FOUND']
  return [name, ...finding.failed.slice(0, isWide ? undefined : 1).map((title) => `  ${title}`)]
}

/** The exit code: 1 if a bug was not found, or fewer than nine in ten by the tests of `npm test`. */
const plantAll = async (
  tests: Awaited<ReturnType<typeof openVitest>>,
  chosen: [string, TestedBug][],
  isWide: boolean,
): Promise<number> => {
  const since = performance.now()
  let [found, foundByNpmTest] = [0, 0]
  for (const [name, bug] of chosen) {
    const finding = await tests.find(bug, isWide)
    console.log(linesOf(name, finding, isWide).join('\n'))
    if ('problem' in finding || finding.failed.length === 0) continue
    found += 1
    if (isFoundByNpmTest(bug)) foundByNpmTest += 1
  }
  const withoutBug = await tests.failing([...new Set(chosen.flatMap(([, { foundBy }]) => foundBy))])
  const passWithoutBug = 'failed' in withoutBug && withoutBug.failed.length === 0
  if (!passWithoutBug) console.log(linesOf('Without a bug, these tests fail as well:', withoutBug, true).join('\n'))
  const minutes = ((performance.now() - since) / 60_000).toFixed(1)
  const counts = `${found} of ${chosen.length} planted bugs found, ${foundByNpmTest} by the files of \`npm test\``
  console.log(`${counts}, in ${minutes} minutes`)
  return passWithoutBug && found === chosen.length && foundByNpmTest >= 0.9 * chosen.length ? 0 : 1
}

const plant = async (parts: string[], isWide: boolean): Promise<number> => {
  const chosen = Object.entries(bugs).filter(
    ([name]) => parts.length === 0 || parts.some((part) => name.includes(part)),
  )
  if (chosen.length === 0) throw new Error(`No planted bug has a name with "${parts.join('" or "')}".`)
  const checkout = await copyCheckout()
  // Tests and the configuration of Vitest name files relative to the checkout.
  process.chdir(checkout.folder)
  return plantAll(await openVitest(checkout), chosen, isWide)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}
// Each Miniflare listens for the end of this process.
process.setMaxListeners(0)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { widely: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
// Miniflare would ask a real host for the facts of a request, again and again.
Object.assign(process.env, compileCache, { CLOUDFLARE_CF_FETCH_ENABLED: 'false' })
// Vitest and programs of tests would keep this process alive. Its end ends them.
if (values.help) console.log(usage)
else process.exit(await plant(positionals, values.widely))
