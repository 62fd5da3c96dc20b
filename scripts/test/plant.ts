import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { bugs, isFoundByNpmTest } from '../../test/planted-bugs/bugs.ts'
import type { TestedBug } from '../../test/planted-bugs/planted-bug.ts'
import { compileCache } from '../start/environment.ts'
import { copyCheckout } from './planted-checkout.ts'
import { type Finding, openVitest, type PlantedTests } from './planted-tests.ts'

const usage = `npm run plant -- [options] [names]

Plants bugs (test/planted-bugs/) one after the other in a copy of this checkout, and says which test finds each. With names,
or parts of names, only those.

  --widely    run all tests of \`npm test\` whose imports lead to the changed file, and print all that fail
`

const linesOf = (name: string, finding: Finding, isWide: boolean): string[] => {
  if ('problem' in finding) return [name, `  NOT TESTED: ${finding.problem}`]
  if (finding.failed.length === 0) return [name, '  NOT FOUND']
  return [name, ...finding.failed.slice(0, isWide ? undefined : 1).map((title) => `  ${title}`)]
}

/** The exit code: 1 if a bug was not found, or fewer than nine in ten by the tests of `npm test`. */
const plantAll = async (tests: PlantedTests, chosen: [string, TestedBug][], isWide: boolean): Promise<number> => {
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
