import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'
import type { TestedBug } from '../../test/planted-bugs/planted-bug.ts'
import type { PlantedCheckout } from './planted-checkout.ts'

/** `problem`: no test has failed, and this is why that says nothing about the bug. */
export type Finding = { failed: string[] } | { problem: string }

export type PlantedTests = Awaited<ReturnType<typeof openVitest>>

/** One Vitest for all bugs: to start it and to compile the Worker takes longer than most tests. */
export const openVitest = async ({ folder, plant }: PlantedCheckout) => {
  const { createVitest } = await import(pathToFileURL(join(folder, 'node_modules/vitest/dist/node.js')).href)
  const vitest: Vitest = await createVitest('test', { root: folder, watch: false, reporters: [{}] })

  const specificationsOf = (files: string[]) => vitest.globTestSpecifications(files.map((file) => join(folder, file)))
  const run = async (specifications: TestSpecification[], bail: 0 | 1): Promise<Finding> => {
    vitest.config.bail = bail
    const { testModules } = await vitest.runTestSpecifications(specifications)
    const files = new Set(specifications.map(({ moduleId }) => moduleId))
    return findingIn(
      testModules.filter(({ moduleId }) => files.has(moduleId)),
      folder,
    )
  }

  const find = async (bug: TestedBug, isWide: boolean): Promise<Finding> => {
    const remove = plant(bug)
    vitest.invalidateFile(join(folder, bug.path))
    try {
      if (isWide) return await run(await relatedTo(vitest, folder, bug), 0)
      return await run(await specificationsOf(bug.foundBy), 1)
    } finally {
      remove()
      vitest.invalidateFile(join(folder, bug.path))
    }
  }

  return {
    find,
    /** Without a bug. A test that then fails would be said to find every bug. */
    failing: async (files: string[]) => run(await specificationsOf(files), 0),
  }
}

/** Tests of further/ do not belong to `npm test`, and those of walk/ start programs and import nothing of the product. */
const relatedTo = async (vitest: Vitest, folder: string, { path }: TestedBug) => {
  vitest.config.related = [join(folder, path)]
  const specifications = await vitest.getRelevantTestSpecifications()
  return specifications.filter(({ moduleId }) => !/\/test\/(further|clients|walk)\//.test(moduleId))
}

/** Code that cannot be parsed is found by every test, so the bug is a mistake in the table. */
const INVALID_CODE = /SyntaxError|Transform failed|PARSE_ERROR|Parse failure|IndentationError/

const findingIn = (modules: TestModule[], folder: string): Finding => {
  const fileOf = ({ moduleId }: TestModule): string => relative(folder, moduleId)
  const failed = modules.flatMap((module) =>
    [...module.children.allTests('failed')].map((test) => ({
      title: `${fileOf(module)}: ${test.fullName}`,
      errors: test.result().errors ?? [],
    })),
  )
  const unloaded = modules.flatMap((module) =>
    module.errors().map(({ message }) => ({ file: fileOf(module), message })),
  )
  const messages = [...unloaded, ...failed.flatMap(({ errors }) => errors)].map(({ message }) => message)
  const invalid = messages.find((message) => INVALID_CODE.test(message))
  if (invalid) return { problem: `the code is not valid: ${invalid.slice(0, 400)}` }
  if (failed.length > 0) return { failed: failed.map(({ title }) => title) }
  const [first] = unloaded
  if (first) return { problem: `${first.file} cannot be loaded: ${first.message.slice(0, 400)}` }
  return modules.length === 0 ? { problem: 'no test has run' } : { failed: [] }
}
