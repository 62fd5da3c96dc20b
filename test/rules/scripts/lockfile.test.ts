import { expect, test } from 'vitest'
import { packages } from '../../../package-lock.json' with { type: 'json' }

interface Package {
  version?: string
  resolved?: string
  link?: true
  optionalDependencies?: Record<string, string>
}
const locked = packages as unknown as Record<string, Package>

/** The package that Node resolves from this path. */
const found = (from: string, name: string): Package | undefined =>
  [...from.matchAll(/node_modules\//g)]
    .map(({ index }) => locked[`${from.slice(0, index)}node_modules/${name}`])
    .findLast((each) => each !== undefined)

/** npm leaves them out where another version is found, or none. */
test('the lockfile has the optional packages of every system, because `npm ci` fails without them', () => {
  const isExact = (range: string) => /^\d+\.\d+\.\d+$/.test(range)
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .map(([name, range]) => ({ name, range, version: found(`${path}/node_modules/`, name)?.version }))
      .filter(({ range, version }) => (isExact(range) ? version !== range : version === undefined)),
  )
  expect(missing).toEqual([])
})

test('the lockfile has no registry URLs', () => {
  expect(Object.entries(locked).filter(([, { resolved, link }]) => resolved && !link)).toEqual([])
})
