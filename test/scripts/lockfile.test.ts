import { expect, test } from 'vitest'
import { packages } from '../../package-lock.json' with { type: 'json' }

interface Package {
  resolved?: string
  optionalDependencies?: Record<string, string>
}
const locked = packages as unknown as Record<string, Package>

/** Whether Node resolves a package from this path. */
const isFound = (from: string, name: string): boolean =>
  [...from.matchAll(/node_modules\//g)].some(({ index }) => `${from.slice(0, index)}node_modules/${name}` in locked)

test('the lockfile has the optional packages of every system, because `npm ci` fails without them', () => {
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isFound(`${path}/node_modules/`, name)),
  )
  expect(missing).toEqual([])
})

test('the lockfile has no registry URLs', () => {
  expect(Object.entries(locked).filter(([, { resolved }]) => resolved)).toEqual([])
})
