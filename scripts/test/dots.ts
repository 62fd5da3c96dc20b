import { relative } from 'node:path'
import { DotReporter, type TestModule, type Vitest } from 'vitest/node'
import { root } from '../start/environment.ts'

const SHOWN = 10

/** A dot for each test, what has failed, and one last line. With HAUL_SLOWEST=1 also the files that took longest. */
export default class Dots extends DotReporter {
  override onInit(vitest: Vitest): void {
    const { printBanner } = vitest.logger
    vitest.logger.printBanner = () => {}
    super.onInit(vitest)
    vitest.logger.printBanner = printBanner
  }

  override reportTestSummary(): void {}

  override onTestRunEnd(...run: Parameters<DotReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...run)
    const [modules, errors] = run
    if (process.env.HAUL_SLOWEST) this.#printSlowest(modules)
    const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const passed = tests.filter((state) => state === 'passed').length
    // A file that cannot be loaded, and an error outside of tests, such as an unhandled rejection, count as a failed test.
    const others = modules.filter((module) => module.errors().length > 0).length + errors.length
    const failed = tests.filter((state) => state === 'failed').length + others
    const seconds = ((performance.now() - this.start) / 1_000).toFixed(0)
    this.log(`${passed} passed, ${failed} failed, in ${modules.length} files and ${seconds} s`)
  }

  /** The time of a file is that of its tests. Several files run at the same time. */
  #printSlowest(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({ name: relative(root, module.moduleId), ms: module.diagnostic().duration }))
    const seconds = (ms: number): string => (ms / 1_000).toFixed(1).padStart(6)
    const all = files.reduce((sum, { ms }) => sum + ms, 0)
    this.log(`The slowest of ${files.length} files, which took ${seconds(all).trim()} s together:`)
    for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN))
      this.log(`${seconds(ms)} s  ${name}`)
  }
}
